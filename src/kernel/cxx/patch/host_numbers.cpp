#include "kernel/cxx/patch/host_numbers.h"

#include <algorithm>

#include "kernel/cxx/patch/macros.h"
#include "kernel/cxx/plain_arithmetic.h"
#include "kernel/cxx/token.h"

namespace heddle::kernel::cxx {
namespace {

constexpr std::int64_t kLargest = INT32_MAX;
constexpr int kDeepest = 24;
constexpr std::size_t kMostNumbers = 32;
constexpr std::size_t kLongestBody = 4000;  ///< tokens of a function

using Tokens = std::vector<Token>;

bool is_open(std::string_view text) {
  return text == "(" || text == "[" || text == "{";
}
bool is_close(std::string_view text) {
  return text == ")" || text == "]" || text == "}";
}

/// The token writes the name that it is, or hands it on to be written.
bool is_written(const Tokens& tokens, std::size_t i) {
  static const std::set<std::string_view> kWrites = {
      "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--", "<<=", ">>="};
  const std::string_view next = i + 1 < tokens.size() ? tokens[i + 1].text : "";
  const std::string_view last = i > 0 ? tokens[i - 1].text : "";
  return kWrites.count(next) != 0 || last == "&" || last == "++" || last == "--" || last == ">>";
}

bool is_member(const Tokens& tokens, std::size_t i) {
  return i > 0 &&
         (tokens[i - 1].text == "." || tokens[i - 1].text == "->" || tokens[i - 1].text == "::");
}

/// `const int nx = ...;` with one name: its only definition, and nothing writes it again.
std::optional<HostNumber> definition(const Tokens& tokens, TokenRange body,
                                     const std::string& name) {
  std::optional<HostNumber> found;
  for (std::size_t i = body.begin + 1; i < body.end; ++i) {
    if (tokens[i].text != name || is_member(tokens, i)) continue;
    std::size_t first = i;
    while (first > body.begin && is_integer_word(tokens[first - 1].text)) --first;
    const std::string_view before = tokens[first - 1].text;
    const bool is_declared =
        first < i && tokens[i + 1].text == "=" && (before == ";" || before == "{" || before == "}");
    if (!is_declared && is_written(tokens, i)) return std::nullopt;
    if (!is_declared) {
      if (i > 0 && (is_name(tokens[i - 1]) && tokens[i - 1].text != "return"))
        return std::nullopt;  // another declaration
      continue;
    }
    if (found) return std::nullopt;
    std::size_t end = i + 2;
    for (int depth = 0; end < body.end; ++end) {
      if (is_open(tokens[end].text)) ++depth;
      if (is_close(tokens[end].text)) --depth;
      if (depth == 0 && tokens[end].text == ",") return std::nullopt;
      if (depth == 0 && tokens[end].text == ";") break;
    }
    if (end <= i + 2 || end >= body.end) return std::nullopt;
    found = HostNumber{name, {first, end}, {i + 2, end - 1}};
  }
  return found;
}

/// The file declares the name, or defines a macro of it: it is not the job's.
bool is_defined_in(const Tokens& tokens, const std::string& name) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (macro_name(tokens[i]) == name) return true;
    if (i > 0 && tokens[i].text == name && is_name(tokens[i - 1]) && tokens[i - 1].text != "return")
      return true;
  }
  return false;
}

/// Every parameter stands in brackets of its own, so that an argument's text is one number; so does
/// the whole.
bool keeps_apart(const Tokens& tokens, std::size_t begin,
                 const std::map<std::string, std::int64_t>& names) {
  for (std::size_t i = begin; i < tokens.size(); ++i) {
    if (names.count(std::string(tokens[i].text)) == 0) continue;
    const bool is_apart = i > begin && i + 1 < tokens.size() && tokens[i - 1].text == "(" &&
                          tokens[i + 1].text == ")";
    if (!is_apart) return false;
  }
  if (tokens[begin].text != "(") return false;
  int depth = 0;
  for (std::size_t i = begin; i + 1 < tokens.size(); ++i) {
    if (tokens[i].text == "(") ++depth;
    if (tokens[i].text == ")" && --depth == 0) return false;
  }
  return true;
}

/// From 0 to kLargest; nothing beyond.
std::optional<std::int64_t> bounded(std::string_view op, std::int64_t a, std::int64_t b) {
  const auto result = applied(op, a, b);
  return result && *result >= 0 && *result <= kLargest ? result : std::nullopt;
}

}  // namespace

