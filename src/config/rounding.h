// Numbers as a type of the GPU holds them.
//
//   round_to(DType::float16, 0.1)  == 0.0999755859375
//   wrap_to(DType::int8, 200)      == -56
//
// Rules
//   1. Nearest, ties to even; subnormals are kept. Past the largest number: infinity, but the
//      largest number for float8_e4m3, which has no infinity.
//   2. Integers keep their low bits, read by the signedness of the type. A uint64 of 2^63 or more
//      comes out negative: same bits. Of a boolean: 1 unless it is 0.
#pragma once

#include <cstdint>

#include "config/dtype.h"

namespace heddle::config {

/// A floating type; other types give the value back.
double round_to(DType type, double value);

/// An integer type; floating types give the value back.
std::int64_t wrap_to(DType type, std::int64_t value);

/// Toward zero. What no int64 holds becomes the nearest one, NaN becomes 0.
std::int64_t truncate(double value);

}  // namespace heddle::config
