// The functions of expressions: min, max, abs, cdiv, ... For expression_evaluate.cpp only.
#pragma once

#include <string>
#include <vector>

#include "config/expression.h"

namespace heddle::config {

/// Throws Error if there is no such function, or not of these arguments.
Value call_function(const std::string& name, const std::vector<Value>& arguments, Names& names);

}  // namespace heddle::config
