// How many registers a thread of a Triton kernel needs, estimated from what is alive at a time.
//
//   gemm, 128 x 128 on 4 waves of 32 lanes: the accumulator is 128 registers of each thread, its
//   operands lie in shared memory, 16 rows of the result are stored
//     18 + 1.25 x (128 + 16) = 198       measured 193 to 219, by how addresses are written
//
// Rules
//   1. A value counts while somebody still reads it, with the elements that one thread holds, four
//      bytes a register. The largest sum over the program is what is needed at a time.
//   2. Nothing is counted for pointers, masks, constants and indices that are cheap to compute again;
//      indices that a division or a load gave count.
//   3. Operations are done element by element where that keeps fewer registers: what only they read
//      stays as it was loaded. Casts to a wider type are done again at each use.
//   4. A product that is added to a sum is added in place.
//   5. Operands of matrix units that read shared memory (`shared_operands`) are not in registers.
//   6. Random numbers take a few words beside each element.
//   7. Products that run by themselves keep more registers than are alive, since nothing else may
//      use theirs until they are done. Other loops keep about what is alive; outside loops compilers
//      put loads off. Constants, counters and addresses, by rows of a block, come on top. The
//      numbers are fitted on kernels of an H200 (docs/model.md).
//
// Does not model: loads that a compiler moves ahead of others in unrolled code, and its limits.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernel/tile_layout.h"

namespace heddle::kernel {

/// A product whose operands matrix units read from shared memory.
using SharedOperands = std::function<bool(const Instruction& dot)>;

/// Not limited by what a GPU has.
std::int64_t estimated_registers(const TileProgram& code, const std::vector<Placed>& order,
                                 const std::vector<AccessLayout>& accesses,
                                 const ThreadShape& threads, const SharedOperands& shared_operands);

}  // namespace heddle::kernel
