// A launch seen as tiles: what orders are of, and which block of the kernel does each tile.
//
//   const TileLaunch launch = tile_launch(loaded);
//   launch.orders             2048 turns, tiles 64 x 32
//   launch.own                the kernel's own order: per turn its tile
//   launch.schedule(tiles)    per turn the block of `single` that runs
//
// Rules
//   1. A kernel whose blocks take their launch index for their tile is not lifted: its orders are of
//      the launch grid, as are those of a kernel that was refused.
//   2. Orders of a lifted kernel are of a line of turns and a box of at most three axes: rows before
//      columns, a coordinate that the kernel has fastest inside a plane first, and beyond three the
//      slowest ones together.
//   3. In `single` every block does one tile. Of a persistent kernel that is the same kernel on as
//      many blocks as it has tiles; each block was looked at.
//   4. Entry r * blocks + b of a schedule is what block b does in its round r; -1: nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/source.h"
#include "order/bindings.h"
#include "order/order.h"
#include "order/space.h"
#include "results/tile_run.h"
#include "results/tile_space.h"
#include "trace/neighbours.h"

namespace heddle::tiles {

/// An axis of the orders' box: one coordinate, or several of which the first is slowest.
struct TileAxis {
  std::vector<std::size_t> coordinates;  ///< of the space
  std::int64_t extent = 1;
};

struct TileLaunch {
  TileSpace space;
  bool is_lifted = false;
  std::shared_ptr<const kernel::LoadedKernel> single;
  order::Space orders;
  std::vector<TileAxis> axes;  ///< of a lifted kernel
  order::Map own;              ///< per turn: the tile of the box
  std::string own_order;       ///< its compact form on the box; empty: there is none
  order::Map block_of;         ///< per tile of the box: the block of `single`
  std::int64_t blocks = 0;     ///< of a persistent kernel; 0: one per tile
  order::Map place;            ///< of its blocks in a round, in which turns are counted; empty: b
  std::string refusal;         ///< why a space that was found is not lifted; empty: it is, or plain

  bool is_persistent() const { return blocks > 0; }
  /// The axes by name, with the block of each tile; nothing where it is not lifted.
  std::optional<trace::TileBox> box() const;
  /// What blocks run if turns take these tiles of the box. Not lifted: `tiles` itself.
  order::Map schedule(const order::Map& tiles) const;
  /// A run of `single`, in tiles of the box. Not lifted: as it is.
  TileRun in_box(TileRun run) const;
};

/// The order of the same kernel with another map from blocks to tiles.
struct OwnOrder {
  order::Map map;    ///< per turn: the tile of the box
  std::string name;  ///< compact; empty: no family gives it
};
/// Nothing unless `space` has the tiles, the walk and the blocks of `launch`, which is lifted.
std::optional<OwnOrder> own_order(const TileSpace& space, const TileLaunch& launch);

/// Operations (order/cost.h) that blocks execute for an order on `space`, beyond those of the
/// kernel's own order, whose place it takes.
int added_operations(const TileLaunch& launch, const order::Order& order, const order::Space& space,
                     const order::Bindings& bindings);

/// Orders are of the launch grid.
TileLaunch unlifted(std::shared_ptr<const kernel::LoadedKernel> loaded);
/// The program is whole. Throws nothing but what compiling does.
TileLaunch tile_launch(std::shared_ptr<const kernel::LoadedKernel> loaded);
TileLaunch tile_launch(std::shared_ptr<const kernel::LoadedKernel> loaded, TileSpace space);

}  // namespace heddle::tiles
