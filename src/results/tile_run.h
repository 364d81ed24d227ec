// Which tile each turn of a launch computed, where and when: what a tile map is drawn from.
//
//   turn   tile   die   start     end      L2 misses
//      0      0     0    1.2 us   9.8 us   64
//      1    256     1    1.2 us   9.9 us   64
//
// Rules
//   1. A turn is a launch id. Of a persistent launch, block b has the turns b, b + blocks, ...
//   2. Tiles are numbered row by row, the last axis fastest; a negative one is none.
//   3. Times and misses are there for the turns that were replayed: of a sample, the first ones.
//      Times are those of the replay; misses are scaled up where sets were sampled.
//   4. Causes of misses are there where the replay looked for them (--why).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

struct TileRun {
  struct Axis {
    std::string name;  ///< "axis 0", "pid_m"
    std::int64_t extent = 1;
  };
  /// What the replay saw of a turn.
  struct Turn {
    float start_us = 0;
    float end_us = 0;
    float l2_misses = 0;
  };

  static constexpr std::size_t kCauses = 4;

  std::vector<Axis> axes;           ///< slowest first
  std::vector<std::int64_t> tiles;  ///< per turn
  std::vector<Turn> turns;          ///< may be fewer; empty: nothing was replayed
  /// Misses of each turn in `turns` by cause, in the order of MissCauses; empty: not looked for.
  std::vector<std::array<float, kCauses>> causes = {};
  std::int64_t blocks = 0;  ///< of a persistent launch; 0: one per turn
  int dies = 1;             ///< launch id p runs on die p mod dies

  std::int64_t tile_count() const {
    std::int64_t count = 1;
    for (const Axis& axis : axes) count *= axis.extent;
    return count;
  }
  int die_of(std::int64_t turn) const {
    return static_cast<int>((blocks > 0 ? turn % blocks : turn) % dies);
  }
};

/// Launches of more turns are not recorded.
inline constexpr std::int64_t kMostRecordedTurns = std::int64_t{1} << 24;
/// Of more turns, causes are not recorded.
inline constexpr std::size_t kMostTurnCauses = std::size_t{1} << 22;

/// The axes of a launch grid, whose first axis is fastest.
std::vector<TileRun::Axis> launch_axes(const std::vector<std::int64_t>& grid);
/// The axes of a space whose tiles are counted row by row, as --tiles has it.
std::vector<TileRun::Axis> row_axes(const std::vector<std::int64_t>& extents);

}  // namespace heddle
