// The values that index code of a C++ kernel gives, block by block.
//
//   before: row = blockIdx.x                     0  1  2  3
//   after:  row = gridDim.x - 1 - blockIdx.x     3  2  1  0     those of the original, permuted
//
// Rules
//   1. Arithmetic is C++'s, with the types of the tree. Signed overflow, a division by zero, a
//      shift out of range and a variable without a value are faults; a loop without an end is an
//      Error.
//   2. A value is computed where it stands: index statements before it have run, others have not.
//   3. Nothing of the kernel is executed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/cxx/patch/index.h"
#include "kernel/program.h"

namespace heddle::kernel::cxx {

/// An index value in the statement with that number.
struct PlacedValue {
  std::size_t statement = 0;
  int step = -1;
};

/// A program whose blocks show these values: see kernel/index_values.h.
KernelProgram index_program(std::shared_ptr<const CxxTree> tree,
                            std::shared_ptr<const CxxIndex> index, std::vector<PlacedValue> values);

}  // namespace heddle::kernel::cxx
