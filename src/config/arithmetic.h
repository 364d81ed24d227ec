// Python's operators on the values of expressions.
//
//   binary_operation("//", -7, 2) == -4        binary_operation("%", -7, 2) == 1
//
// The rules are those of expression.h. Errors have no place.
#pragma once

#include <string_view>

#include "config/launch.h"

namespace heddle::config {

/// + - * / // % ** << >> & | ^
Value binary_operation(std::string_view operation, const Value& left, const Value& right);

/// - + ~ not
Value unary_operation(std::string_view operation, const Value& operand);

/// < <= > >= == != is, is not
bool compare_values(std::string_view operation, const Value& left, const Value& right);

/// What `if` and `not` see. An Error for a tensor.
bool is_true(const Value& value);

}  // namespace heddle::config
