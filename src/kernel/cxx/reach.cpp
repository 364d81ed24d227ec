#include "kernel/cxx/reach.h"

#include <algorithm>

#include "kernel/cxx/declared_names.h"
#include "kernel/cxx/token.h"
#include "support/lists.h"

namespace heddle::kernel::cxx {
namespace {

/// Names that the language looks up by itself.
const std::vector<std::string> kImplicit = {"begin", "end", "tuple_size", "tuple_element", "get"};

bool is_always_kept(const std::vector<Token>& tokens, const OutlineOther& other) {
  const auto [begin, end] = other.all;
  if (begin + 1 > end) return false;
  if (tokens[begin].text == "namespace") return true;
  if (tokens[begin].text != "using") return false;
  for (std::size_t i = begin; i <= end; ++i)
    if (tokens[i].text == "namespace" || tokens[i].text == "operator") return true;
  return false;
}

/// "operator+" of a function; empty of one with a name.
std::string operator_name(const std::vector<Token>& tokens, const OutlineItem& item) {
  if (!item.name || tokens[item.name->begin].text != "operator") return {};
  std::string name;
  for (std::size_t i = item.name->begin; i <= item.name->end; ++i) name += tokens[i].text;
  return name;
}

/// A class's bases and body, and `final` in front of them.
TokenRange class_body(const std::vector<Token>& tokens, const OutlineOther& other) {
  TokenRange range = *other.body;
  for (std::size_t i = past_template(tokens, other.all); i < other.body->begin; ++i)
    if (is_symbol(tokens[i], ":") || tokens[i].text == "final") {
      range.begin = i;
      break;
    }
  return range;
}

/// Whether a class has something like a constructor: its name in front of a bracket.
bool constructs(const std::vector<Token>& tokens, const ReachUnit& type) {
  for (std::size_t i = type.all.begin; i < type.all.end; ++i) {
    if (tokens[i].text == "enum" || tokens[i].kind == TokenKind::directive) return true;
    const bool is_own =
        std::find(type.names.begin(), type.names.end(), tokens[i].text) != type.names.end();
    if (is_own && is_symbol(tokens[i + 1], "(")) return true;
  }
  return false;
}

/// A word that looks like a macro.
bool is_capital(std::string_view word) {
  return word.size() > 1 && word != "FILE" && !is_reserved(word) &&
         std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; }) &&
         std::any_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool has_include(const std::vector<Token>& tokens, TokenRange range) {
  for (std::size_t i = range.begin; i <= range.end; ++i)
    if (tokens[i].kind == TokenKind::directive && directive_name(tokens[i]).starts_with("include"))
      return true;
  return false;
}

bool is_instantiation(const std::vector<Token>& tokens, TokenRange all) {
  return tokens[all.begin].text == "template" && all.begin + 1 <= all.end &&
         !is_symbol(tokens[all.begin + 1], "<");
}

}  // namespace

Reach::Reach(std::vector<const CxxSource*> files) : files_(std::move(files)) {
  for (const CxxSource* file : files_)
    for (const Token& token : file->tokens())
      if (token.kind == TokenKind::directive) directives_.push_back(token);
  read_macros();
  for (std::size_t file = 0; file < files_.size(); ++file) {
    outlines_.push_back(outline_of(files_[file]->tokens(), files_[file]->path(), directives_));
    add_units(file);
  }
  for (std::size_t unit = 0; unit < units_.size(); ++unit)
    for (const std::string& name : units_[unit].names) declared_[name].push_back(unit);
  reached_.assign(units_.size(), false);
}

void Reach::read_macros() {
  for (const Token& token : directives_) {
    if (directive_name(token) != "define") continue;
    try {
      const std::vector<Token> words = tokenize(directive_rest(token), "");
      if (words.empty()) continue;
      Macro& macro = macros_[std::string(words.front().text)];
      macro.definition = macro.is_defined ? std::string() : std::string(directive_rest(token));
      macro.is_defined = true;
      for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string_view text = words[i].text;
        if (is_name(words[i])) macro.words.emplace(text);
        macro.pastes = macro.pastes || text.find("##") != std::string_view::npos;
        macro.declares = macro.declares || text == ";" || text == "{" || text == ",";
      }
      macro.pastes = macro.pastes || token.text.find("##") != std::string_view::npos;
    } catch (const Error&) {
      continue;  // a lone quote
    }
  }
}

const std::vector<Token>& Reach::tokens(const ReachUnit& unit) const {
  return files_[unit.file]->tokens();
}

