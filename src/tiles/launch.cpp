#include "tiles/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "order/compact.h"
#include "order/cost.h"
#include "order/evaluate.h"
#include "support/error.h"
#include "support/text.h"
#include "tiles/families.h"
#include "tiles/find.h"
#include "tiles/single.h"

namespace heddle::tiles {
namespace {

using Loaded = std::shared_ptr<const kernel::LoadedKernel>;

constexpr std::size_t kMostAxes = 3;

/// Rule 2.
std::vector<TileAxis> axes_of(const TileSpace& space) {
  std::vector<TileAxis> axes;
  std::ptrdiff_t inner = 0;
  for (std::size_t i = 0; i < space.coordinates.size(); ++i) {
    TileAxis axis{{i}, space.coordinates[i].extent};
    const bool is_inner = i + space.inner.size() >= space.coordinates.size();
    axes.insert(is_inner ? axes.begin() + inner++ : axes.end(), std::move(axis));
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

/// The place of each block in a round of a strided walk.
order::Map places_of(const TileSpace& space) {
  return line_map(space.blocks_order.empty() ? "identity" : space.blocks_order, space.blocks());
}

/// Per turn: the tile of the orders' box; empty where the walk leaves turns out.
order::Map own_map(const TileSpace& space, const Renumbering& renumber) {
  order::Map map;
  if (space.walk != TileSpace::Walk::strided) {
    for (const std::int64_t tile : space.tiles) map.push_back(renumber(tile));
    return map;
  }
  map.assign(static_cast<std::size_t>(space.count()), order::kIdle);
  const order::Map place = places_of(space);
  for (std::int64_t b = 0; b < space.blocks(); ++b) {
    const auto at = static_cast<std::size_t>(b);
    std::int64_t turn = place[at];
    for (std::int64_t i = space.first[at]; i < space.first[at + 1]; ++i, turn += space.blocks()) {
      if (turn >= space.count()) return {};
      map[static_cast<std::size_t>(turn)] = renumber(space.tiles[static_cast<std::size_t>(i)]);
    }
  }
  return map;
}

bool is_permutation(const order::Map& map) {
  return !map.empty() && order::invert(map).has_value();
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
  const auto source = kernel::Source::open(loaded->launch.kernel_path);
  auto found = single_launch(*source, loaded->launch, launch.space);
  if (!found) return refuse(launch, "its blocks cannot be launched with one tile each");
  const Renumbering renumber(found->space, axes_in(found->space, launch.space, launch.axes));
  auto single = std::make_shared<kernel::LoadedKernel>();
  single->launch = std::move(found->launch);
  single->program = source->compile(single->launch);
  launch.single = std::move(single);
  launch.blocks = loaded->launch.grid.count();
  launch.place = places_of(launch.space);
  launch.block_of = blocks_of(found->space, renumber);
}

/// The family's name of the space, if it gives the map on the orders' box.
std::string own_name(const TileSpace& space, const order::Space& orders, const order::Map& own) {
  if (space.order.empty() || !space.inner.empty() || !space.together.empty()) return {};
  try {
    const order::Order order = order::read_compact(space.order);
    if (order::materialize(order, orders, {}) == own) return space.order;
  } catch (const Error&) {
    // The name is of a box that was put together in another way.
  }
  return {};
}

}  // namespace

std::optional<trace::TileBox> TileLaunch::box() const {
  if (!is_lifted) return std::nullopt;
  trace::TileBox box;
  for (const TileAxis& axis : axes) {
    std::string name;
    for (const std::size_t one : axis.coordinates)
      name += (name.empty() ? "" : ", ") + space.coordinates[one].name;
    box.names.push_back(std::move(name));
    box.extents.push_back(axis.extent);
  }
  box.block_of = block_of;
  return box;
}

TileRun TileLaunch::in_box(TileRun run) const {
  const std::optional<trace::TileBox> named = box();
  if (!named) return run;
  order::Map tile_of(block_of.size(), order::kIdle);
  for (std::size_t tile = 0; tile < block_of.size(); ++tile)
    if (block_of[tile] >= 0 && block_of[tile] < std::ssize(tile_of))
      tile_of[static_cast<std::size_t>(block_of[tile])] = static_cast<std::int64_t>(tile);
  for (std::int64_t& tile : run.tiles)
    if (tile >= 0)
      tile = tile < std::ssize(tile_of) ? tile_of[static_cast<std::size_t>(tile)] : order::kIdle;
  run.axes.clear();
  for (std::size_t axis = 0; axis < named->names.size(); ++axis)
    run.axes.push_back({named->names[axis], named->extents[axis]});
  return run;
}

order::Map TileLaunch::schedule(const order::Map& tiles) const {
  if (!is_lifted) return tiles;
  const auto block = [&](std::int64_t tile) {
    return tile < 0 ? tile : block_of[static_cast<std::size_t>(tile)];
  };
  order::Map result;
  result.reserve(tiles.size());
  if (space.walk == TileSpace::Walk::strided) {
    const auto turns = static_cast<std::int64_t>(tiles.size());
    for (std::int64_t first = 0; first < turns; first += blocks)
      for (std::int64_t b = 0; b < blocks; ++b) {
        const std::int64_t turn = first + place[static_cast<std::size_t>(b)];
        result.push_back(turn < turns ? block(tiles[static_cast<std::size_t>(turn)])
                                      : order::kIdle);
      }
    return result;
  }
  if (space.walk == TileSpace::Walk::once) {
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

std::optional<OwnOrder> own_order(const TileSpace& space, const TileLaunch& launch) {
  const TileSpace& before = launch.space;
  const auto same = [](const TileCoordinate& a, const TileCoordinate& b) {
    return a.name == b.name && a.extent == b.extent;
  };
  if (!space.is_found() || space.walk != before.walk || space.blocks() != before.blocks() ||
      space.blocks_order != before.blocks_order ||
      !std::is_permutation(space.coordinates.begin(), space.coordinates.end(),
                           before.coordinates.begin(), before.coordinates.end(), same))
    return std::nullopt;
  const Renumbering renumber(space, axes_in(space, before, launch.axes));
  OwnOrder own{own_map(space, renumber), {}};
  if (!is_permutation(own.map)) return std::nullopt;
  own.name = own_name(space, launch.orders, own.map);
  return own;
}

TileLaunch unlifted(Loaded loaded) {
  TileLaunch launch;
  launch.orders.launch = loaded->launch.grid;
  launch.single = std::move(loaded);
  return launch;
}

TileLaunch tile_launch(Loaded loaded) {
  TileSpace space = find_tile_space(loaded->program, loaded->launch);
  return tile_launch(std::move(loaded), std::move(space));
}

TileLaunch tile_launch(Loaded loaded, TileSpace space) {
  TileLaunch launch = unlifted(loaded);
  launch.space = std::move(space);
  const TileSpace& found = launch.space;
  if (!found.is_found() || found.is_launch_grid) return launch;
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
    refuse(launch, "some of its tiles are computed twice");
  else if (found.walk == TileSpace::Walk::several)
    refuse(launch, "which of its blocks does which tile has no rule that heddle knows");
  else if (found.walk == TileSpace::Walk::once && found.idle_blocks() > 0)
    refuse(launch, fmt::format("{} have no tile", count_of(found.idle_blocks(), "block")));
  else if (found.walk == TileSpace::Walk::once)
    launch.block_of = blocks_of(found, renumber);
  else
    lift_persistent(launch, loaded);
  if (launch.is_lifted) launch.own_order = own_name(found, launch.orders, launch.own);
  return launch;
}

int added_operations(const TileLaunch& launch, const order::Order& order, const order::Space& space,
                     const order::Bindings& bindings) {
  const int its = order::operations(order, space, bindings);
  if (launch.own_order.empty()) return its;
  const int own = order::operations(order::read_compact(launch.own_order), launch.orders, {});
  return std::max(0, its - own);
}

}  // namespace heddle::tiles