TokenRange function_around(const Tokens& tokens, std::size_t near) {
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = near; i-- > 0;) {
    if (tokens[i].text == "}") ++depth;
    if (tokens[i].text != "{" || --depth >= 0) continue;
    depth = 0;
    if (i > 0 && tokens[i - 1].text == ")") begin = i;
  }
  std::size_t end = begin;
  for (depth = 0; begin > 0 && end < tokens.size(); ++end) {
    if (tokens[end].text == "{") ++depth;
    if (tokens[end].text == "}" && --depth == 0) break;
  }
  if (begin == 0 || end - begin > kLongestBody) return {0, 0};
  return {begin, std::min(end, tokens.size() - 1)};
}

bool is_integer_word(std::string_view text) {
  static const std::set<std::string_view> kWords = {"int",     "unsigned", "long",     "size_t",
                                                    "int32_t", "uint32_t", "int64_t",  "uint64_t",
                                                    "const",   "auto",     "constexpr"};
  return kWords.count(text) != 0;
}

bool is_plain_word(const std::vector<Token>& all, std::size_t i) {
  static const std::set<std::string_view> kSymbols = {
      "+",  "-",  "*",  "/",  "%",  "(",  ")",  "{",  "}",  ",", ";",  "=",  "<",
      ">",  "<=", ">=", "==", "!=", "&&", "||", "<<", ">>", "?", ":",  "+=", "-=",
      "*=", "/=", "++", "--", ".",  "::", "!",  "|",  "^",  "~", "%=", "|=", "^="};
  static const std::set<std::string_view> kCalls = {"dim3", "int", "unsigned", "if",    "while",
                                                    "for",  "min", "max",      "size_t"};
  static const std::set<std::string_view> kNever = {"return", "goto", "throw", "new",
                                                    "delete", "asm",  "static"};
  const Token& token = all[i];
  if (token.kind == TokenKind::number) return true;
  if (token.kind == TokenKind::symbol) return kSymbols.count(token.text) != 0;
  if (token.kind != TokenKind::name || kNever.count(token.text) != 0) return false;
  const bool is_call = i + 1 < all.size() && all[i + 1].text == "(";
  const bool is_declared = i > 0 && all[i - 1].text == "dim3";
  return !is_call || is_declared || kCalls.count(token.text) != 0 ||
         is_arithmetic_macro(all, std::string(token.text));
}

std::vector<HostNumber> host_numbers(const CxxSource& source, std::vector<TokenRange> expressions,
                                     std::size_t near) {
  const Tokens& tokens = source.tokens();
  const TokenRange body = function_around(tokens, near);
  std::vector<HostNumber> found;
  if (body.begin == 0) return found;
  for (std::size_t e = 0; e < expressions.size() && found.size() < kMostNumbers; ++e) {
    const TokenRange range = expressions[e];
    for (std::size_t i = range.begin; i <= range.end; ++i) {
      const std::string name(tokens[i].text);
      const bool is_known =
          std::ranges::any_of(found, [&](const HostNumber& one) { return one.name == name; });
      if (!is_name(tokens[i]) || is_known || is_member(tokens, i)) continue;
      const auto number = definition(tokens, body, name);
      if (!number || number->statement.end > near) continue;
      found.push_back(*number);
      expressions.push_back(number->value);
    }
  }
  // What something else uses, too, stays in the comparison of the files.
  const auto is_inside = [](std::size_t i, const TokenRange& range) {
    return i >= range.begin && i <= range.end;
  };
  for (bool is_shrinking = true; is_shrinking;) {
    const auto is_used_elsewhere = [&](const HostNumber& number) {
      for (std::size_t i = body.begin; i <= body.end; ++i) {
        if (tokens[i].text != number.name || is_inside(i, number.statement)) continue;
        const bool is_of_grid =
            std::ranges::any_of(expressions, [&](const auto& one) { return is_inside(i, one); });
        const bool is_of_number = std::ranges::any_of(
            found, [&](const HostNumber& one) { return is_inside(i, one.statement); });
        if (!is_of_grid && !is_of_number) return true;
      }
      return false;
    };
    is_shrinking = std::erase_if(found, is_used_elsewhere) > 0;
  }
  return found;
}

