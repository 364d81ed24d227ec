// In which order the blocks of a launch walk their tiles.
//
// Rules
//   1. Axes are put in the order in which the walk has the simplest name: row by row where one has
//      that, else as the kernel's addresses have them.
//   2. Of a persistent kernel turns are counted round by round, then block after block, then round
//      by round with blocks in an order of their own; the first that has a name is taken.
//   3. A launch on several axes may stride along the first of them, for each tile of the others.
//   4. Families with dies, xcd(n), are named where the index code divides by n. Where no name is
//      found so, any number will do.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "results/tile_space.h"
#include "tiles/coordinates.h"

namespace heddle::tiles {

/// Fills all of a space but its refusal and knobs. `given` are numbers that the kernel is compiled
/// with; without them no name is looked for, and blocks that do several tiles do them in any way.
TileSpace find_walk(const kernel::IndexProbe& probe, const ShownRows& shown,
                    const Coordinates& coordinates,
                    const std::optional<std::vector<std::int64_t>>& given);

}  // namespace heddle::tiles
