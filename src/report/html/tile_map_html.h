// A tile map as HTML: the plane of tiles in colours, with a slider over the launch.
//
// Rules
//   1. Colours are dies where there are several, otherwise the launch order in eight steps.
//   2. The picture is whole without the script; the script adds the slider, other colours (launch
//      order, L2 misses, each of their causes, time), and what is under the pointer or the keyboard's cursor.
//   3. A die that computes only some tiles of a cell has a paler colour there.
//   4. Several tiles a cell: a close-up of the first tiles stands below, a cell a tile.
#pragma once

#include <string>

#include "report/document.h"

namespace heddle::report {

/// `id` is unique on the page.
std::string tile_map_html(const TileMap& map, const std::string& id);

}  // namespace heddle::report
