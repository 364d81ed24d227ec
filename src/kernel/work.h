// How long a compute unit works between the memory instructions of a tile, found from the code.
//
//   ising, a tile of 32 x 32, on an MI300X                         cycles of the compute unit
//     spin  = load(..)                                                26   addresses, masks
//     left  = load(.. (column + columns - 1) % columns ..)           433   a remainder
//     ...
//     chance = tl.rand(seed, ..)
//     store(..)                                                     3800   random numbers, exp
//
// Rules
//   1. Loads that need nothing of each other form a group: compilers put them side by side. Work
//      that they need comes before the first of them, work on what they load after the last.
//   2. Other work belongs to the memory instruction that follows it in its block of code; what
//      comes after the last one belongs to that one. Work in front of a loop belongs to what is
//      before it.
//   3. Every operation costs its elements, at least one for each thread, over the rate of its kind.
//      Operations on scalars cost nothing: they run beside the vector units.
//   4. Integer remainders and divisions by what is not constant, and random numbers, cost as many
//      operations as compilers make of them.
//   5. Code is as long as the operations of one thread, with a constant part.
//   6. Work adds up. Where matrix units run beside the others (matrix_beside_vector), addresses and
//      masks of the next loads cost nothing as long as a product lasts, and adding it to a sum is
//      part of it; other work on what was loaded is not.
//   7. Sums, maxima and scans over lanes end a while after their work: their block waits, and with
//      it what follows. Lanes exchange in halves; waves through shared memory.
//   8. Of a C++ kernel nothing is known per site: what the tracer counts is spread over a tile's
//      memory instructions. Its code is as long as the GPU's compiler makes it.
//
// Does not model: that compilers move, share and leave out operations; registers that are spilled.
#pragma once

#include <cstdint>
#include <vector>

#include "config/gpu.h"
#include "kernel/target_facts.h"

namespace heddle::kernel {

/// Cycles of a compute unit, per site of the program.
struct Work {
  std::vector<double> before;
  std::vector<double> after;
  /// Beyond that a block waits for its own results, while others work.
  std::vector<double> wait_before;
  std::vector<double> wait_after;
  /// The part of both that the counts of the program's blocks contain (arithmetic_cycles).
  std::vector<double> counted;
  /// Lines that a block looks up in the first cache, where threads load short lists again and
  /// again (tile_shared.h, rule 4); 0: as the list lies.
  std::vector<std::int64_t> lookups;
  bool has_products = false;    ///< of blocks, by matrix units
  std::int64_t code_bytes = 0;  ///< of the kernel's instructions and arguments, about
};

/// How long a compute unit needs for this arithmetic, at its best.
double arithmetic_cycles(const std::vector<ArithmeticCount>& counts,
                         const config::GpuArithmetic& rates);

/// Code that every kernel has. A copy was seen to fetch 20 pieces of 64 B for each instruction
/// cache: 3,040 requests of an MI300X that are none of its data.
inline constexpr std::int64_t kLeastCodeBytes = 1088;

}  // namespace heddle::kernel
