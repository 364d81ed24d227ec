// A program that does nothing but show index values: it stores one byte per value, at an address that
// tells it (shown_numbers.h).
//
//   tile = program_id(0)                         tile = program_id(0)
//   row = tile // 4                              row = tile // 4
//   ...                                          show row
//   for t in range(tile, 99, 8):                 for t in range(tile, 99, 8):
//       loads, dots, stores of t // 5      ==>       show 0; show t // 5
//
// Rules
//   1. Values of the entry block are shown at the end, in their order, behind a 0: a block that
//      guards (guards.h) let return shows nothing. Its launch is the kernel's, with memory for that.
//   2. Loops over tiles stay. A turn shows the number of its loop, by a site of `turns`, then the
//      values that are asked for, each where it is read.
#pragma once

#include <cstdint>
#include <vector>

#include "config/launch.h"
#include "kernel/index_code.h"
#include "kernel/tile_program.h"

namespace heddle::kernel {

struct IndexProgram {
  KernelProgram program;
  config::Launch launch;
  std::vector<std::int32_t> turns;  ///< sites
};

/// A value as it is when the instruction at this position (index_code.h) reads it.
struct ReadValue {
  ValueId value = kNoValue;
  std::int64_t position = 0;
};

IndexProgram index_program(const KernelProgram& program, const config::Launch& launch,
                           const std::vector<ValueId>& values);
/// With loops over tiles; `in_turns` in the order of positions.
IndexProgram index_program(const KernelProgram& program, const config::Launch& launch,
                           const std::vector<ValueId>& values,
                           const std::vector<ReadValue>& in_turns);

}  // namespace heddle::kernel
