// What a parameter of a C++ kernel is, read off its type as written.
//
//   "const float* __restrict__"   a pointer to fp32
//   "double2 *"                   a pointer to fp64, two at a time
//   "unsigned long long"          a number, uint64
//   "Params"                      neither: nothing is known of it
//
// Rules
//   1. Only the text counts: typedefs and macros are not followed, and nothing is known of what
//      they name.
//   2. References are what they refer to; arrays without or with an extent are pointers.
#pragma once

#include <optional>
#include <string>

#include "config/dtype.h"

namespace heddle::kernel::cxx {

struct ValueType {
  int pointers = 0;                      ///< how many * there are
  std::optional<config::DType> element;  ///< of what is pointed to, or of the number itself
  int elements = 1;                      ///< 4 of float4
  std::string name;                      ///< without const and the like: "float4", "Params"
};

ValueType value_type(const std::string& written);

}  // namespace heddle::kernel::cxx
