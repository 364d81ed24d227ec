#include "kernel/cxx/declared_names.h"

#include <algorithm>
#include <set>

#include "kernel/cxx/token.h"

namespace heddle::kernel::cxx {
namespace {

const std::set<std::string_view> kClassWords = {"struct", "class", "union", "enum"};

const std::set<std::string_view> kReserved = {"alignas",   "alignof",      "asm",
                                              "auto",      "bool",         "char",
                                              "char8_t",   "char16_t",     "char32_t",
                                              "class",     "concept",      "const",
                                              "consteval", "constexpr",    "constinit",
                                              "decltype",  "delete",       "double",
                                              "enum",      "explicit",     "extern",
                                              "false",     "final",        "float",
                                              "for",       "friend",       "if",
                                              "inline",    "int",          "long",
                                              "mutable",   "namespace",    "new",
                                              "noexcept",  "nullptr",      "operator",
                                              "override",  "private",      "protected",
                                              "public",    "register",     "requires",
                                              "return",    "short",        "signed",
                                              "sizeof",    "static",       "static_assert",
                                              "std",       "struct",       "template",
                                              "this",      "thread_local", "true",
                                              "typedef",   "typename",     "union",
                                              "unsigned",  "using",        "virtual",
                                              "void",      "volatile",     "wchar_t",
                                              "while",     "else",         "do",
                                              "switch",    "case",         "default",
                                              "break",     "continue",     "goto",
                                              "try",       "catch",        "throw",
                                              "typeid",    "static_cast",  "const_cast",
                                              "export",    "dynamic_cast", "reinterpret_cast"};

/// Words with brackets behind them that are part of no declarator.
const std::set<std::string_view> kWithBrackets = {
    "alignas", "__align__",         "__attribute__", "__attribute", "__declspec", "decltype",
    "typeof",  "__launch_bounds__", "noexcept",      "explicit",    "__typeof__", "requires",
    "asm",     "__asm__",           "__asm"};

/// The last token of a bracketed piece that begins at i; the end of the range where none closes it.
std::size_t closing(const std::vector<Token>& tokens, std::size_t i, std::size_t end) {
  int depth = 0;
  for (; i <= end; ++i) {
    const std::string_view text = tokens[i].text;
    if (text == "(" || text == "[" || text == "{") ++depth;
    if ((text == ")" || text == "]" || text == "}") && --depth <= 0) return i;
  }
  return end;
}

/// The > of the < at i, which may be part of >>; i where it is not closed before ; or a brace.
std::size_t closing_angle(const std::vector<Token>& tokens, std::size_t i, std::size_t end) {
  int depth = 0;
  for (std::size_t k = i; k <= end; ++k) {
    const std::string_view text = tokens[k].text;
    if (text == ";" || text == "{") return i;
    if (text == "(" || text == "[") k = closing(tokens, k, end);
    if (text == "<") ++depth;
    if (text == ">" || text == ">>" || text == ">>>") depth -= static_cast<int>(text.size());
    if (depth <= 0) return k;
  }
  return i;
}

bool has_directive(const std::vector<Token>& tokens, TokenRange range) {
  for (std::size_t i = range.begin; i <= range.end; ++i)
    if (tokens[i].kind == TokenKind::directive) return true;
  return false;
}

std::vector<std::string> all_names(const std::vector<Token>& tokens, TokenRange range) {
  std::vector<std::string> names = names_in(tokens, range);
  std::erase_if(names, [](const std::string& name) { return is_reserved(name); });
  return names;
}

/// c and e of `using a::b::c, d::e;`. Of other kinds of using any name counts.
std::vector<std::string> used_names(const std::vector<Token>& tokens, TokenRange range) {
  std::vector<std::string> names;
  for (std::size_t i = range.begin; i <= range.end; ++i) {
    if (tokens[i].text == "=" || tokens[i].text == "enum") return all_names(tokens, range);
    const bool is_end = i == range.end || tokens[i + 1].text == "," || tokens[i + 1].text == ";";
    if (is_name(tokens[i]) && is_end && !is_reserved(tokens[i].text))
      names.emplace_back(tokens[i].text);
  }
  return names;
}

/// Reads `type a = 1, *b[4], (*c)(int);`.
class Declarators {
 public:
  Declarators(const std::vector<Token>& tokens, TokenRange range)
      : tokens_(tokens), end_(range.end), at_(range.begin) {}

  std::vector<std::string> run() {
    for (; at_ <= end_; ++at_) step();
    take();
    return std::move(names_);
  }

 private:
  std::string_view text(std::size_t i) const {
    return i <= end_ ? tokens_[i].text : std::string_view();
  }

  void take() {
    if (last_ && !is_reserved(*last_)) names_.emplace_back(*last_);
    last_.reset();
  }

