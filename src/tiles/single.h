// A persistent kernel launched so that every block does one tile.
//
//   grid 132, NUM_SMS = 132, 2048 tiles      ==>      grid 2048, NUM_SMS = 2048; else 2112
//
// Rules
//   1. The grid gets as many blocks as there are tiles, or the next multiple of its own; so do numbers
//      of the launch that are the number of its blocks, as many of them as are needed.
//   2. Every block of the new launch was looked at: it does one tile, of the same coordinates, or none
//      where there are more blocks than tiles.
#pragma once

#include <optional>

#include "config/launch.h"
#include "kernel/source.h"
#include "results/tile_space.h"

namespace heddle::tiles {

struct SingleLaunch {
  config::Launch launch;
  TileSpace space;  ///< of that launch
};

/// `space` is that of `launch`, in which blocks do several tiles. Nothing if there is none.
std::optional<SingleLaunch> single_launch(kernel::Source& source, const config::Launch& launch,
                                          const TileSpace& space);

/// Whether blocks do several tiles, and all of them together each tile of the box once.
bool is_persistent(const TileSpace& space);

}  // namespace heddle::tiles
