#include "kernel/cxx/reach.h"

#include <algorithm>

#include "kernel/cxx/token.h"

namespace heddle::kernel::cxx {
namespace {

const std::set<std::string_view> kClassWords = {"struct", "class", "union", "enum"};

/// Names that the language looks up by itself.
const std::vector<std::string> kImplicit = {"begin", "end", "tuple_size", "tuple_element", "get"};

/// The names that tokens spell, those in directives left out.
std::vector<std::string> names_in(const std::vector<Token>& tokens, TokenRange range) {
  std::vector<std::string> names;
  for (std::size_t i = range.begin; i <= range.end && i < tokens.size(); ++i)
    if (is_name(tokens[i])) names.emplace_back(tokens[i].text);
  return names;
}

/// Past `template <...>` in front of a declaration.
std::size_t past_template(const std::vector<Token>& tokens, TokenRange range) {
  std::size_t i = range.begin;
  while (i + 1 <= range.end && tokens[i].text == "template" && is_symbol(tokens[i + 1], "<")) {
    int depth = 0;
    for (++i; i <= range.end; ++i) {
      const std::string_view text = tokens[i].text;
      if (text == "<") ++depth;
      if (text == ">" || text == ">>" || text == ">>>") depth -= static_cast<int>(text.size());
      if (depth <= 0) break;
    }
    ++i;
  }
  return i;
}

/// The words that a class or enum declares: its name, what stands behind it, its enumerators.
void add_class_names(const std::vector<Token>& tokens, const OutlineOther& other,
                     std::vector<std::string>& names) {
  const std::size_t first = past_template(tokens, other.all);
  const std::size_t head_end = other.body ? other.body->begin : other.all.end;
  bool is_enum = false;
  for (std::size_t i = first; i < head_end; ++i) {
    is_enum = is_enum || tokens[i].text == "enum";
    if (tokens[i].text == ":" || tokens[i].text == "<") break;
    if (is_name(tokens[i]) && kClassWords.count(tokens[i].text) == 0 && tokens[i].text != "typedef")
      names.emplace_back(tokens[i].text);
  }
  if (!other.body) return;
  if (is_enum)
    for (std::string& name : names_in(tokens, *other.body)) names.push_back(std::move(name));
  for (std::string& name : names_in(tokens, {other.body->end, other.all.end}))
    names.push_back(std::move(name));
}

/// The words that a using, typedef or class declares; more words than those do no harm.
std::vector<std::string> names_of(const std::vector<Token>& tokens, const OutlineOther& other) {
  std::vector<std::string> names;
  const std::size_t first = past_template(tokens, other.all);
  if (first > other.all.end) return names;
  if (tokens[first].text == "static_assert") return names;
  const bool is_using = tokens[first].text == "using";
  if (is_using && first + 2 <= other.all.end && is_symbol(tokens[first + 2], "="))
    return {std::string(tokens[first + 1].text)};
  const bool is_class = other.body || std::any_of(tokens.begin() + static_cast<long>(first),
                                                  tokens.begin() + static_cast<long>(other.all.end),
                                                  [](const Token& token) {
                                                    return kClassWords.count(token.text) != 0;
                                                  });
  if (is_class) {
    add_class_names(tokens, other, names);
    return names;
  }
  std::vector<std::string> all = names_in(tokens, {first, other.all.end});
  // `typedef void (*f)(int)` names it in the middle, others at their end.
  const bool has_brackets = std::any_of(tokens.begin() + static_cast<long>(first),
                                        tokens.begin() + static_cast<long>(other.all.end),
                                        [](const Token& token) { return is_symbol(token, "("); });
  if (!has_brackets && !all.empty()) return {all.back()};
  return all;
}

bool is_always_kept(const std::vector<Token>& tokens, const OutlineOther& other) {
  return other.all.begin + 1 <= other.all.end &&
         (tokens[other.all.begin].text == "namespace" ||
          (tokens[other.all.begin].text == "using" &&
           tokens[other.all.begin + 1].text == "namespace"));
}

/// Names in front of = ; [ , { ( in a declaration of variables.
std::vector<std::string> variable_names(const std::vector<Token>& tokens, TokenRange range) {
  std::vector<std::string> names;
  for (std::size_t i = range.begin; i <= range.end && i < tokens.size(); ++i) {
    if (!is_name(tokens[i])) continue;
    const std::string_view next = i + 1 < tokens.size() ? tokens[i + 1].text : ";";
    if (next == "=" || next == ";" || next == "[" || next == "," || next == "{" || next == "(")
      names.emplace_back(tokens[i].text);
  }
  return names;
}

}  // namespace

Reach::Reach(std::vector<const CxxSource*> files) : files_(std::move(files)) {
  for (const CxxSource* file : files_)
    for (const Token& token : file->tokens())
      if (token.kind == TokenKind::directive) directives_.push_back(token);
  for (const Token& token : directives_) {
    if (directive_name(token) != "define") continue;
    try {
      const std::vector<Token> words = tokenize(directive_rest(token), "");
      if (words.empty()) continue;
      auto& body = macros_[std::string(words.front().text)];
      for (std::string& name : names_in(words, {1, words.size() - 1}))
        body.push_back(std::move(name));
    } catch (const Error&) {
      continue;  // a lone quote
    }
  }
  for (std::size_t file = 0; file < files_.size(); ++file) {
    outlines_.push_back(outline_of(files_[file]->tokens(), files_[file]->path(), directives_));
    add_units(file);
  }
  for (const ReachUnit& unit : units_) reached_.push_back(unit.is_always);
  for (std::size_t unit = 0; unit < units_.size(); ++unit)
    for (const std::string& name : units_[unit].names) declared_[name].push_back(unit);
}

void Reach::add_units(std::size_t file) {
  const std::vector<Token>& tokens = files_[file]->tokens();
  for (const OutlineItem& item : outlines_[file].items) {
    if (item.is_member) continue;
    ReachUnit unit;
    unit.file = file;
    unit.all = item.all;
    unit.is_function = item.is_function;
    if (item.is_function && !item.name) {  // a macro
      if (!item.is_device) continue;
      unit.names = names_in(tokens, item.all);
    } else if (item.is_function) {
      if (item.body) unit.body = TokenRange{item.head_end, item.body->end};
      const bool is_operator = tokens[item.name->begin].text == "operator";
      if (is_operator && item.parameters) operators_.emplace_back(units_.size(), *item.parameters);
      if (!is_operator) unit.names = {std::string(tokens[item.name->begin].text)};
    } else {
      unit.names = variable_names(tokens, item.all);
    }
    units_.push_back(std::move(unit));
  }
  for (const OutlineOther& other : outlines_[file].others) {
    const bool is_always = is_always_kept(tokens, other);
    units_.push_back({file, other.all, other.body, false,
                      is_always ? std::vector<std::string>{} : names_of(tokens, other), is_always});
  }
}

void Reach::add(std::string word) {
  if (words_.insert(word).second) pending_.push_back(std::move(word));
}

void Reach::add_words(const CxxSource& file, TokenRange range) {
  for (std::string& name : names_in(file.tokens(), range)) add(std::move(name));
}

void Reach::add_macro(const std::string& name) {
  const auto found = macros_.find(name);
  if (found == macros_.end()) return;
  for (const std::string& word : found->second) add(word);
}

void Reach::mark(std::size_t unit) {
  const ReachUnit& one = units_[unit];
  const std::vector<Token>& tokens = files_[one.file]->tokens();
  const bool is_instantiation = tokens[one.all.begin].text == "template" &&
                                one.all.begin + 1 <= one.all.end &&
                                !is_symbol(tokens[one.all.begin + 1], "<");
  if (reached_[unit] || is_instantiation) return;
  reached_[unit] = true;
  add_words(*files_[one.file], one.all);
}

bool Reach::add_operators() {
  bool grown = false;
  for (const auto& [unit, parameters] : operators_) {
    if (reached_[unit]) continue;
    bool is_known = false;
    bool is_somebodys = false;
    for (const std::string& name : names_in(files_[units_[unit].file]->tokens(), parameters)) {
      const auto declared = declared_.find(name);
      if (declared == declared_.end()) continue;
      is_somebodys = true;
      is_known = is_known || std::any_of(declared->second.begin(), declared->second.end(),
                                         [&](std::size_t other) { return reached_[other]; });
    }
    if (is_somebodys && !is_known) continue;
    mark(unit);
    grown = grown || reached_[unit];
  }
  return grown;
}

void Reach::follow(const CxxFunction& kernel, const std::vector<std::string>& words) {
  add_words(*files_.front(), {kernel.begin, kernel.body_end});
  for (const std::string& word : words) add(word);
  for (const std::string& word : kImplicit) add(word);
  do {
    while (!pending_.empty()) {
      const std::string word = std::move(pending_.back());
      pending_.pop_back();
      add_macro(word);
      const auto declared = declared_.find(word);
      if (declared == declared_.end()) continue;
      for (const std::size_t unit : declared->second) mark(unit);
    }
  } while (add_operators());
}

TextCuts Reach::cuts(std::size_t file) const {
  TextCuts cuts;
  for (std::size_t unit = 0; unit < units_.size(); ++unit)
    if (units_[unit].file == file && !reached_[unit]) cuts.all.push_back(units_[unit].all);
  return cuts;
}

}  // namespace heddle::kernel::cxx
