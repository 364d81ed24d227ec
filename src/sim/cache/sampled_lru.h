// The oldest of a few: four ways are drawn at random, and the one goes that was used longest ago.
//
// Rules
//   1. A way may be drawn twice. Of equally old ones the one drawn first goes.
//   2. Between random and LRU: lines that are used again soon stay, and walks that do not quite fit
//      still find a part of their lines. The numbers of a set come from its seed alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/cache/random.h"

namespace heddle::sim {

struct SampledLru {
  static constexpr int kDrawn = 4;

  template <std::size_t kRoom>
  class State {
   public:
    State(int ways, std::uint64_t seed) : random_(ways, seed) {}

    void touch(std::uint32_t way) { used_[way] = ++uses_; }

    /// From now on it is older than any line that was used.
    void cool(std::uint32_t way) { used_[way] = 0; }

    std::uint32_t victim() {
      std::uint32_t oldest = random_.victim();
      for (int drawn = 1; drawn < kDrawn; ++drawn) {
        const std::uint32_t way = random_.victim();
        if (used_[way] < used_[oldest]) oldest = way;
      }
      return oldest;
    }

   private:
    Random::State<kRoom> random_;
    std::uint32_t uses_ = 0;
    std::array<std::uint32_t, kRoom> used_{};  ///< the number of its last use
  };
};

}  // namespace heddle::sim
