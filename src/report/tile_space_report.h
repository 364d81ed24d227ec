// A kernel's tile space in a line, and as JSON.
//
//   64 x 32 (pid_m x pid_n), group(8) with GROUP_SIZE_M = 8
//   none found: pid_m is loaded from schedule
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "results/tile_space.h"

namespace heddle::report {

/// Maps of more tiles are left out of the JSON.
inline constexpr std::int64_t kMostTilesListed = 4096;

std::string tile_space_text(const TileSpace& space);
nlohmann::json tile_space_json(const TileSpace& space, bool has_map = true);

}  // namespace heddle::report
