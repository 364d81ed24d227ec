#include "order/syntax.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::order {
namespace {

Expression node_of(Expression::Kind kind, std::vector<ExpressionPtr> arguments, Position at) {
  Expression expression;
  expression.kind = kind;
  expression.at = at;
  expression.arguments = std::move(arguments);
  return expression;
}

ExpressionPtr make_operation(Expression::Kind kind, Operation operation,
                             std::vector<ExpressionPtr> operands, Position at) {
  Expression expression = node_of(kind, std::move(operands), at);
  expression.operation = operation;
  return make_expression(std::move(expression));
}

ExpressionPtr make_named(Expression::Kind kind, std::string name,
                         std::vector<ExpressionPtr> arguments, Position at) {
  Expression expression = node_of(kind, std::move(arguments), at);
  expression.text = std::move(name);
  return make_expression(std::move(expression));
}

}  // namespace

ExpressionPtr make_expression(Expression expression) {
  for (const ExpressionPtr& argument : expression.arguments) {
    if (argument) expression.depth = std::max(expression.depth, argument->depth + 1);
  }
  if (expression.depth > kDepthLimit) {
    throw Error(fmt::format("the expression nests deeper than {} levels", kDepthLimit),
                "split it over several assignments")
        .at({}, expression.at);
  }
  return std::make_shared<const Expression>(std::move(expression));
}

ExpressionPtr make_of(Expression::Kind kind, std::vector<ExpressionPtr> arguments, Position at) {
  return make_expression(node_of(kind, std::move(arguments), at));
}

ExpressionPtr make_name(std::string name, Position at) {
  return make_named(Expression::Kind::name, std::move(name), {}, at);
}

ExpressionPtr make_cast(Type type, ExpressionPtr value, Position at) {
  Expression expression = node_of(Expression::Kind::cast, {std::move(value)}, at);
  expression.type = type;
  return make_expression(std::move(expression));
}

ExpressionPtr make_number(std::int64_t value, Type type, Position at) {
  Expression expression = node_of(Expression::Kind::number, {}, at);
  expression.value = value;
  expression.type = type;
  return make_expression(std::move(expression));
}

ExpressionPtr make_unary(Operation operation, ExpressionPtr operand, Position at) {
  return make_operation(Expression::Kind::unary, operation, {std::move(operand)}, at);
}

ExpressionPtr make_binary(Operation operation, ExpressionPtr left, ExpressionPtr right,
                          Position at) {
  return make_operation(Expression::Kind::binary, operation, {std::move(left), std::move(right)},
                        at);
}

ExpressionPtr make_call(std::string name, std::vector<ExpressionPtr> arguments, Position at) {
  return make_named(Expression::Kind::call, std::move(name), std::move(arguments), at);
}

}  // namespace heddle::order
