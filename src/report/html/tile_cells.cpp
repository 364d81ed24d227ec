#include "report/html/tile_cells.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace heddle::report {
namespace {

/// Rows and columns of the plane.
TilePlane plane_of(const TileRun& run) {
  TilePlane plane;
  const std::int64_t count = run.tile_count();
  plane.columns = run.axes.empty() ? 1 : run.axes.back().extent;
  plane.rows = plane.columns > 0 ? count / plane.columns : 0;
  if (count > 0 && (plane.rows == 1 || plane.columns == 1)) {
    plane.is_wrapped = count > kCloseUp;
    const auto side =
        std::bit_ceil(static_cast<std::uint64_t>(std::sqrt(static_cast<double>(count))));
    plane.columns = plane.is_wrapped ? static_cast<std::int64_t>(side) : count;
    plane.rows = (count + plane.columns - 1) / plane.columns;
  }
  return plane;
}

/// How often each die computes tiles of a cell.
class DieCounts {
 public:
  DieCounts(std::size_t cells, int dies) : dies_(static_cast<std::size_t>(dies)) {
    if (cells * dies_ <= kMost) counts_.resize(cells * dies_);
  }
  void add(std::size_t cell, int die) {
    if (!counts_.empty()) ++counts_[cell * dies_ + static_cast<std::size_t>(die)];
  }
  /// The die with most of its runs, if there is one.
  void find_die(std::size_t at, TileCell& cell) const {
    if (counts_.empty()) return;
    const auto begin = counts_.begin() + static_cast<std::ptrdiff_t>(at * dies_);
    const auto end = begin + static_cast<std::ptrdiff_t>(dies_);
    const auto most = std::max_element(begin, end);
    if (std::count(begin, end, *most) > 1) return;
    cell.die = static_cast<int>(most - begin);
    cell.die_share = static_cast<double>(*most) / static_cast<double>(cell.runs);
  }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 22;
  std::size_t dies_;
  std::vector<std::uint32_t> counts_;
};

void add_turn(const TileRun& run, std::size_t turn, bool is_first, TileCell& cell) {
  ++cell.runs;
  if (is_first) ++cell.computed;
  if (cell.first_turn < 0) cell.first_turn = static_cast<std::int64_t>(turn);
  if (turn >= run.turns.size()) return;
  const TileRun::Turn& seen = run.turns[turn];
  cell.start_us = cell.is_replayed ? std::min<double>(cell.start_us, seen.start_us) : seen.start_us;
  cell.end_us = std::max<double>(cell.end_us, seen.end_us);
  cell.l2_misses += seen.l2_misses;
  for (std::size_t cause = 0; cause < TileRun::kCauses && !run.causes.empty(); ++cause)
    cell.causes[cause] += run.causes[turn][cause];
  cell.is_replayed = true;
}

/// `inside`: whether a tile is drawn, and in which cell.
template <class CellOf>
void fill(const TileRun& run, TilePlane& plane, CellOf cell_of) {
  plane.cells.assign(static_cast<std::size_t>(plane.cell_rows * plane.cell_columns), {});
  const std::int64_t tiles = run.tile_count();
  for (std::int64_t tile = 0; tile < tiles; ++tile)
    if (const auto cell = cell_of(tile)) ++plane.cells[*cell].tiles;
  DieCounts dies(plane.cells.size(), run.dies);
  std::vector<bool> is_seen(static_cast<std::size_t>(tiles));
  for (std::size_t turn = 0; turn < run.tiles.size(); ++turn) {
    const std::int64_t tile = run.tiles[turn];
    if (tile < 0 || tile >= tiles) continue;
    const auto cell = cell_of(tile);
    if (!cell) continue;
    const auto at = static_cast<std::size_t>(tile);
    add_turn(run, turn, !is_seen[at], plane.cells[*cell]);
    is_seen[at] = true;
    dies.add(*cell, run.die_of(static_cast<std::int64_t>(turn)));
  }
  for (std::size_t at = 0; at < plane.cells.size(); ++at) {
    TileCell& cell = plane.cells[at];
    if (cell.runs == 1) cell.die = run.die_of(cell.first_turn);
    if (cell.runs > 1) dies.find_die(at, cell);
  }
}

}  // namespace

TilePlane tile_plane(const TileRun& run) {
  TilePlane plane = plane_of(run);
  if (run.tile_count() <= 0) return plane;
  plane.row_tiles = (plane.rows + kMostCells - 1) / kMostCells;
  plane.column_tiles = (plane.columns + kMostCells - 1) / kMostCells;
  plane.cell_rows = (plane.rows + plane.row_tiles - 1) / plane.row_tiles;
  plane.cell_columns = (plane.columns + plane.column_tiles - 1) / plane.column_tiles;
  fill(run, plane,
       [&](std::int64_t tile) { return std::optional<std::size_t>(plane.cell_of(tile)); });
  return plane;
}

TilePlane close_up(const TileRun& run) {
  TilePlane plane = plane_of(run);
  if (run.tile_count() <= 0) return plane;
  plane.cell_rows = std::min(plane.rows, kCloseUp);
  plane.cell_columns = std::min(plane.columns, kCloseUp);
  fill(run, plane, [&](std::int64_t tile) -> std::optional<std::size_t> {
    const std::int64_t row = tile / plane.columns;
    const std::int64_t column = tile % plane.columns;
    if (row >= plane.cell_rows || column >= plane.cell_columns) return std::nullopt;
    return static_cast<std::size_t>(row * plane.cell_columns + column);
  });
  return plane;
}

}  // namespace heddle::report
