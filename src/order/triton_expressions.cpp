#include "order/triton_expressions.h"

#include <limits>
#include <map>
#include <set>

namespace heddle::order {
namespace {

constexpr const char* kAccepted =
    "heddle reads assignments over + - * // % << >> & | ^ ~, comparisons, and/or/not, 'a if c else "
    "b', if/elif/else, while, for .. in range, def, return, min max abs, tl.program_id, "
    "tl.num_programs, tl.cdiv, tl.where, tl.minimum, tl.maximum";

constexpr Level kLevels[] = {
    {"|", Operation::bit_or, 1},       {"^", Operation::bit_xor, 2},
    {"&", Operation::bit_and, 3},      {"<<", Operation::shift_left, 4},
    {">>", Operation::shift_right, 4}, {"+", Operation::add, 5},
    {"-", Operation::subtract, 5},     {"*", Operation::multiply, 6},
    {"//", Operation::divide, 6},      {"%", Operation::remainder, 6},
};
constexpr Level kComparisons[] = {
    {"<", Operation::less, 0},    {"<=", Operation::less_equal, 0},
    {">", Operation::greater, 0}, {">=", Operation::greater_equal, 0},
    {"==", Operation::equal, 0},  {"!=", Operation::not_equal, 0},
};

}  // namespace

TritonExpressions::TritonExpressions(std::vector<Token> tokens)
    : Parser(Cursor(std::move(tokens), kAccepted), kLevels) {}

ExpressionPtr TritonExpressions::expression_list() {
  const Position at = cursor_.peek().at;
  std::vector<ExpressionPtr> parts = {expression()};
  bool is_tuple = false;
  while (cursor_.take_symbol(",")) {
    is_tuple = true;
    if (cursor_.at_line_end() || cursor_.is_symbol("=") || cursor_.is_symbol(")")) break;
    parts.push_back(expression());
  }
  return is_tuple ? make_of(Expression::Kind::tuple, std::move(parts), at) : parts.front();
}

ExpressionPtr TritonExpressions::expression() {
  const DepthGuard guard(depth_, cursor_.peek().at);
  ExpressionPtr value = either();
  if (!cursor_.is_name("if")) return value;
  const Position at = cursor_.take().at;
  ExpressionPtr condition = either();
  if (!cursor_.take_name("else")) cursor_.unexpected("'else' in the conditional expression");
  return make_of(Expression::Kind::conditional, {condition, value, expression()}, at);
}

ExpressionPtr TritonExpressions::either() {
  ExpressionPtr left = both();
  while (cursor_.is_name("or")) {
    const Position at = cursor_.take().at;
    left = make_of(Expression::Kind::logical_or, {left, both()}, at);
  }
  return left;
}

ExpressionPtr TritonExpressions::both() {
  ExpressionPtr left = inverted();
  while (cursor_.is_name("and")) {
    const Position at = cursor_.take().at;
    left = make_of(Expression::Kind::logical_and, {left, inverted()}, at);
  }
  return left;
}

ExpressionPtr TritonExpressions::inverted() {
  const DepthGuard guard(depth_, cursor_.peek().at);
  if (!cursor_.is_name("not")) return comparison();
  const Position at = cursor_.take().at;
  return make_unary(Operation::logical_not, inverted(), at);
}

ExpressionPtr TritonExpressions::comparison() {
  ExpressionPtr left = binary(1);
  ExpressionPtr chain;
  while (const Level* level = find_level(kComparisons, cursor_.peek())) {
    const Position at = cursor_.take().at;
    ExpressionPtr right = binary(1);
    ExpressionPtr single = make_binary(level->operation, left, right, at);
    chain = chain ? make_of(Expression::Kind::logical_and, {chain, single}, at) : single;
    left = right;
  }
  return chain ? chain : left;
}

ExpressionPtr TritonExpressions::unary() {
  const DepthGuard guard(depth_, cursor_.peek().at);
  if (ExpressionPtr signed_value = sign()) return signed_value;
  if (cursor_.is_symbol("/")) refuse_float_division();
  return postfix(primary());
}

ExpressionPtr TritonExpressions::postfix(ExpressionPtr value) {
  while (cursor_.is_symbol(".") && cursor_.is_name("to", 1) && cursor_.is_symbol("(", 2)) {
    const Position at = cursor_.take().at;
    cursor_.take();
    value = cast(value, at);
  }
  if (cursor_.is_symbol("[") || cursor_.is_symbol(".")) {
    cursor_.unsupported("indexing and attributes are not part of an order", cursor_.peek().at);
  }
  return value;
}

ExpressionPtr TritonExpressions::cast(const ExpressionPtr& value, Position at) {
  const std::vector<ExpressionPtr> given = arguments();
  static const std::map<std::string_view, Type> kTypes = {{"tl.int32", Type::i32},
                                                          {"tl.int64", Type::i64},
                                                          {"tl.uint32", Type::u32},
                                                          {"tl.uint64", Type::u64}};
  const auto type = kTypes.find(given.size() == 1 ? given[0]->text : "");
  if (type == kTypes.end())
    cursor_.fail("unknown type in .to(...)", "tl.int32, tl.int64, tl.uint32 or tl.uint64", at);
  return make_cast(type->second, value, at);
}

std::vector<ExpressionPtr> TritonExpressions::arguments() {
  std::vector<ExpressionPtr> result;
  cursor_.expect_symbol("(", "the name");
  while (!cursor_.is_symbol(")")) {
    if (cursor_.peek().kind == Token::Kind::name && cursor_.is_symbol("=", 1)) {
      const Token keyword = cursor_.take();
      cursor_.take();
      if (keyword.text != "axis") {
        result.push_back(named_argument(keyword));
        if (!cursor_.take_symbol(",")) break;
        continue;
      }
    }
    result.push_back(expression());
    if (!cursor_.take_symbol(",")) break;
  }
  cursor_.expect_symbol(")", "the arguments");
  return result;
}

ExpressionPtr TritonExpressions::named_argument(const Token& keyword) {
  Expression named;
  named.kind = Expression::Kind::tuple;
  named.at = keyword.at;
  named.text = keyword.text;
  named.arguments = {expression()};
  return make_expression(std::move(named));
}

void TritonExpressions::refuse_float_division() const {
  cursor_.fail("'/' makes a float in Python", "divide integers with //", cursor_.peek().at);
}

ExpressionPtr TritonExpressions::in_parentheses() {
  return expression_list();
}

ExpressionPtr TritonExpressions::number() {
  const Token token = cursor_.take();
  if (token.value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    cursor_.fail("the number does not fit 64 bits", "use smaller constants", token.at);
  }
  return make_number(static_cast<std::int64_t>(token.value), Type::constexpr_int, token.at);
}

ExpressionPtr TritonExpressions::name_or_call() {
  const Token token = cursor_.peek();
  static const std::set<std::string_view> kWords = {"if",     "else",   "elif", "for", "while",
                                                    "def",    "in",     "and",  "or",  "not",
                                                    "return", "lambda", "is"};
  if (kWords.count(token.text) > 0) cursor_.unexpected("a value");
  cursor_.take();
  if (token.text == "True") return make_number(1, Type::boolean, token.at);
  if (token.text == "False") return make_number(0, Type::boolean, token.at);
  if (cursor_.is_symbol("(")) {
    const std::size_t dot = token.text.rfind('.');
    if (dot != std::string::npos && token.text.substr(dot) == ".to")
      return cast(make_name(token.text.substr(0, dot), token.at), token.at);
    return make_call(token.text, arguments(), token.at);
  }
  return make_name(token.text, token.at);
}

}  // namespace heddle::order
