// Tree pseudo-LRU: a binary tree over the ways whose bits point away from what was used last.
//
// Rules
//   1. The ways are a power of two. Node 1 is the root, node n has children 2n and 2n + 1; bit 0
//      says that the victim is on the left.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace heddle::sim {

struct TreePlru {
  template <std::size_t kRoom>
  class State {
   public:
    State(int ways, std::uint64_t) : levels_(std::countr_zero(static_cast<unsigned>(ways))) {}

    void touch(std::uint32_t way) { point(way, false); }

    /// The next victim.
    void cool(std::uint32_t way) { point(way, true); }

    std::uint32_t victim() const {
      std::uint32_t node = 1;
      for (int level = 0; level < levels_; ++level)
        node = 2 * node + static_cast<std::uint32_t>(bits_ >> node & 1);
      return node - (1U << levels_);
    }

   private:
    /// The nodes above a way point at it, or away from it.
    void point(std::uint32_t way, bool at_it) {
      std::uint32_t node = 1;
      for (int level = levels_ - 1; level >= 0; --level) {
        const std::uint32_t right = way >> level & 1;
        const std::uint64_t bit = std::uint64_t{1} << node;
        bits_ = (right != 0) == at_it ? bits_ | bit : bits_ & ~bit;
        node = 2 * node + right;
      }
    }

    std::uint64_t bits_ = 0;
    int levels_;
  };
};

}  // namespace heddle::sim
