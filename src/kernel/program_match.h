// Whether two programs are the same but for how they compute the tile's index.
//
//   before   row = program_id(0) * 128 ...           after   tile = f(program_id(0), ...)
//            loads, dots, stores of row                      row = tile * 128 ...
//                                                            the same loads, dots, stores of row
//   match_programs   cut: (row of before, row of after)
//
// Rules
//   1. All instructions but index code (index_code.h) must pair up, one by one, in order: same
//      operation, types, constants, memory sites with their hints, operands that pair up.
//   2. Where both operands are index values that depend on the block, they become part of the cut.
//      The rest of the program sees the block's number through the cut and nowhere else: two blocks
//      with equal cuts do exactly the same, arithmetic included.
//   3. `by_ids`: the programs become equal if other values stand in for the program ids, the same
//      ones everywhere.
//   4. What does not pair up is told with both lines.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/launch.h"
#include "kernel/tile_program.h"

namespace heddle::kernel {

struct ProgramMatch {
  bool is_match = false;
  std::string reason;  ///< why not
  int line_before = 0;
  int line_after = 0;
  std::vector<std::pair<ValueId, ValueId>> cut;
  bool by_ids = false;
};

/// `same_grid`: tl.num_programs is the same number in both.
ProgramMatch match_programs(const KernelProgram& before, const KernelProgram& after,
                            bool same_grid);

/// A program that does nothing but show its half of the cut: it stores one byte per value, at an
/// address that tells it. Its launch is the kernel's, with memory for that.
struct IndexProgram {
  KernelProgram program;
  config::Launch launch;
};
IndexProgram index_program(const KernelProgram& program, const config::Launch& launch,
                           const std::vector<ValueId>& values);

}  // namespace heddle::kernel
