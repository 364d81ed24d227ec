// The parser of C-like order texts: HIP, CUDA, OpenCL C, plain C++.
//
// Reads: declarations and assignments of integers, arithmetic, comparisons, && || !, ?:, casts,
// if/else, while, for, functions, return, ++ --, blockIdx.x, gridDim.x, hipBlockIdx_x,
// get_group_id(0), get_num_groups(0), #define NAME tokens.
//
// Rules
//   1. Integer literals and conversions have C's types: blockIdx.x is unsigned, 0xffffffff too.
//   2. A declaration in an inner block ends with the block.
#pragma once

#include <string_view>

#include "order/syntax.h"

namespace heddle::order {

Module parse_c_like(std::string_view text);

}  // namespace heddle::order
