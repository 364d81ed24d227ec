// The tile space that a kernel unpacks from its block's index, and the order in which it walks it.
//
//   pid_m = pid // tiles_n        coordinates pid_m, pid_n; extents 64, 32
//   pid_n = pid % tiles_n         order "identity": row by row
//
// Rules
//   1. A tile's number counts the box row by row, the first coordinate slowest.
//   2. `order` maps the turn to the tile. A turn is the launch id; of a persistent kernel it counts
//      the tiles of all blocks: round by round (strided), or block after block (chunked).
//   3. Everything holds for the launch that was looked at.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

struct TileCoordinate {
  std::string name;  ///< the kernel's own; else an expression
  std::int64_t extent = 1;
  int line = 0;  ///< where it gets its value
};

/// A constexpr or macro that reaches index code only: another value is another order.
struct TileKnob {
  std::string name;
  std::int64_t value = 0;
};

struct TileSpace {
  enum class Walk {
    once,     ///< a tile a block
    strided,  ///< block b does the turns b, b + blocks, b + 2 blocks, ...
    chunked,  ///< a block does successive turns
    several,  ///< several tiles a block, in another way
  };
  std::vector<TileCoordinate> coordinates;
  Walk walk = Walk::once;
  std::string order;               ///< heddle's compact form; empty: no family gives this map
  std::string near_order;          ///< a family that gives all of it but the last group of rows
  std::string blocks_order;        ///< of a persistent kernel: the blocks' own order, if any
  bool is_along_axis = false;      ///< strided along axis 0 of the launch, for each tile of `inner`
  std::vector<std::string> inner;  ///< coordinates that are faster than `order`'s, fastest last
  std::vector<std::string> together;  ///< two neighbours that `order` takes for one axis
  std::vector<std::int64_t> first;  ///< per block: its first entry of `tiles`; one more at the end
  std::vector<std::int64_t> tiles;  ///< numbers in the box
  bool is_launch_grid = false;      ///< every coordinate is an axis of the launch
  std::int64_t returning = 0;       ///< tiles whose blocks return at once for their index
  std::vector<TileKnob> knobs;
  std::string refusal;  ///< why there is no tile space; empty: there is one

  bool is_found() const { return refusal.empty(); }
  /// Blocks come back to tiles that they have done.
  bool has_returns() const { return static_cast<std::int64_t>(tiles.size()) > count(); }
  std::int64_t blocks() const { return static_cast<std::int64_t>(first.size()) - 1; }
  std::int64_t count() const;
  std::int64_t idle_blocks() const;
  /// "64 x 32 (pid_m x pid_n)".
  std::string box_text() const;
  /// "row by row", "Triton's grouped order, group(8)", "persistent, strided: xcd(8) | group(4)", "in an order of its own".
  std::string order_text() const;
  /// The launch order is row by row, a tile a block.
  bool is_plain() const {
    return walk == Walk::once && order == "identity" && inner.empty() && together.empty();
  }
};

}  // namespace heddle
