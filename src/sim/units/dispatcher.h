// Hands the blocks of one die to its compute units, in order.
//
//   launch ids   0 8 16 24 ...      of die 0 of 8
//   engines      0 1  2  3  0 ...   in turn; in an engine the unit with the most free places
//
// Rules
//   1. Launch id p belongs to die p mod dies. A die walks its ids in order and independently of the
//      other dies.
//   2. Inside a die, shader engines take turns. An engine without room is passed over.
//   3. In an engine the compute unit with the most free places gets the block, the lowest of
//      equals.
//   4. A persistent launch has fewer blocks than its map has turns: block b does the turns b,
//      b + blocks, b + 2 blocks, ... one after the other, where it is.
//   5. The next block starts as soon as a place frees, `dispatch_cycles` after the one before it at
//      the earliest. Ids without a tile take no turn.
//
// Does not model: an offset of the first die, and which engines lost compute units to harvesting.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "config/gpu.h"
#include "order/order.h"

namespace heddle::sim {

class Dispatcher {
 public:
  /// Turns of the map below `last_turn`; `blocks`: of a persistent launch, 0: one per turn.
  Dispatcher(const config::Gpu& gpu, int die, int blocks_of_unit, const order::Map& map,
             std::int64_t last_turn, std::int64_t blocks = 0);

  struct Start {
    std::int64_t tile = 0;
    int unit = 0;
    std::int64_t turn = 0;
  };
  /// The next block and where it goes; nothing if there is none, or no room.
  std::optional<Start> next();
  /// What the block of this turn does afterwards, in the same place; nothing: it ends.
  std::optional<Start> after(std::int64_t turn, int unit) const;
  void free(int unit) { ++room_[static_cast<std::size_t>(unit)]; }
  bool at_end() const { return launch_ >= last_; }
  std::int64_t started() const { return started_; }

 private:
  const order::Map& map_;
  std::int64_t launch_;
  std::int64_t last_turn_;
  std::int64_t blocks_;
  std::int64_t last_ = 0;  ///< launch ids from here on are not launched
  int dies_;
  int engines_;
  int engine_ = 0;  ///< whose turn it is
  std::int64_t started_ = 0;
  std::vector<int> room_;          ///< free places, per compute unit
  std::vector<int> engine_first_;  ///< the first unit of each engine, and one past the last
};

}  // namespace heddle::sim
