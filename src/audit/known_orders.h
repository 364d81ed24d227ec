// The name of an order that gives a map, where a family with small parameters does.
//
//   known_order({0, 4, 1, 5, 2, 6, 3, 7}, 8)   ""        known_order({0, 4, 8, 1, ...}, 12)
//   "xcd(3)"
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/grid.h"

namespace heddle::audit {

/// Empty where none does: that means nothing.
std::string known_order(const std::vector<std::int64_t>& tile_of, const Grid& grid);

}  // namespace heddle::audit
