#include "order/tile_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "order/evaluate.h"
#include "order/space_range.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::order {

Space tile_space(const Grid& grid, const std::string& tiles, const Bindings& bindings,
                 const std::string& column) {
  if (tiles.empty()) return {grid, std::nullopt};
  const char* sample = column.starts_with("--") ? "write --tiles 48x36" : "write 48x36";
  if (tiles.find("..") != std::string::npos)
    throw Error(fmt::format("{} takes one tile space here, not a range", column), sample);
  const Space space = SpaceRange(grid.text(), tiles, bindings).first();
  if (space.tile_count() != space.block_count())
    throw Error(fmt::format("{} {} has {} tiles, the kernel's grid {} has {}", column,
                            space.tiles->text(), with_separators(space.tile_count()), grid.text(),
                            with_separators(space.block_count())),
                fmt::format("give as many tiles as the kernel has, or leave {} {}", column,
                            column.starts_with("--") ? "out" : "empty"));
  return space;
}

Map tile_map(const Order& order, const Space& space, const Bindings& bindings) {
  Map map = materialize(order, space, bindings);
  for (std::int64_t& tile : map) {
    if (tile >= space.tile_count()) tile = kOutside;
  }
  return map;
}

std::string idle_note(const Map& map) {
  const auto count = [&](std::int64_t slot) { return std::ranges::count(map, slot); };
  std::vector<std::string> idle;
  if (const auto outside = count(kOutside); outside > 0)
    idle.push_back(fmt::format("{} with a tile outside the grid", count_of(outside, "block")));
  if (const auto failed = count(kFailed); failed > 0)
    idle.push_back(fmt::format("{} with arithmetic that fails", count_of(failed, "block")));
  return idle.empty() ? "" : fmt::format("simulated as idle: {}", fmt::join(idle, ", "));
}

}  // namespace heddle::order
