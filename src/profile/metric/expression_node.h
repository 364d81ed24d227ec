// The tree of an expression (expression.h): what the parser makes and the evaluators walk.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "profile/metric/expression.h"

namespace heddle::profile {

struct ExpressionNode {
  enum class Kind {
    number,
    name,
    channel_name,
    channels_sum,
    negative,
    add,
    subtract,
    multiply,
    divide,
    minimum,
    maximum,
    round,
    mean,
    total,
    least,
    most,
    median,
    deviation,
    comparison,
    choice
  };
  enum class Test { equal, unequal, less, at_most, more, at_least };
  using Child = std::shared_ptr<const ExpressionNode>;

  Kind kind = Kind::number;
  double number = 0;
  std::string file;  ///< of a name
  std::string name;
  Test test = Test::equal;
  /// comparison: both sides; choice: value, both sides, and what else, if there is one
  std::vector<Child> children;
};

/// Throws Error with a position in the text.
std::shared_ptr<const ExpressionNode> parse_expression(std::string_view text,
                                                       const Expression::Let& let);

}  // namespace heddle::profile
