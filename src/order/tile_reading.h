// What an order for a 1-D launch means by its tile index: one linear id, or a row and a column.
//
//   num_pid_m = tl.cdiv(M, BLOCK_M)         M=4096, N=3072, both blocks 128
//   num_pid_n = tl.cdiv(N, BLOCK_N)
//   ...                              ==>    results pid_m, pid_n; tiles 32x24
//   pid_m = ...
//   pid_n = ...
//
// Rules
//   1. The index is what lower.h takes, or the names whose axis the text counts, if nothing but
//      each other and offsets reads them.
//   2. The extent of an axis is the number of its tiles in the text: a quotient that is the same
//   for
//      all blocks (tl.cdiv(M, BLOCK_M)), known by its own name or by that of its dividend
//      (axis_name.h); else a bound name that counts (num_pid_m).
//   3. The extents multiply to the blocks of the launch. One axis whose tiles the text does not
//      count gets what is left of them.
//   4. What is not clear is an Error that asks for --tiles. Nothing is guessed: a reading that
//   names
//      the wrong extent would refute a correct order.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "order/bindings.h"
#include "order/order.h"

namespace heddle::order {

struct TileReading {
  std::vector<std::string> results;  ///< empty: as the program has them
  std::vector<std::int64_t> tiles;   ///< empty: the tile space is the launch grid
  std::string note;                  ///< why, for the report
  std::string doubt;  ///< other names could be the index: a failure of this reading refutes nothing
};

/// For a launch of `blocks` blocks on a line; without them the launch is what the text counts.
TileReading read_tiles(const Order& order, const Bindings& bindings,
                       std::optional<std::int64_t> blocks);

/// The same for many launches.
std::function<TileReading(std::int64_t)> tile_reader(const Order& order, const Bindings& bindings);

/// The axes of the tile space, where they alone are asked for: 1 for a linear id. `follows` is
/// whether its extents are what the text counts on every tile space, as M=128*t0 makes them.
struct TileAxes {
  int axes = 1;
  bool follows = false;
  std::vector<std::string> results;
  std::string note;
  std::string doubt;
  std::string reason;  ///< why it does not follow
};
TileAxes read_tile_axes(const Order& order, const Bindings& bindings);

}  // namespace heddle::order
