// Random replacement: any way may go. The numbers of a set come from its seed alone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::sim {

struct Random {
  template <std::size_t kRoom>
  class State {
   public:
    State(int ways, std::uint64_t seed)
        : ways_(static_cast<std::uint32_t>(ways)), state_(seed * 0x9e3779b97f4a7c15 + 1) {}

    void touch(std::uint32_t) {}

    /// The upper half of a linear congruential generator, scaled to the ways.
    std::uint32_t victim() {
      state_ = state_ * 6364136223846793005U + 1442695040888963407U;
      return static_cast<std::uint32_t>((state_ >> 32) * ways_ >> 32);
    }

   private:
    std::uint32_t ways_;
    std::uint64_t state_;
  };
};

}  // namespace heddle::sim
