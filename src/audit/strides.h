// Numbers that index code moves tiles by, whatever its lines look like.
//
//   pid * 32 - pid * 13      tiles of neighbouring blocks lie 19 apart, modulo the number of tiles
//
// With 19 tiles all blocks do the first one: such numbers of tiles have to be tried.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "support/grid.h"

namespace heddle::audit {

/// Of blocks that are neighbours along a long axis of the launch, the distances of their tiles
/// along each axis of the tile box that an eighth of them have, but for small and for large ones.
void add_strides(const std::vector<std::int64_t>& tile_of, const Grid& launch, const Grid& box,
                 std::set<std::int64_t>& strides);

}  // namespace heddle::audit
