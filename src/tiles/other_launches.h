// Launches of the same kernel on other sizes, with their tile spaces: what is an extent of the
// tiles on one size only is found by another.
//
//   other_launches("gemm.toml", {}, space)
//     M = 340 -> 170: tiles 6 x 7;  N = 200 -> 100: tiles 11 x 4;  ...
//
// Rules
//   1. Numbers of the job are changed one at a time, to twice as much or, where there are many
//      tiles, to half of it.
//   2. Only launches count whose coordinates are the same variables: with other extents, or with
//      another number that the kernel is compiled with, so that no knob passes for an extent.
#pragma once

#include <string>
#include <vector>

#include "config/launch.h"
#include "results/tile_space.h"

namespace heddle::tiles {

struct OtherLaunch {
  config::Launch launch;
  std::vector<std::int64_t> extents;  ///< as the coordinates of the space
};

inline constexpr std::size_t kMostOtherLaunches = 12;

std::vector<OtherLaunch> other_launches(const std::string& job_path,
                                        const std::vector<std::string>& overrides,
                                        const TileSpace& space);

}  // namespace heddle::tiles