  void step() {
    const std::string_view word = text(at_);
    if (kWithBrackets.count(word) != 0) {
      if (text(at_ + 1) == "(") at_ = closing(tokens_, at_ + 1, end_);
    } else if (word == "[" && text(at_ + 1) == "[") {
      at_ = closing(tokens_, at_, end_);
    } else if (is_name(tokens_[at_])) {
      last_ = word;
    } else if (word == "<") {
      at_ = std::max(at_, closing_angle(tokens_, at_, end_));
    } else if (word == "(" && (text(at_ + 1) == "*" || text(at_ + 1) == "&")) {
      last_.reset();
    } else if (word == "[" || word == "(") {
      take();
      at_ = closing(tokens_, at_, end_);
    } else if (word == "=" || word == "{" || word == ":") {
      take();
      while (at_ < end_ && text(at_ + 1) != "," && text(at_ + 1) != ";") at_ = closing_of_next();
    } else if (word == "," || word == ";" || word == ")") {
      take();
    }
  }

  /// Past the next token, or what it opens.
  std::size_t closing_of_next() const {
    const std::string_view next = text(at_ + 1);
    const bool opens = next == "(" || next == "[" || next == "{";
    const std::size_t open = text(at_) == "{" ? at_ : at_ + 1;
    return opens || text(at_) == "{" ? closing(tokens_, open, end_) : at_ + 1;
  }

  const std::vector<Token>& tokens_;
  std::size_t end_;
  std::size_t at_;
  std::optional<std::string_view> last_;
  std::vector<std::string> names_;
};

std::vector<std::string> declarators(const std::vector<Token>& tokens, TokenRange range) {
  if (range.begin > range.end) return {};
  std::vector<std::string> names;
  if (!has_directive(tokens, range)) names = Declarators(tokens, range).run();
  return names.empty() ? all_names(tokens, range) : names;
}

/// The words that a class or enum declares: its name, what stands behind it, its enumerators.
std::vector<std::string> class_names(const std::vector<Token>& tokens, const OutlineOther& other) {
  std::vector<std::string> names;
  const std::size_t first = past_template(tokens, other.all);
  if (!other.body) return all_names(tokens, {first, other.all.end});
  bool is_enum = false;
  for (std::size_t i = first; i < other.body->begin; ++i) {
    is_enum = is_enum || tokens[i].text == "enum";
    if (tokens[i].text == ":" || tokens[i].text == "<") break;
    if (is_name(tokens[i]) && !is_reserved(tokens[i].text)) names.emplace_back(tokens[i].text);
  }
  if (is_enum)
    for (std::string& name : all_names(tokens, *other.body)) names.push_back(std::move(name));
  for (std::string& name : all_names(tokens, {other.body->end, other.all.end}))
    names.push_back(std::move(name));
  return names;
}

}  // namespace

bool is_reserved(std::string_view word) {
  return word.starts_with("__") || kReserved.count(word) != 0;
}

std::vector<std::string> names_in(const std::vector<Token>& tokens, TokenRange range) {
  std::vector<std::string> names;
  for (std::size_t i = range.begin; i <= range.end && i < tokens.size(); ++i)
    if (is_name(tokens[i])) names.emplace_back(tokens[i].text);
  return names;
}

std::size_t past_template(const std::vector<Token>& tokens, TokenRange range) {
  std::size_t i = range.begin;
  while (i + 1 <= range.end && tokens[i].text == "template" && is_symbol(tokens[i + 1], "<")) {
    const std::size_t close = closing_angle(tokens, i + 1, range.end);
    if (close == i + 1) return i;
    i = close + 1;
  }
  return i;
}

std::vector<std::string> declared_names(const std::vector<Token>& tokens, const OutlineItem& item) {
  if (item.is_function && item.name) return {std::string(tokens[item.name->begin].text)};
  if (item.is_function) return all_names(tokens, item.all);  // a macro
  return declarators(tokens, {past_template(tokens, item.all), item.all.end});
}

std::vector<std::string> declared_names(const std::vector<Token>& tokens,
                                        const OutlineOther& other) {
  const std::size_t first = past_template(tokens, other.all);
  if (first > other.all.end) return {};
  const std::string_view word = tokens[first].text;
  if (word == "static_assert") return all_names(tokens, other.all);
  if (word == "using" && first < other.all.end && tokens[first + 1].text == "namespace") return {};
  const bool is_alias =
      word == "using" && first + 2 <= other.all.end && is_symbol(tokens[first + 2], "=");
  if (is_alias) return {std::string(tokens[first + 1].text)};
  const bool is_cut = other.body ? has_directive(tokens, {first, other.body->begin}) ||
                                       has_directive(tokens, {other.body->end, other.all.end})
                                 : has_directive(tokens, other.all);
  if (is_cut) return all_names(tokens, other.all);
  if (word == "using") return used_names(tokens, other.all);
  const bool is_class =
      other.body ||
      std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(first),
                  tokens.begin() + static_cast<std::ptrdiff_t>(other.all.end),
                  [](const Token& token) { return kClassWords.count(token.text) != 0; });
  if (is_class) return class_names(tokens, other);
  return declarators(tokens, {first, other.all.end});
}

}  // namespace heddle::kernel::cxx
