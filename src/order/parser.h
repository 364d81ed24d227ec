// The part that both parsers of order texts share: binary operators by precedence, lists, values.
//
//   levels {"+", add, 5}, {"*", multiply, 6}:   a + b * c   ->   add(a, multiply(b, c))
//
// Rules
//   1. A higher precedence binds closer; operators of one level group to the left.
//   2. Nesting is bounded by kDepthLimit (DepthGuard).
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "order/cursor.h"

namespace heddle::order {

struct Level {
  std::string_view symbol;
  Operation operation;
  int precedence;
  Expression::Kind kind = Expression::Kind::binary;  ///< or logical_and, logical_or
};

class Parser {
 protected:
  /// `levels` must outlive this.
  Parser(Cursor cursor, std::span<const Level> levels)
      : cursor_(std::move(cursor)), levels_(levels) {}
  ~Parser() = default;

  virtual ExpressionPtr expression() = 0;
  virtual ExpressionPtr unary() = 0;
  virtual ExpressionPtr name_or_call() = 0;
  virtual ExpressionPtr number() = 0;
  virtual ExpressionPtr in_parentheses() { return expression(); }

  /// Operators of at least this precedence between unary expressions.
  ExpressionPtr binary(int least);
  /// `-` or `~` before a unary expression, or a `+`, which does nothing; null: none is there.
  ExpressionPtr sign();
  ExpressionPtr primary();
  /// Expressions between commas, with what closes them.
  std::vector<ExpressionPtr> list_until(std::string_view closing);

  static const Level* find_level(std::span<const Level> levels, const Token& token);
  /// `+=` means add.
  std::optional<Operation> augmented_by(const Token& token) const;

  Cursor cursor_;
  int depth_ = 0;

 private:
  std::span<const Level> levels_;
};

}  // namespace heddle::order