/// What the call of a macro declares, where only the macro's text has a say in that: it is defined
/// once, in it stands no other macro that makes declarations or names, and none at all outside bodies,
/// where it might be the name.
std::optional<std::vector<std::string>> Reach::made_names(std::size_t file,
                                                          const OutlineItem& item) const {
  const std::vector<Token>& call = files_[file]->tokens();
  const auto macro = macros_.find(std::string(call[item.all.begin].text));
  if (!item.is_function || item.name || macro == macros_.end()) return std::nullopt;
  std::vector<std::string> names;
  try {
    const std::string text =
        expanded_call(call, outlines_[file], item.all.begin, macro->second.definition);
    const std::vector<Token> made = tokenize(text, "");
    if (made.empty()) return std::nullopt;
    for (const Token& word : made) {
      const auto other = macros_.find(std::string(word.text));
      const bool is_making =
          other != macros_.end() && (other->second.declares || other->second.pastes);
      if (is_making || word.text == "using" || word.text == "operator" || word.text == "#" ||
          word.text == "__VA_ARGS__" || word.text == "_Pragma" || word.kind == TokenKind::directive)
        return std::nullopt;
    }
    const auto has_macro = [&](TokenRange head) {
      return std::ranges::any_of(names_in(made, head),
                                 [&](const std::string& word) { return macros_.count(word) != 0; });
    };
    const Outline outline = outline_of(made, "");
    for (const OutlineItem& one : outline.items) {
      if (one.is_member) continue;
      if (one.is_function && !one.name) return std::nullopt;
      if (has_macro({one.all.begin, one.body ? one.body->begin : one.all.end})) return std::nullopt;
      append(names, declared_names(made, one));
    }
    for (const OutlineOther& one : outline.others) {
      if (has_macro(one.all)) return std::nullopt;
      append(names, declared_names(made, one));
    }
  } catch (const Error&) {
    return std::nullopt;  // a part of something
  }
  return names;
}

/// `head` is where macros may make up what the unit declares.
void Reach::add_unit(ReachUnit unit, TokenRange head) {
  const std::vector<Token>& all = tokens(unit);
  unit.is_always = unit.is_always || has_include(all, head);
  for (const std::string& name : names_in(all, head)) {
    const auto found = macros_.find(name);
    if (found == macros_.end()) continue;
    unit.is_always = unit.is_always || found->second.pastes;
    if (!found->second.declares) continue;
    for (const std::string& word : found->second.words)
      if (!is_reserved(word)) unit.names.push_back(word);
  }
  units_.push_back(std::move(unit));
}

void Reach::add_doubt(std::size_t file, const OutlineItem& item) {
  const std::vector<Token>& all = files_[file]->tokens();
  const std::size_t end = item.name ? item.name->begin : item.all.end;
  for (std::size_t i = past_template(all, item.all); i < end; ++i) {
    if (is_symbol(all[i], "=") || is_symbol(all[i], "(")) break;
    const std::string word(all[i].text);
    if (!is_name(all[i]) || !is_capital(word) || macros_.count(word) != 0) continue;
    for (const std::string& name : declared_names(all, item))
      if (name != word) doubts_.push_back({name, word, file, all[i].position});
  }
}

std::optional<Reach::Doubt> Reach::doubt() const {
  for (const Doubt& one : doubts_)
    if (words_.count(one.name) != 0 && declared_.count(one.word) == 0) return one;
  return std::nullopt;
}

void Reach::add_units(std::size_t file) {
  const std::vector<Token>& tokens = files_[file]->tokens();
  for (const OutlineItem& item : outlines_[file].items) {
    if (item.is_member) continue;
    if (!item.is_device && !item.is_const) add_doubt(file, item);
    if (item.is_function && !item.is_device) continue;  // for the host: blank anyway
    ReachUnit unit;
    unit.file = file;
    unit.all = item.all;
    unit.is_function = item.is_function;
    unit.item = item;
    if (item.is_function && item.body) unit.body = TokenRange{item.head_end, item.body->end};
    const std::string name = operator_name(tokens, item);
    if (!name.empty()) operators_.push_back(units_.size());
    unit.names = name.empty() ? declared_names(tokens, item) : std::vector<std::string>{name};
    const std::size_t head_end = unit.body ? unit.body->begin : item.all.end;
    if (auto made = made_names(file, item)) {
      unit.names = std::move(*made);
      units_.push_back(std::move(unit));
    } else {
      add_unit(std::move(unit), {item.all.begin, head_end});
    }
  }
  for (const OutlineOther& other : outlines_[file].others) {
    ReachUnit unit;
    unit.file = file;
    unit.all = other.all;
    if (other.body) unit.body = class_body(tokens, other);
    unit.is_always = is_always_kept(tokens, other);
    unit.names = declared_names(tokens, other);
    const bool is_enum =
        std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(other.all.begin),
                    tokens.begin() +
                        static_cast<std::ptrdiff_t>(other.body ? other.body->begin : other.all.end),
                    [](const Token& token) { return token.text == "enum"; });
    const std::size_t head_end = other.body && !is_enum ? other.body->begin : other.all.end;
    add_unit(std::move(unit), {other.all.begin, head_end});
  }
}

