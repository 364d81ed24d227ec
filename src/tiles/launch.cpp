#include "tiles/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "order/compact.h"
#include "order/evaluate.h"
#include "support/error.h"
#include "support/text.h"
#include "tiles/find.h"

namespace heddle::tiles {
namespace {

using Loaded = std::shared_ptr<const kernel::LoadedKernel>;

constexpr std::size_t kMostAxes = 3;

/// The kernel's blocks take their launch index for their tile: every axis is a coordinate.
bool is_launch_grid(const TileSpace& space, const Grid& grid) {
  if (!space.is_plain() || space.idle_blocks() > 0) return false;
  std::vector<std::int64_t> box;
  for (const TileCoordinate& one : space.coordinates)
    if (one.extent > 1) box.push_back(one.extent);
  std::vector<std::int64_t> launch;
  for (const std::int64_t extent : grid.extents())
    if (extent > 1) launch.push_back(extent);
  std::reverse(launch.begin(), launch.end());
  return box == launch;
}

/// Rule 2.
std::vector<TileAxis> axes_of(const TileSpace& space) {
  std::vector<TileAxis> axes;
  for (std::size_t i = 0; i < space.coordinates.size(); ++i) {
    TileAxis axis{{i}, space.coordinates[i].extent};
    const bool is_inner = !space.inner.empty() && space.coordinates[i].name == space.inner;
    axes.insert(is_inner ? axes.begin() : axes.end(), std::move(axis));
  }
  while (axes.size() > kMostAxes) {
    TileAxis& first = axes[0];
    const TileAxis& second = axes[1];
    first.coordinates.insert(first.coordinates.end(), second.coordinates.begin(),
                             second.coordinates.end());
    first.extent *= second.extent;
    axes.erase(axes.begin() + 1);
  }
  return axes;
}

/// Tiles of the space, numbered as in its box, as tiles of the orders' box.
class Renumbering {
 public:
  Renumbering(const TileSpace& space, const std::vector<TileAxis>& axes) {
    std::int64_t stride = 1;
    strides_.resize(space.coordinates.size());
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis)
      for (auto one = axis->coordinates.rbegin(); one != axis->coordinates.rend(); ++one) {
        strides_[*one] = stride;
        stride *= space.coordinates[*one].extent;
      }
    for (const TileCoordinate& one : space.coordinates) extents_.push_back(one.extent);
  }

  std::int64_t operator()(std::int64_t tile) const {
    std::int64_t result = 0;
    for (std::size_t i = extents_.size(); i-- > 0;) {
      result += tile % extents_[i] * strides_[i];
      tile /= extents_[i];
    }
    return result;
  }

 private:
  std::vector<std::int64_t> extents_;
  std::vector<std::int64_t> strides_;
};

/// Per turn: the tile of the orders' box.
order::Map own_map(const TileSpace& space, const Renumbering& renumber) {
  order::Map map;
  if (space.walk == TileSpace::Walk::strided) {
    for (std::int64_t round = 0; static_cast<std::int64_t>(map.size()) < space.count(); ++round)
      for (std::int64_t b = 0; b < space.blocks(); ++b) {
        const auto at = static_cast<std::size_t>(b);
        const std::int64_t entry = space.first[at] + round;
        if (entry < space.first[at + 1])
          map.push_back(renumber(space.tiles[static_cast<std::size_t>(entry)]));
      }
    return map;
  }
  for (const std::int64_t tile : space.tiles) map.push_back(renumber(tile));
  return map;
}

bool is_permutation(const order::Map& map) {
  return order::invert(map).has_value();
}

/// The launch of one block per tile, if there is one: `changed` get the number of tiles for a value.
std::optional<Loaded> single_launch(const kernel::LoadedKernel& loaded, const TileSpace& space,
                                    const std::vector<std::string>& changed) {
  auto single = std::make_shared<kernel::LoadedKernel>();
  single->launch = loaded.launch;
  single->launch.grid = Grid({space.count()});
  for (config::Argument& argument : single->launch.arguments)
    if (std::find(changed.begin(), changed.end(), argument.name) != changed.end())
      argument.value.data = space.count();
  try {
    single->program = kernel::Source::open(loaded.launch.kernel_path)->compile(single->launch);
  } catch (const Error&) {
    return std::nullopt;
  }
  const TileSpace found = find_tile_space(single->program, single->launch);
  const auto same = [](const TileCoordinate& a, const TileCoordinate& b) {
    return a.name == b.name && a.extent == b.extent;
  };
  const bool is_single =
      found.is_found() && found.walk == TileSpace::Walk::once && found.idle_blocks() == 0 &&
      std::is_permutation(found.coordinates.begin(), found.coordinates.end(),
                          space.coordinates.begin(), space.coordinates.end(), same);
  if (!is_single) return std::nullopt;
  return single;
}

/// The numbers that a persistent kernel may take for the number of its blocks.
std::vector<std::vector<std::string>> block_counts(const config::Launch& launch) {
  std::vector<std::string> all;
  for (const config::Argument& argument : launch.arguments)
    if (const auto* number = std::get_if<std::int64_t>(&argument.value.data))
      if (*number == launch.grid.count()) all.push_back(argument.name);
  std::vector<std::vector<std::string>> tries = {all};
  if (!all.empty()) tries.emplace_back();
  if (all.size() > 1)
    for (const std::string& name : all) tries.push_back({name});
  return tries;
}

/// Per tile of the orders' box the block that does it, in a launch of one tile per block.
order::Map blocks_of(const TileSpace& single, const Renumbering& renumber) {
  order::Map result(single.tiles.size(), -1);
  for (std::int64_t b = 0; b < single.blocks(); ++b)
    for (std::int64_t i = single.first[static_cast<std::size_t>(b)];
         i < single.first[static_cast<std::size_t>(b) + 1]; ++i)
      result[static_cast<std::size_t>(renumber(single.tiles[static_cast<std::size_t>(i)]))] = b;
  return result;
}

/// The coordinates of `space`, in the order in which `single` has them.
std::vector<TileAxis> axes_in(const TileSpace& single, const TileSpace& space,
                              std::vector<TileAxis> axes) {
  for (TileAxis& axis : axes)
    for (std::size_t& one : axis.coordinates) {
      const std::string& name = space.coordinates[one].name;
      one = static_cast<std::size_t>(
          std::find_if(single.coordinates.begin(), single.coordinates.end(),
                       [&](const TileCoordinate& other) { return other.name == name; }) -
          single.coordinates.begin());
    }
  return axes;
}

void refuse(TileLaunch& launch, std::string reason) {
  launch.is_lifted = false;
  launch.refusal = std::move(reason);
  launch.orders = {launch.single->launch.grid, std::nullopt};
  launch.axes.clear();
  launch.own.clear();
  launch.blocks = 0;
}

void lift_persistent(TileLaunch& launch, const Loaded& loaded) {
  for (const auto& changed : block_counts(loaded->launch)) {
    const auto single = single_launch(*loaded, launch.space, changed);
    if (!single) continue;
    const TileSpace found = find_tile_space((*single)->program, (*single)->launch);
    const Renumbering renumber(found, axes_in(found, launch.space, launch.axes));
    launch.single = *single;
    launch.blocks = loaded->launch.grid.count();
    launch.block_of = blocks_of(found, renumber);
    return;
  }
  refuse(launch, "its blocks cannot be launched with one tile each");
}

/// The family's name of the space, if it is one on the orders' box.
std::string own_name(const TileLaunch& launch) {
  if (launch.space.order.empty() || !launch.space.inner.empty()) return {};
  try {
    const order::Order order = order::read_compact(launch.space.order);
    if (order::materialize(order, launch.orders, {}) == launch.own) return launch.space.order;
  } catch (const Error&) {
    // The name is of a box that was put together in another way.
  }
  return {};
}

}  // namespace

