// Which of a kernel's anchors show its tiles, and what they show.
//
//   if pid_m == 0: ... tl.store(c, ...)       one anchor: row 0 of the tiles
//   else: ... tl.store(c, ...)                another: the other rows
//   found.anchors                             both
//
// Rules
//   1. Every block that gets to a store has a tile: anchors are joined until all such blocks are in.
//      Only a block that gets to none is idle.
//   2. A tile is of one block. Where another anchor shows a tile of another block, the kernel is
//      refused: stream-K. Where it shows one more tile, the anchor is joined.
//   3. Where blocks come back to their tiles in another loop, by another anchor, each time is a turn.
//   4. Of several answers the one with the most tiles counts, the first of equals.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/index_probe.h"
#include "tiles/coordinates.h"
#include "tiles/shown.h"

namespace heddle::tiles {

struct Showing {
  std::vector<std::size_t> anchors;
  ShownRows shown;           ///< at all of them
  Coordinates coordinates;   ///< with a refusal, where there are none
  std::int64_t working = 0;  ///< blocks that get to a store

  bool is_found() const { return coordinates.refusal.empty(); }
};

/// Throws Error where a block cannot be run.
Showing find_showing(const kernel::IndexProbe& probe);

}  // namespace heddle::tiles
