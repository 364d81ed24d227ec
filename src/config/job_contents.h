// contents = "uniform(0, M)": what a job says a tensor holds.
//
//   read_contents(text, DType::int32, 100, names, "examples")   // Contents of kind uniform
//
// Every error is an Error without a place. Numbers that a type or a size cannot have are refused
// here; what needs the numbers themselves (a file, a sparse matrix) is left to TensorData.
#pragma once

#include <cstdint>
#include <string>

#include "config/expression.h"
#include "config/launch.h"

namespace heddle::config {

/// `elements`: how many the tensor has in memory. `folder`: where a file's relative path starts.
Contents read_contents(const Expression& text, DType dtype, std::int64_t elements, Names& names,
                       const std::string& folder);

}  // namespace heddle::config
