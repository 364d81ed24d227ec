// A launch in outline: the few lines of each tile that stand for all of them, and what an order
// makes of them. Thousands of orders a second, to be told apart before any of them is replayed.
//
//   a GEMM of an H200's table, 1 of 256 lines: 35,317 touches
//   order        misses    index operations
//   identity      3,790                   0
//   group(16)     3,421                  70
//   xcd(31)       5,357                 101
//
// Rules
//   1. A line is in or out for all tiles, by a hash; caches hold as many lines fewer. What a tile
//      asks for again before its L1 could lose it counts once.
//   2. Tiles start one after the other where a place is free, run as long as they have requests, and
//      touch their lines in the order of their program, kPhases steps a tile. Where tiles are about
//      as long as one another, as many as there is room for start and end together: a wave.
//   3. A line stays in a cache until as many others have come in as the cache holds. Dies have an
//      L2 each; the last level and the memory are of all. What is touched once by one tile misses in
//      any order, and is only counted.
//   4. All blocks are there, whatever their number: nothing is a part of the launch.
//   5. The same sketch and map give the same figures; several threads may run one each.
//
// Does not model: sets, channels, queues, sectors, and time: see `SketchTime`.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "config/gpu.h"
#include "order/order.h"
#include "results/simulation.h"
#include "sim/tile_trace.h"

namespace heddle::sim {

/// What an order makes of the touches of a sketch.
struct SketchFigures {
  std::int64_t touches = 0;      ///< that asked an L2
  std::int64_t misses = 0;       ///< of those, past the L2s
  std::int64_t last_misses = 0;  ///< past the last level; where there is none, as `misses`
  double span = 0;               ///< when the last tile ends, in requests
};

class SketchBuilder;

class Sketch {
 public:
  static constexpr int kPhases = 32;
  static constexpr std::int64_t kMostTiles = std::int64_t{1} << 19;

  /// `map[turn]` is the tile; `blocks` as SimOptions has it.
  SketchFigures run(const order::Map& map, std::int64_t blocks) const;

  std::int64_t touches() const { return touches_; }
  std::int64_t factor() const { return factor_; }  ///< lines that one stands for
  /// What an operation that all blocks execute before they know their tile adds to the time.
  double us_of_operation() const { return us_of_operation_; }

 private:
  friend class SketchBuilder;
  struct Scratch;
  class Caches;
  double schedule(const order::Map& map, std::int64_t blocks, Scratch& scratch) const;
  bool is_in_waves(const order::Map& map, std::int64_t blocks) const;
  SketchFigures run_in_time(const order::Map& map, std::int64_t blocks, Scratch& scratch) const;
  SketchFigures run_in_waves(const order::Map& map, Scratch& scratch) const;

  /// Touches that a die is to make.
  struct Due {
    std::uint32_t first = 0;
    std::uint16_t count = 0;
    std::uint16_t alone = 0;
    std::uint16_t die = 0;
  };
  /// Touches of one tile in one phase.
  struct Group {
    std::uint32_t first = 0;
    std::uint16_t count = 0;  ///< of lines that are touched elsewhere, too
    std::uint16_t alone = 0;  ///< of lines that are touched here only
    std::uint16_t phase = 0;

    Due due(std::uint16_t its_die) const { return {first, count, alone, its_die}; }
  };

  std::vector<std::uint32_t> lines_;         ///< numbered from 0, group by group
  std::vector<Group> groups_;                ///< tile by tile
  std::vector<std::uint32_t> first_groups_;  ///< of each tile; one more than there are tiles
  std::size_t groups_of_phase_ = 0;          ///< of one tile in one phase, at most
  std::vector<float> lengths_;               ///< of each tile, in requests
  double mean_length_ = 1;
  bool is_even_ = true;  ///< tiles are about as long as one another
  std::int64_t factor_ = 1;
  double us_of_operation_ = 0;
  std::int64_t touches_ = 0;
  std::uint32_t distinct_ = 0;  ///< lines that are touched more than once
  std::int64_t dies_ = 1;
  std::int64_t places_ = 1;  ///< for blocks, of a die
  std::int64_t l2_lines_ = 1;
  std::int64_t last_lines_ = 0;  ///< 0: no last level
};

/// The predicted time of orders from their figures, given the replay of one of them.
class SketchTime {
 public:
  /// `known` is a replay of the order with the figures `of`.
  SketchTime(const SimResult& known, const SketchFigures& of, double us_of_operation)
      : of_(of), us_of_operation_(us_of_operation), known_(known) {}

  /// `operations` as SimOptions::index_operations; the known order has none.
  double time_us(const SketchFigures& figures, int operations) const;

 private:
  SketchFigures of_;
  double us_of_operation_;
  const SimResult& known_;
};

class SketchBuilder {
 public:
  /// `requests` of all tiles, about; `blocks_of_unit` share an L1.
  SketchBuilder(const config::Gpu& gpu, std::int64_t requests, int blocks_of_unit);
  /// Of the next tile.
  void add(const TileTrace& tile);
  /// `cycles_of_operation`: of a compute unit, for a block that starts.
  Sketch finish(double cycles_of_operation);

 private:
  /// A line that is in the sketch.
  struct Known {
    std::uint32_t number = 0;
    std::uint32_t tile = 0;  ///< that touched it last
    std::int64_t at = 0;     ///< its request
  };
  struct Touch {
    std::uint32_t number = 0;
    std::int64_t at = 0;
  };
  void touch(std::uint32_t line, std::int64_t at);
  void close_tile(std::int64_t requests);
  void set_apart_lone_lines();

  Sketch sketch_;
  double units_per_us_ = 1;  ///< compute units times clock
  int shift_ = 0;            ///< lines of the first cache in one of the L2, as a power of two
  std::int64_t window_ = 1;  ///< requests after which an L1 may have lost a line
  std::uint32_t mask_ = 0;
  std::uint32_t skipped_ = 1;  ///< of a loop, one in so many rounds is looked at
  std::unordered_map<std::uint32_t, Known> known_;
  std::vector<Touch> tile_;  ///< of the tile that is added
};

}  // namespace heddle::sim
