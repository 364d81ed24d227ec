// A run of tiles as cells of a plane: what a tile map draws.
//
//   tiles 256 x 256                  128 x 128 cells of 2 x 2 tiles, and a close-up of 64 x 64
//   4096 tiles in a line             64 lines of 64
//
// Rules
//   1. The last axis runs to the right; all others run down. A line of tiles is wrapped.
//   2. At most kMostCells cells a side: beyond it, a cell is several tiles.
//   3. A cell of several tiles has the die that computes most of them, and that die's share; where
//      two dies compute as many, they are mixed.
//   4. Time and memory are linear in the turns.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "results/tile_run.h"

namespace heddle::report {

struct TileCell {
  std::int64_t tiles = 0;        ///< of the space
  std::int64_t runs = 0;         ///< turns that compute one of them
  std::int64_t computed = 0;     ///< tiles that at least one turn computes
  std::int64_t first_turn = -1;  ///< -1: nothing computes it
  int die = -1;                  ///< -1: mixed, or none
  double die_share = 1;          ///< of its runs
  double start_us = 0, end_us = 0;
  double l2_misses = 0;
  std::array<double, TileRun::kCauses> causes = {};  ///< of those
  bool is_replayed = false;

  bool is_repeated() const { return runs > computed; }
  bool is_missed() const { return computed < tiles; }
};

struct TilePlane {
  std::int64_t rows = 0, columns = 0;            ///< of all tiles
  std::int64_t cell_rows = 0, cell_columns = 0;  ///< that are drawn
  std::int64_t row_tiles = 1, column_tiles = 1;  ///< of a cell
  bool is_wrapped = false;                       ///< a line of tiles
  std::vector<TileCell> cells;                   ///< row by row

  bool is_aggregated() const { return row_tiles > 1 || column_tiles > 1; }
  std::size_t cell_of(std::int64_t tile) const {
    return static_cast<std::size_t>(tile / columns / row_tiles * cell_columns +
                                    tile % columns / column_tiles);
  }
};

inline constexpr std::int64_t kMostCells = 128;
inline constexpr std::int64_t kCloseUp = 64;

/// Nothing has cells where there are no tiles.
TilePlane tile_plane(const TileRun& run);
/// The first rows and columns, a cell a tile; others are left out.
TilePlane close_up(const TileRun& run);

}  // namespace heddle::report