void Reach::add(std::string word) {
  if (words_.insert(word).second) pending_.push_back(std::move(word));
}

void Reach::add_words(const CxxSource& file, TokenRange range) {
  for (std::string& name : names_in(file.tokens(), range)) add(std::move(name));
  for (std::size_t i = range.begin; i <= range.end && i < file.tokens().size(); ++i)
    if (file.tokens()[i].kind == TokenKind::directive &&
        directive_name(file.tokens()[i]) == "define")
      add_macro(
          std::string(directive_rest(file.tokens()[i])
                          .substr(0, directive_rest(file.tokens()[i]).find_first_of(" \t("))));
}

void Reach::add_macro(const std::string& name) {
  const auto found = macros_.find(name);
  if (found == macros_.end()) return;
  pastes_ = pastes_ || found->second.pastes;
  for (const std::string& word : found->second.words) add(word);
}

void Reach::mark(std::size_t unit, const LeftOut& left_out) {
  const ReachUnit& one = units_[unit];
  if (reached_[unit] || is_instantiation(tokens(one), one.all)) return;
  reached_[unit] = true;
  if (left_out.whole.count(unit) != 0) return;
  const bool has_body = one.body && left_out.bodies.count(unit) == 0;
  add_words(*files_[one.file],
            {one.all.begin, !one.body || has_body ? one.all.end : one.body->begin});
}

/// Whether a word that is reached begins the name, or ends it.
bool Reach::can_be_pasted(const std::string& name) const {
  for (std::size_t cut = 1; cut < name.size(); ++cut)
    if (words_.count(name.substr(0, cut)) != 0 || words_.count(name.substr(cut)) != 0) return true;
  return false;
}

void Reach::follow_words(const LeftOut& left_out) {
  while (!pending_.empty()) {
    const std::string word = std::move(pending_.back());
    pending_.pop_back();
    add_macro(word);
    const auto declared = declared_.find(word);
    if (declared == declared_.end()) continue;
    for (const std::size_t unit : declared->second) mark(unit, left_out);
  }
}

/// An operator of which one parameter is of a class that no value in what is reached can have.
bool Reach::is_for_nobody(const ReachUnit& unit) const {
  if (!unit.item || !unit.item->parameters) return false;
  const std::vector<Token>& all = tokens(unit);
  const TokenRange inside = {unit.item->parameters->begin + 1, unit.item->parameters->end - 1};
  if (inside.begin > inside.end) return false;
  const auto is_closed = [&](std::size_t number) {
    const ReachUnit& type = units_[number];
    return !reached_[number] && !type.is_function && type.body && !constructs(tokens(type), type);
  };
  for (const auto& part : split_at_commas(all, outlines_[unit.file], inside)) {
    const auto first = std::find_if(part.begin(), part.end(), [&](std::size_t i) {
      return is_name(all[i]) && !is_reserved(all[i].text);
    });
    if (first == part.end()) continue;
    const auto declared = declared_.find(std::string(all[*first].text));
    if (declared != declared_.end() &&
        std::all_of(declared->second.begin(), declared->second.end(), is_closed))
      return true;
  }
  return false;
}

bool Reach::add_operators(const LeftOut& left_out) {
  const std::size_t known = words_.size();
  for (const std::size_t unit : operators_)
    if (!reached_[unit] && !is_for_nobody(units_[unit])) mark(unit, left_out);
  return words_.size() != known;
}

void Reach::follow(const CxxFunction& kernel, const std::vector<std::string>& words,
                   const LeftOut& left_out) {
  reached_.assign(units_.size(), false);
  words_.clear();
  pastes_ = false;
  add_words(*files_.front(), {kernel.begin, kernel.body_end});
  for (const std::string& word : words) add(word);
  for (const std::string& word : kImplicit) add(word);
  for (std::size_t unit = 0; unit < units_.size(); ++unit)
    if (units_[unit].is_always) mark(unit, left_out);
  std::size_t known = 0;
  do {
    follow_words(left_out);
    known = words_.size();
    if (pastes_)
      for (const auto& [name, units] : declared_)
        if (can_be_pasted(name))
          for (const std::size_t unit : units) mark(unit, left_out);
  } while (add_operators(left_out) || known != words_.size());
}

TextCuts Reach::cuts(std::size_t file) const {
  TextCuts cuts;
  for (std::size_t unit = 0; unit < units_.size(); ++unit)
    if (units_[unit].file == file && !reached_[unit]) cuts.all.push_back(units_[unit].all);
  return cuts;
}

}  // namespace heddle::kernel::cxx
