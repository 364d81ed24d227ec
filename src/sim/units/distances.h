// How much longer or shorter than usual the way from a compute unit to a channel of the L2 is.
//
//   engines    0    1    2   ...    7
//   channels   0 1 2 3 4 5 6  ...  31      on one line: unit and channel at one place are nearest
//
// Rules
//   1. Compute units and channels lie along the die in order of their numbers.
//   2. From one end to the other a request and its data take `distance_cycles` more than to the
//      channel beside them. The mean over all of a die is the latency of the L2.
//
// Does not model: which way requests take, and that they meet there.
#pragma once

#include <cstdint>
#include <vector>

#include "config/gpu.h"

namespace heddle::sim {

class Distances {
 public:
  explicit Distances(const config::Gpu& gpu);

  /// Ticks to add to the latency, per channel.
  const std::int64_t* from(int unit) const {
    return &ticks_[static_cast<std::size_t>(unit) * stride_];
  }

 private:
  std::size_t stride_ = 0;  ///< 0: all units are alike
  std::vector<std::int64_t> ticks_;
};

}  // namespace heddle::sim
