// Verdicts on an order, as plain data.
//
// Sample (an XCD remap that forgets the remainder, 9 blocks):
//   verdict REFUTED, tiles 9, distinct 8, out of grid 0
//   counterexample: launch ids 1 and 8 both compute tile 1
//
// Rules
//   1. There are three verdicts and no fourth; UNKNOWN always carries its reason.
//   2. A verdict speaks of the range of grids that stands beside it, and of nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/error.h"
#include "support/grid.h"

namespace heddle {

enum class Verdict { proved, refuted, unknown };

/// "PROVED", "REFUTED" or "UNKNOWN".
std::string verdict_text(Verdict verdict);

/// Why an order is not a permutation, shown on one grid.
struct Counterexample {
  enum class Kind {
    collision,   ///< two launch ids compute one tile
    outside,     ///< a launch id leaves the tile space
    missing,     ///< no launch id computes the tile
    arithmetic,  ///< overflow, division by zero or a bad shift at a launch id
  };
  Kind kind = Kind::collision;
  std::vector<std::int64_t> grid;   ///< the launch grid it happens on
  std::optional<LaunchId> first;    ///< the launch id (the lower one of a collision)
  std::optional<LaunchId> second;   ///< collision: the higher one
  std::optional<TileId> tile;       ///< the tile in question
  std::vector<std::int64_t> index;  ///< outside: the index that was computed
  std::string message;              ///< one sentence, ready to print
};

/// "collision", "outside", "missing", "arithmetic".
std::string kind_text(Counterexample::Kind kind);

/// What an order does on one grid, counted exactly.
struct GridReport {
  Verdict verdict = Verdict::unknown;
  std::string reason;  ///< UNKNOWN: why
  std::vector<std::int64_t> grid;
  std::vector<std::int64_t> tile_space;
  std::int64_t launched = 0;        ///< blocks launched
  std::int64_t idle = 0;            ///< blocks that do nothing
  std::int64_t tiles = 0;           ///< tiles there are
  std::int64_t distinct_tiles = 0;  ///< tiles computed at least once
  std::int64_t out_of_grid = 0;     ///< blocks whose tile does not exist
  std::int64_t failed = 0;          ///< blocks whose arithmetic fails
  bool counted = true;              ///< false: a probe of a large grid; the counts mean nothing
  bool identity = false;            ///< launch id t computes tile t, always
  bool wraps_unsigned = false;      ///< an unsigned operation wrapped (as C defines it)
  bool negative_division = false;   ///< a division saw a negative operand
  bool beyond_int32 = false;        ///< a value needed more than int32 (or wrapped)
  std::vector<std::int64_t> blocks_per_die;
  std::optional<Counterexample> counterexample;
  std::vector<std::string> notes;  ///< how the order was read
};

/// What an order does on a range of grids.
struct RangeReport {
  Verdict verdict = Verdict::unknown;
  std::string reason;
  std::string range;  ///< "grids 1..4096", "tiles 1..19x1..19"
  std::int64_t grids_checked = 0;
  std::vector<std::vector<std::int64_t>> failing_sizes;  ///< each the extents of one grid
  bool identity = false;                                 ///< on every grid of the range
  std::optional<GridReport> smallest_failure;
  std::vector<std::string> notes;
  bool negative_division = false;
  bool beyond_int32 = false;
};

/// What is known for every grid under 2^31 blocks.
struct AllSizesReport {
  Verdict verdict = Verdict::unknown;
  std::string method;  ///< "by construction", "by Z3", "by counterexample"
  bool plain = false;  ///< proved besides: all values fit int32, no dividend is negative
  std::string reason;
  std::vector<std::string> argument;  ///< by construction: one line a step
  std::string checked_range;          ///< what was tried exhaustively besides
  std::optional<GridReport> failure;
  std::vector<std::string> notes;
};

/// The largest share of a die over the mean: 1 is balanced.
double imbalance(const std::vector<std::int64_t>& blocks_per_die);

}  // namespace heddle
