// Where an order lives: the grid it is launched on and the tiles there are to compute.
//
// Without --tiles the tile space is the launch grid, x fastest like launch ids:
//   grid 3x2, index (2, 1)     -> tile 2 + 1*3 = 5
// With --tiles a launch of any shape yields a row and a column (row-major):
//   tiles 48x36, index (2, 1)  -> tile 2*36 + 1 = 73
//
// Rules
//   1. A single index is a linear tile id.
//   2. An index outside the space has no tile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/grid.h"

namespace heddle::order {

struct Space {
  Grid launch{{1}};
  std::optional<Grid> tiles;  ///< as written: rows first

  const Grid& tile_grid() const { return tiles ? *tiles : launch; }
  std::int64_t tile_count() const { return tile_grid().count(); }
  std::int64_t block_count() const { return launch.count(); }
  int tile_axes() const { return tile_grid().axes(); }

  /// The tile at an index of tile_axes() numbers, if it is inside.
  std::optional<TileId> tile_at(const std::vector<std::int64_t>& index) const;
  /// The index of a tile, axis 0 first.
  std::vector<std::int64_t> index_of(TileId tile) const;
  /// The tiles as a grid whose first axis is fastest: tile ids are launch ids of it.
  Grid columns_first() const;
  /// How much one step along an axis adds to the tile id.
  std::int64_t stride(int axis) const;
};

}  // namespace heddle::order
