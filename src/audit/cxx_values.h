// The values that index code of a C++ kernel gives, block by block.
//
//   before: row = blockIdx.x                     0  1  2  3
//   after:  row = gridDim.x - 1 - blockIdx.x     3  2  1  0     those of the original, permuted
//
// Rules
//   1. Arithmetic is C++'s, with the types of the tree. Signed overflow, a division by zero, a
//      shift out of range, a variable without a value and a loop without an end are Errors.
//   2. A value is computed where it stands: index statements before it have run, others have not.
//   3. Nothing of the kernel is executed. Work is bounded; beyond that it is an Error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/cxx_index.h"
#include "config/launch.h"

namespace heddle::audit {

/// An index value in the statement with that number.
struct PlacedValue {
  std::size_t statement = 0;
  int step = -1;
};

/// Per block, in the order of launch ids: the values.
using IndexValues = std::vector<std::vector<std::int64_t>>;
IndexValues index_values(const CxxIndex& index, const std::vector<PlacedValue>& values,
                         const config::Launch& launch);

/// How the values of a new kernel compare with those of the original.
struct ValueMatch {
  bool is_permutation = false;
  bool is_identity = false;   ///< every block has the values that it had
  std::int64_t stranger = 0;  ///< else: a block with values that are not the original's, once each
};
ValueMatch match_values(const IndexValues& before, const IndexValues& after);

}  // namespace heddle::audit
