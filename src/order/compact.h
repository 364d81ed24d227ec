// The compact form: families by name, joined by '|', first stage first.
//
//   xcd(8)                       each of 8 dies takes a contiguous run of tiles
//   xcd_chunk(8, 64) | group(8)  chunks of 64 per die, then bands of 8 rows
//   inverse(group(4))            a family undone
//   digits(a die=8 -> die a)     the digits of the id in another arrangement (digits.h)
//
// Rules
//   1. The launch id enters on the left; what leaves on the right is the tile.
//   2. Between stages the tile is a linear id; walks read it as row and column of the tile space
//      (columns fastest). In a 3-D space walks act on each plane of the slowest axis.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "order/order.h"
#include "order/syntax.h"

namespace heddle::order {

/// True if the text begins like the compact form: a family's name and then '(', '|' or the end.
bool looks_compact(std::string_view text);

/// Throws Error on unknown families (with the list), missing or bad parameters.
Order read_compact(std::string_view text);

/// The stages as a syntax tree over p0.., g0.., t0.., ready to be lowered.
Module stages_module(const std::vector<Stage>& stages, const Shape& shape);
/// The names it gives the tile index, axis 0 first: "tile", "tile_x, tile_y", "tile_row, tile_col",
/// ...
std::vector<std::string> stages_results(const Shape& shape);

}  // namespace heddle::order
