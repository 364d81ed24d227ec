// What one turn of a loop over tiles hands to the next, other than index values.
//
//   for tile in tl.range(start, tiles, NUM_SMS):
//       acc = tl.zeros(...)        written before it is read: nothing is handed on
//       total += tl.sum(acc)       handed on: a tile then depends on those before it
//
// Rules
//   1. A value is handed on if a turn can read it before it writes it, or if code outside the loop
//      reads it. Branches and inner loops count as not taken.
//   2. Index values that are written more than once are left out: who compares turns looks at them
//      where they are read (program_match.h).
#pragma once

#include "kernel/index_code.h"
#include "kernel/tile_program.h"

namespace heddle::kernel {

/// The first instruction that reads such a value; null: none does.
const Instruction* find_carried(const KernelProgram& program, const IndexCode& index,
                                const Instruction& loop);

}  // namespace heddle::kernel
