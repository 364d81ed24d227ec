// Floating numbers of every element type as bits, and back.
//
//   to_bits(DType::float16, 1.0) == 0x3C00      from_bits(DType::bfloat16, 0x3F80) == 1.0
//
// Rules
//   1. to_bits rounds to nearest, ties to even, as config::round_to does.
//   2. A NaN becomes the quiet one of its type; float8_e4m3 has NaN but no infinity.
#pragma once

#include <cstdint>

#include "config/dtype.h"

namespace heddle::config {

std::uint64_t to_bits(DType type, double value);
double from_bits(DType type, std::uint64_t bits);

}  // namespace heddle::config
