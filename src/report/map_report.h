// Draws a map: which launch id computes each tile.
//
//   launch id of each tile (xcd(3) on 8 blocks)
//        0  3  6  1  4  7  2  5      one line for 1-D spaces, a plane for 2-D ones
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::report {

/// `map[launch id]` is a tile or negative. `row_major` as the tile space of --tiles; otherwise
/// axis 0 runs to the right. Spaces of more than 64 columns or 64 rows are not drawn.
std::string map_text(const std::vector<std::int64_t>& map,
                     const std::vector<std::int64_t>& tile_space, bool row_major);

}  // namespace heddle::report
