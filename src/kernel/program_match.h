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
//   4. With Turns::apart, loops over tiles (index_code.h) pair up whatever their bounds are, and
//      their bodies like the rest. Index values that a turn reads are its part of the cut: two turns
//      with equal values do exactly the same, since nothing else differs between them. For that, no
//      other value may go from turn to turn (carried.h), and no turn may end early.
//   5. Values without effects that the outermost level computes from such values pair up by what they
//      are made of, wherever they stand: lines that only moved are the same work.
//   6. Guards (guards.h) are index code: blocks that they let return are compared with no others.
//   7. What does not pair up is told with both lines.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernel/index_code.h"
#include "kernel/tile_program.h"

namespace heddle::kernel {

/// An index value that a turn of a loop over tiles reads, at these positions (index_code.h).
struct TurnCut {
  ValueId before = kNoValue;
  ValueId after = kNoValue;
  std::int64_t position_before = 0;
  std::int64_t position_after = 0;
};

struct ProgramMatch {
  bool is_match = false;
  std::string reason;  ///< why not
  int line_before = 0;
  int line_after = 0;
  std::vector<std::pair<ValueId, ValueId>> cut;
  int loops = 0;               ///< over tiles
  std::vector<TurnCut> turns;  ///< in the order of the program
  bool by_ids = false;
};

/// `same_grid`: tl.num_programs is the same number in both.
ProgramMatch match_programs(const KernelProgram& before, const KernelProgram& after, bool same_grid,
                            Turns turns = Turns::together);

}  // namespace heddle::kernel
