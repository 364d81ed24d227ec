#include "kernel/cxx/scope_numbers.h"

#include <algorithm>
#include <set>

#include "kernel/cxx/plain_arithmetic.h"
#include "kernel/cxx/token.h"

namespace heddle::kernel::cxx {
namespace {

bool is_integer_type(std::string_view text) {
  static const std::set<std::string_view> kTypes = {"int",      "unsigned", "long",   "short",
                                                    "uint32_t", "int32_t",  "size_t", "int64_t"};
  return kTypes.count(text) != 0;
}

}  // namespace

CxxNumbers::CxxNumbers(const CxxSource& source, const CxxFunction& function,
                       const std::vector<std::string>& template_values,
                       const config::Launch& launch)
    : source_(source), launch_(launch) {
  find_constants();
  for (const config::Argument& argument : launch.arguments)
    if (const auto* number = std::get_if<std::int64_t>(&argument.value.data))
      if (argument.is_constexpr) given_[argument.name] = *number;
  for (std::size_t i = 0; i < function.template_parameters.size() && i < template_values.size();
       ++i) {
    const std::string& parameter = function.template_parameters[i];
    const auto number = plain_literal(template_values[i]);
    if (number) given_[parameter.substr(parameter.rfind(' ') + 1)] = *number;
  }
  values_.insert(given_.begin(), given_.end());
}

std::string_view CxxNumbers::text(std::size_t i) const {
  const std::vector<Token>& tokens = source_.tokens();
  return i < tokens.size() ? tokens[i].text : std::string_view();
}

/// constexpr int kTile = 16; #define TILE 16
void CxxNumbers::find_constants() {
  const std::vector<Token>& tokens = source_.tokens();
  for (std::size_t i = 2; i + 2 < tokens.size(); ++i) {
    const bool is_constant = text(i) == "=" && text(i + 2) == ";" && is_name(tokens[i - 1]) &&
                             is_integer_type(text(i - 2)) && i > 2 && text(i - 3) == "constexpr";
    const auto number = is_constant ? plain_literal(text(i + 1)) : std::nullopt;
    if (number) values_[std::string(text(i - 1))] = *number;
  }
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::directive || directive_name(token) != "define") continue;
    const std::vector<Token> words = tokenize(directive_rest(token), source_.path());
    const auto number = words.size() == 2 ? plain_literal(words[1].text) : std::nullopt;
    if (number) values_[std::string(words[0].text)] = *number;
  }
}

void CxxNumbers::add_parameter(const std::string& name) {
  const config::Argument* given = launch_.find(name);
  const auto* number = given != nullptr ? std::get_if<std::int64_t>(&given->value.data) : nullptr;
  if (number == nullptr) return;
  values_[name] = *number;
  given_[name] = *number;
}

std::optional<std::int64_t> CxxNumbers::value(std::size_t first, std::size_t last) const {
  Cursor cursor{first, last + 1};
  const Number number = sum(cursor, 1);
  return cursor.at == cursor.end ? number : std::nullopt;
}

CxxNumbers::Number CxxNumbers::sum(Cursor& cursor, int level) const {
  Number left = level > 3 ? atom(cursor) : sum(cursor, level + 1);
  while (left && level <= 3 && cursor.at < cursor.end && operator_level(text(cursor.at)) == level) {
    const std::string_view op = text(cursor.at++);
    const Number right = sum(cursor, level + 1);
    left = right ? applied(op, *left, *right) : std::nullopt;
  }
  return left;
}

CxxNumbers::Number CxxNumbers::atom(Cursor& cursor) const {
  if (cursor.at >= cursor.end) return std::nullopt;
  if (text(cursor.at) == "(") return bracket(cursor);
  if (const auto number = plain_literal(text(cursor.at))) {
    ++cursor.at;
    return number;
  }
  return name(cursor);
}

CxxNumbers::Number CxxNumbers::bracket(Cursor& cursor) const {
  ++cursor.at;
  bool is_cast = is_integer_type(text(cursor.at));
  while (is_cast && is_integer_type(text(cursor.at))) ++cursor.at;
  if (is_cast) {
    if (text(cursor.at++) != ")") return std::nullopt;
    return atom(cursor);
  }
  const Number inside = sum(cursor, 1);
  if (!inside || cursor.at >= cursor.end || text(cursor.at++) != ")") return std::nullopt;
  return inside;
}

CxxNumbers::Number CxxNumbers::name(Cursor& cursor) const {
  const std::string word(text(cursor.at++));
  const bool has_member = cursor.at + 1 < cursor.end && text(cursor.at) == ".";
  if ((word == "gridDim" || word == "blockDim") && has_member) {
    const std::size_t axis = std::string_view("xyz").find(text(cursor.at + 1));
    cursor.at += 2;
    if (axis > 2) return std::nullopt;
    return word == "gridDim" ? launch_.grid.extent(static_cast<int>(axis))
                             : static_cast<std::int64_t>(launch_.threads[axis]);
  }
  const bool is_call = cursor.at < cursor.end && text(cursor.at) == "(";
  if (is_call && (word == "min" || word == "max")) {
    ++cursor.at;
    const Number a = sum(cursor, 1);
    if (!a || text(cursor.at++) != ",") return std::nullopt;
    const Number b = sum(cursor, 1);
    if (!b || text(cursor.at++) != ")") return std::nullopt;
    return word == "min" ? std::min(*a, *b) : std::max(*a, *b);
  }
  const auto found = values_.find(word);
  if (is_call || has_member || found == values_.end()) return std::nullopt;
  return found->second;
}

}  // namespace heddle::kernel::cxx
