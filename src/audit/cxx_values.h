// The values that index code of two C++ kernels gives, block by block.
//
//   before: row = blockIdx.x                     0  1  2  3
//   after:  row = gridDim.x - 1 - blockIdx.x     3  2  1  0     the values of the original,
//   permuted
//
// Rules
//   1. All values that the work sees are taken together: a new block must see what one block of the
//      original sees, and each of those is seen once.
//   2. Nothing is executed: the code is evaluated as an order is (order/evaluate.h).
//   3. Code that cannot be read as such, or that faults, is a doubt.
#pragma once

#include <string>

#include "audit/cxx_changes.h"
#include "config/launch.h"

namespace heddle::audit {

/// Why the new values may not be those of the original, permuted; empty: they are.
std::string doubt_of_values(const CxxChanges& changes, const config::Launch& before,
                            const config::Launch& after);

}  // namespace heddle::audit
