// How much of what a tile touches its neighbours touch as well.
//
//   axis 1, distance 1: 50 %     of the lines that this access touches in a tile, half are touched by
//                                the tile next to it along axis 1 (by any access to the tensor)
//
// Rules
//   1. Measured on a few tiles spread over the grid, against the neighbours on both sides at
//      distance 1, 2, 4, ... along every axis.
//   2. Axes are those of the launch grid, or of a box of tiles that its blocks do.
//   3. The number of tiles follows from the work allowed; where not even one fits, nothing is said.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/access_table.h"
#include "trace/tracer.h"

namespace heddle::trace {

/// Tiles that have axes of their own.
struct TileBox {
  std::vector<std::string> names;      ///< of the axes
  std::vector<std::int64_t> extents;   ///< slowest first
  std::vector<std::int64_t> block_of;  ///< the block that does each tile
};

struct NeighbourOptions {
  int most_samples = 12;
  std::int64_t most_work = 40'000'000;  ///< memory instructions and runs
  int line_bytes = 128;
  const TileBox* box = nullptr;                     ///< nothing: the launch grid
  std::int64_t set_bytes = std::int64_t{96} << 20;  ///< memory for sets of lines
};

struct NeighbourResult {
  std::int64_t samples = 0;                         ///< tiles looked at; 0: nothing was measured
  std::vector<std::vector<NeighbourShare>> shares;  ///< per entry of the table
};

/// `work_per_tile` is that of an average tile, as the table counts it.
NeighbourResult find_neighbour_shares(Tracer& tracer, const config::Launch& launch,
                                      AccessTable& table, double work_per_tile,
                                      const NeighbourOptions& options);

/// `count` different tiles spread over the grid, ascending; all of them if there are no more.
std::vector<std::int64_t> spread_tiles(std::int64_t tiles, std::int64_t count);

}  // namespace heddle::trace
