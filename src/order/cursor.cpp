#include "order/cursor.h"

#include <fmt/format.h>

namespace heddle::order {

void Cursor::expect_symbol(std::string_view text, std::string_view after) {
  if (take_symbol(text)) return;
  unexpected(fmt::format("'{}' after {}", text, after));
}

void Cursor::unexpected(std::string_view wanted) const {
  const Token& token = peek();
  std::string found = fmt::format("'{}'", token.text);
  if (token.kind == Token::Kind::end) found = "the end of the text";
  if (token.kind == Token::Kind::line_end) found = "the end of the line";
  if (token.kind == Token::Kind::number) found = fmt::format("the number {}", token.value);
  if (token.kind == Token::Kind::text) found = "a quoted text";
  unsupported(fmt::format("expected {}, found {}", wanted, found), token.at);
}

void Cursor::fail(std::string what, std::string hint, Position at) const {
  throw Error(std::move(what), std::move(hint)).at({}, at);
}

DepthGuard::DepthGuard(int& depth, Position at) : depth_(depth) {
  if (++depth_ > kDepthLimit) {
    --depth_;
    throw Error("the text nests too deep", "split it over several assignments").at({}, at);
  }
}

ExpressionPtr make_of(Expression::Kind kind, std::vector<ExpressionPtr> arguments, Position at) {
  Expression expression;
  expression.kind = kind;
  expression.at = at;
  expression.arguments = std::move(arguments);
  return make_expression(std::move(expression));
}

ExpressionPtr make_number(std::int64_t value, Type type, Position at) {
  Expression expression;
  expression.kind = Expression::Kind::number;
  expression.at = at;
  expression.value = value;
  expression.type = type;
  return make_expression(std::move(expression));
}

ExpressionPtr make_unary(Operation operation, ExpressionPtr operand, Position at) {
  Expression expression;
  expression.kind = Expression::Kind::unary;
  expression.at = at;
  expression.operation = operation;
  expression.arguments = {std::move(operand)};
  return make_expression(std::move(expression));
}

ExpressionPtr make_binary(Operation operation, ExpressionPtr left, ExpressionPtr right,
                          Position at) {
  Expression expression;
  expression.kind = Expression::Kind::binary;
  expression.at = at;
  expression.operation = operation;
  expression.arguments = {std::move(left), std::move(right)};
  return make_expression(std::move(expression));
}

ExpressionPtr make_call(std::string name, std::vector<ExpressionPtr> arguments, Position at) {
  Expression expression;
  expression.kind = Expression::Kind::call;
  expression.at = at;
  expression.text = std::move(name);
  expression.arguments = std::move(arguments);
  return make_expression(std::move(expression));
}

}  // namespace heddle::order
