// The tile space of a kernel: what its index code makes of the launch.
//
//   const TileSpace space = find_tile_space(program, launch);
//   space.box_text()         "64 x 32 (pid_m x pid_n)"
//   space.order_text()       "group(8)"
//   space.refusal            "pid_m is loaded from schedule", where there is none
//
// Rules
//   1. Every block of the launch is looked at; a name holds for all of them.
//   2. Nothing is guessed: a kernel that cannot be read has a refusal.
#pragma once

#include <string>
#include <vector>

#include "config/launch.h"
#include "kernel/index_probe.h"
#include "kernel/program.h"
#include "kernel/source.h"
#include "results/tile_space.h"
#include "tiles/coordinates.h"

namespace heddle::tiles {

/// Blocks of a launch that is looked at, at most.
inline constexpr std::int64_t kMostBlocks = 1 << 17;
inline bool is_looked_at(const config::Launch& launch) {
  return launch.grid.count() <= kMostBlocks;
}

/// A space with what it was found from. Where it is refused, the rest means nothing.
struct Lifted {
  TileSpace space;
  kernel::IndexProbe probe;
  std::vector<std::size_t> anchors;  ///< that show the tiles
  bool all_blocks = false;           ///< the probe's
  Coordinates coordinates;
  ShownRows shown;  ///< at the anchors
};

/// `program` is whole, not yet reduced. Throws nothing.
Lifted lift(const kernel::KernelProgram& program, const config::Launch& launch);
TileSpace find_tile_space(const kernel::KernelProgram& program, const config::Launch& launch);

/// The same without a name for the order, which takes longer to find than all else: coordinates,
/// extents and the tiles of each block. Blocks that do several are `Walk::several`.
Lifted lift_box(const kernel::KernelProgram& program, const config::Launch& launch);
TileSpace find_tile_box(const kernel::KernelProgram& program, const config::Launch& launch);

/// With its knobs.
TileSpace find_tile_space(const std::string& job_path, const std::vector<std::string>& overrides,
                          const kernel::LoadedKernel& loaded);

}  // namespace heddle::tiles
