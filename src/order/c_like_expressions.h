// Types and expressions of C-like order texts; parse_c_like.h says what is read.
#pragma once

#include "order/parser.h"

namespace heddle::order {

class CLikeExpressions : protected Parser {
 protected:
  explicit CLikeExpressions(std::string_view text);
  ~CLikeExpressions() = default;

  /// A type as it was read; `automatic` takes the type of the value, `other` is not an integer.
  struct ReadType {
    std::optional<Type> type;
    bool automatic = false;
    bool is_void = false;
    bool other = false;
  };

  bool at_type() const;
  ReadType type();
  ExpressionPtr expression() override;
  ExpressionPtr unary() override;
  std::vector<ExpressionPtr> arguments();
  ExpressionPtr number() override;
  ExpressionPtr name_or_call() override;

 private:
  /// `kernel` and `global` are words like any other unless something declared follows.
  bool at_qualifier() const;
  void skip_template();
  ExpressionPtr cast_to(const ReadType& read, ExpressionPtr value, Position at);
  ExpressionPtr wrapped_value();
};

}  // namespace heddle::order
