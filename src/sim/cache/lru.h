// Least recently used: the ways of a set as a doubly linked list, the most recent first.
#pragma once

#include <array>
#include <cstdint>

#include "sim/cache/set_associative.h"

namespace heddle::sim {

struct Lru {
  class State {
   public:
    State(int ways, std::uint64_t) {
      for (int k = 0; k < ways; ++k) {
        const auto way = static_cast<std::size_t>(k);
        newer_[way] = static_cast<std::uint8_t>(k == 0 ? ways - 1 : k - 1);
        older_[way] = static_cast<std::uint8_t>(k == ways - 1 ? 0 : k + 1);
      }
    }

    void touch(std::uint32_t way) {
      if (way == newest_) return;
      const std::uint8_t oldest = newer_[newest_];
      if (way != oldest) {
        older_[newer_[way]] = older_[way];
        newer_[older_[way]] = newer_[way];
        newer_[way] = oldest;
        older_[way] = newest_;
        older_[oldest] = static_cast<std::uint8_t>(way);
        newer_[newest_] = static_cast<std::uint8_t>(way);
      }
      newest_ = static_cast<std::uint8_t>(way);
    }

    std::uint32_t victim() const { return newer_[newest_]; }

   private:
    // A ring: the way before the newest is the oldest.
    std::array<std::uint8_t, kMostWays> newer_{};
    std::array<std::uint8_t, kMostWays> older_{};
    std::uint8_t newest_ = 0;
  };
};

}  // namespace heddle::sim