HostArithmetic::HostArithmetic(const CxxSource& source, const CxxFunction& kernel,
                               const config::Launch& launch, const std::vector<TokenRange>& handed,
                               std::size_t near)
    : source_(source), body_(function_around(source.tokens(), near)) {
  const Tokens& tokens = source.tokens();
  std::set<std::string> open;
  for (std::size_t i = 0; i < handed.size() && i < kernel.parameters.size(); ++i) {
    if (handed[i].begin != handed[i].end || !is_name(tokens[handed[i].begin])) continue;
    const config::Argument* const argument = launch.find(kernel.parameters[i].name);
    const auto* const number =
        argument == nullptr ? nullptr : std::get_if<std::int64_t>(&argument->value.data);
    if (number == nullptr || *number < 0 || *number > kLargest) continue;
    const std::string name(tokens[handed[i].begin].text);
    const auto known = handed_.emplace(name, *number).first;
    if (known->second != *number) open.insert(name);
  }
  for (const config::Argument& argument : launch.arguments)
    if (const auto* number = std::get_if<std::int64_t>(&argument.value.data);
        argument.is_constexpr && number != nullptr && *number >= 0 && *number <= kLargest &&
        !is_defined_in(tokens, argument.name))
      handed_.emplace(argument.name, *number);
  for (std::size_t i = body_.begin; i <= body_.end && body_.begin > 0; ++i)
    if (is_name(tokens[i]) && !is_member(tokens, i) && is_written(tokens, i))
      open.insert(std::string(tokens[i].text));
  for (const std::string& name : open) handed_.erase(name);
}

HostArithmetic::Number HostArithmetic::value(TokenRange expression) const {
  if (body_.begin == 0) return std::nullopt;
  return whole(source_.tokens(), expression, handed_, 0);
}

HostArithmetic::Number HostArithmetic::whole(const Tokens& tokens, TokenRange range,
                                             const Names& names, int depth) const {
  if (depth > kDeepest) return std::nullopt;
  Text text{&tokens, range.begin, range.end + 1, &names, depth};
  const Number number = sum(text, 1);
  return text.at == text.end ? number : std::nullopt;
}

HostArithmetic::Number HostArithmetic::sum(Text& text, int level) const {
  Number left = level > 3 ? atom(text) : sum(text, level + 1);
  while (left && level <= 3 && operator_level(text.word()) == level) {
    const std::string_view op = text.word();
    ++text.at;
    const Number right = sum(text, level + 1);
    left = right ? bounded(op, *left, *right) : std::nullopt;
  }
  return left;
}

HostArithmetic::Number HostArithmetic::atom(Text& text) const {
  if (text.at >= text.end) return std::nullopt;
  if (text.word() == "(") {
    ++text.at;
    const bool is_cast = is_integer_word(text.word());
    while (is_integer_word(text.word())) ++text.at;
    const Number inside = is_cast ? Number(0) : sum(text, 1);
    if (!inside || text.word() != ")") return std::nullopt;
    ++text.at;
    return is_cast ? atom(text) : inside;
  }
  if (const auto number = plain_literal(text.word())) {
    ++text.at;
    return number <= kLargest ? number : std::nullopt;
  }
  return is_name((*text.tokens)[text.at]) ? named(text) : std::nullopt;
}

HostArithmetic::Number HostArithmetic::named(Text& text) const {
  std::string name(text.word());
  ++text.at;
  if (name == "std" && text.word() == "::") {
    ++text.at;
    name = text.word();
    ++text.at;
    if (name != "min" && name != "max") return std::nullopt;
  }
  if (name == "static_cast" && text.word() == "<") {
    ++text.at;
    while (is_integer_word(text.word())) ++text.at;
    if (text.word() != ">") return std::nullopt;
    ++text.at;
    return text.word() == "(" ? atom(text) : std::nullopt;
  }
  if (text.word() == "(") return is_integer_word(name) ? atom(text) : call(name, text);
  if (const auto known = text.names->find(name); known != text.names->end()) return known->second;
  // Names of a macro's text, or of a function, are its parameters alone.
  return text.tokens == &source_.tokens() && text.names == &handed_ ? constant(name, text.depth + 1)
                                                                    : std::nullopt;
}