order::Map TileLaunch::schedule(const order::Map& tiles) const {
  if (!is_lifted) return tiles;
  const auto block = [&](std::int64_t tile) {
    return tile < 0 ? tile : block_of[static_cast<std::size_t>(tile)];
  };
  order::Map result;
  result.reserve(tiles.size());
  if (space.walk != TileSpace::Walk::chunked) {
    for (const std::int64_t tile : tiles) result.push_back(block(tile));
    return result;
  }
  std::int64_t rounds = 0;
  for (std::int64_t b = 0; b < blocks; ++b)
    rounds = std::max(rounds, space.first[static_cast<std::size_t>(b) + 1] -
                                  space.first[static_cast<std::size_t>(b)]);
  for (std::int64_t round = 0; round < rounds; ++round)
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::int64_t turn = space.first[static_cast<std::size_t>(b)] + round;
      const bool has_turn = turn < space.first[static_cast<std::size_t>(b) + 1];
      result.push_back(has_turn ? block(tiles[static_cast<std::size_t>(turn)]) : order::kIdle);
    }
  return result;
}

TileLaunch tile_launch(Loaded loaded) {
  TileSpace space = find_tile_space(loaded->program, loaded->launch);
  return tile_launch(std::move(loaded), std::move(space));
}

TileLaunch tile_launch(Loaded loaded, TileSpace space) {
  TileLaunch launch;
  launch.space = std::move(space);
  launch.single = loaded;
  launch.orders.launch = loaded->launch.grid;
  const TileSpace& found = launch.space;
  if (!found.is_found() || is_launch_grid(found, loaded->launch.grid)) return launch;
  launch.is_lifted = true;
  launch.axes = axes_of(found);
  const Renumbering renumber(found, launch.axes);
  launch.own = own_map(found, renumber);
  launch.orders.launch = Grid({found.count()});
  if (launch.axes.size() > 1) {
    std::vector<std::int64_t> extents;
    for (const TileAxis& axis : launch.axes) extents.push_back(axis.extent);
    launch.orders.tiles = Grid(extents);
  }
  if (!is_permutation(launch.own))
    refuse(launch, "some of its tiles are done twice");
  else if (found.walk == TileSpace::Walk::several || !found.blocks_order.empty())
    refuse(launch, "which of its blocks does which tile has no rule that heddle knows");
  else if (found.walk == TileSpace::Walk::once && found.idle_blocks() > 0)
    refuse(launch, fmt::format("{} have no tile", count_of(found.idle_blocks(), "block")));
  else if (found.walk == TileSpace::Walk::once)
    launch.block_of = blocks_of(found, renumber);
  else
    lift_persistent(launch, loaded);
  if (launch.is_lifted) launch.own_order = own_name(launch);
  return launch;
}

}  // namespace heddle::tiles
