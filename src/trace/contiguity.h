// How many neighbouring elements of a block a compiler can take for contiguous, found from the
// code.
//
//   (column + columns - 1) % columns     1: what lies left of a column may be anywhere
//   (tile * 128 + arange(0, 128)) % M    16 where M is a multiple of 16
//
// Rules
//   1. What the compiler knows is kernel/axis_facts.h; where it knows nothing, elements are taken one
//      by one, however they lie.
//   2. A bound says what the compiler cannot know; what lies below it is up to the addresses.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "config/launch.h"
#include "kernel/tile_program.h"
#include "trace/pattern.h"

namespace heddle::trace {

/// Per axis of a block.
using ContiguityBound = std::array<std::int64_t, kMaxAxes>;

inline constexpr std::int64_t kNoBound = std::int64_t{1} << 40;

/// Elements of an aligned group for which a compiler knows the mask to be alike, per site.
std::vector<ContiguityBound> mask_bounds(const kernel::KernelProgram& program,
                                         const config::Launch& launch);

/// One for each site of the program.
std::vector<ContiguityBound> contiguity_bounds(const kernel::KernelProgram& program,
                                               const config::Launch& launch);

}  // namespace heddle::trace