/// A variable of the function, a constant of the file or a macro.
HostArithmetic::Number HostArithmetic::constant(const std::string& name, int depth) const {
  const Tokens& tokens = source_.tokens();
  if (depth > kDeepest) return std::nullopt;
  if (const auto number = definition(tokens, body_, name))
    return whole(tokens, number->value, handed_, depth);
  for (std::size_t i = body_.begin; i <= body_.end; ++i)
    if (tokens[i].text == name && is_written(tokens, i)) return std::nullopt;
  if (is_arithmetic_macro(tokens, name)) return macro(name, {}, depth);
  Number found;
  for (std::size_t i = 2; i + 3 < tokens.size(); ++i) {
    if (tokens[i].text != name || !is_name(tokens[i - 1])) continue;
    const bool is_constant = tokens[i + 1].text == "=" && tokens[i + 3].text == ";" &&
                             is_integer_word(tokens[i - 1].text) &&
                             (tokens[i - 2].text == "constexpr" || tokens[i - 2].text == "const");
    if (!is_constant || found) return std::nullopt;
    found = plain_literal(tokens[i + 2].text);
    if (!found) return std::nullopt;
  }
  return found;
}

HostArithmetic::Number HostArithmetic::call(const std::string& name, Text& text) const {
  std::vector<Number> given;
  ++text.at;
  while (text.word() != ")") {
    given.push_back(sum(text, 1));
    if (!given.back() || (text.word() != "," && text.word() != ")")) return std::nullopt;
    if (text.word() == ",") ++text.at;
  }
  ++text.at;
  const bool is_defined = std::ranges::any_of(
      source_.tokens(), [&](const Token& token) { return macro_name(token) == name; });
  if (is_defined)
    return is_arithmetic_macro(source_.tokens(), name) ? macro(name, given, text.depth + 1)
                                                       : std::nullopt;
  if (given.size() == 2 && name == "min") return std::min(*given[0], *given[1]);
  if (given.size() == 2 && name == "max") return std::max(*given[0], *given[1]);
  return function(name, given, text.depth + 1);
}

/// #define NAME (...)   #define NAME(a, b) (...)
HostArithmetic::Number HostArithmetic::macro(const std::string& name,
                                             const std::vector<Number>& given, int depth) const {
  for (const Token& token : source_.tokens()) {
    if (arithmetic_macro(token) != name) continue;
    const std::string text(directive_rest(token).substr(name.size()));
    const Tokens tokens = tokenize(text, source_.path());
    Names names;
    std::size_t at = 0;
    const bool has_parameters = text.starts_with('(');
    if (has_parameters)
      for (at = 1; at < tokens.size() && tokens[at].text != ")"; ++at)
        if (tokens[at].text != ",") {
          if (names.size() >= given.size()) return std::nullopt;
          names[std::string(tokens[at].text)] = *given[names.size()];
        }
    at += has_parameters ? 1 : 0;
    if (names.size() != given.size() || has_parameters == given.empty() || at >= tokens.size())
      return std::nullopt;
    // Arguments stand as text in a macro: it has to keep them apart itself.
    if (has_parameters && !keeps_apart(tokens, at, names)) return std::nullopt;
    return whole(tokens, {at, tokens.size() - 1}, names, depth);
  }
  return std::nullopt;
}

/// int name(int a, int b) { return ...; }
HostArithmetic::Number HostArithmetic::function(const std::string& name,
                                                const std::vector<Number>& given, int depth) const {
  const Tokens& tokens = source_.tokens();
  Number found;
  for (std::size_t i = 1; i + 2 < tokens.size(); ++i) {
    if (tokens[i].text != name || tokens[i + 1].text != "(" || !is_integer_word(tokens[i - 1].text))
      continue;
    Names names;
    std::size_t at = i + 2;
    for (; at < tokens.size() && tokens[at].text != ")"; ++at) {
      if (tokens[at].text == "," || is_integer_word(tokens[at].text)) continue;
      const std::string_view next = tokens[at + 1].text;
      if (!is_name(tokens[at]) || (next != "," && next != ")") || names.size() >= given.size())
        return std::nullopt;
      names[std::string(tokens[at].text)] = *given[names.size()];
    }
    if (found || names.size() != given.size() || at + 3 >= tokens.size() ||
        tokens[at + 1].text != "{" || tokens[at + 2].text != "return")
      return std::nullopt;
    std::size_t end = at + 3;
    while (end < tokens.size() && tokens[end].text != ";") ++end;
    if (end + 1 >= tokens.size() || tokens[end + 1].text != "}") return std::nullopt;
    found = whole(tokens, {at + 3, end - 1}, names, depth);
    if (!found) return std::nullopt;
  }
  return found;
}

}  // namespace heddle::kernel::cxx
