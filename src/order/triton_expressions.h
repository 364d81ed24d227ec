// Expressions of Triton order texts; parse_triton.h says what is read.
#pragma once

#include "order/parser.h"

namespace heddle::order {

class TritonExpressions : protected Parser {
 protected:
  explicit TritonExpressions(std::vector<Token> tokens);
  ~TritonExpressions() = default;

  ExpressionPtr expression_list();
  ExpressionPtr expression() override;
  ExpressionPtr unary() override;
  std::vector<ExpressionPtr> arguments();
  [[noreturn]] void refuse_float_division() const;
  ExpressionPtr in_parentheses() override;
  ExpressionPtr number() override;
  ExpressionPtr name_or_call() override;

 private:
  ExpressionPtr either();
  ExpressionPtr both();
  ExpressionPtr inverted();
  ExpressionPtr comparison();
  /// `x.to(tl.int64)` after any value.
  ExpressionPtr postfix(ExpressionPtr value);
  ExpressionPtr cast(const ExpressionPtr& value, Position at);
  /// name=value in a call: a tuple of one that carries the name.
  ExpressionPtr named_argument(const Token& keyword);
};

}  // namespace heddle::order
