// An order on the grid of a kernel: which tile each block runs, whether or not that is a
// permutation.
//
//   const Space space = tile_space(Grid({1728}), "48x36", {}, "--tiles");
//   const Map map = tile_map(order, space, {});
//   idle_note(map)         "simulated as idle: 3 blocks with a tile outside the grid"
//
// Rules
//   1. A tile space has as many tiles as the grid has blocks: the kernel's work does not change.
//   2. Tiles that do not exist are kOutside: such a block runs, and does nothing.
#pragma once

#include <string>

#include "order/bindings.h"
#include "order/order.h"
#include "order/space.h"

namespace heddle::order {

/// The launch grid with a tile space, as --tiles gives it, or none. Errors speak of `column`:
/// "--tiles", "tiles". Throws Error by rule 1.
Space tile_space(const Grid& grid, const std::string& tiles, const Bindings& bindings,
                 const std::string& column);

/// The tile of each launch id.
Map tile_map(const Order& order, const Space& space, const Bindings& bindings);

/// What wrong blocks do; empty where no block is idle for being wrong.
std::string idle_note(const Map& map);

}  // namespace heddle::order
