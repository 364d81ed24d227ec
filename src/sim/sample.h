// Which part of a launch a sampled run looks at.
//
// Rules
//   1. Sets of the L2 are in the sample or out of it, whole: inside a set everything happens as
//      in a full run. The same share of every channel is in, chosen by a hash, and of two
//      partitions the same sets: copies are in with the lines that they compete with.
//   2. A sampled request stands for `factor` requests, in counts, bytes and time.
//   3. The sets of a sample fall into kGroups groups by hash; how much the hit rates of the groups
//      differ says how sure the sample is.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/units/line_map.h"

namespace heddle::sim {

/// What of a launch is replayed.
struct SamplePlan {
  std::int64_t sets = 1;         ///< one of so many
  double share_of_rounds = 1;    ///< that loops run
  std::int64_t last_launch = 0;  ///< launch ids from here on are left out
};

class Sample {
 public:
  static constexpr int kGroups = 16;

  /// Everything.
  Sample() = default;
  /// One of `factor` sets; a power of two, at most the sets of a channel.
  Sample(const LineMap& map, std::int64_t factor);

  bool is_sampled() const { return factor_ > 1; }
  std::int64_t factor() const { return factor_; }
  /// Per set: 0 if it is out, else 1 + its group.
  const std::vector<std::uint8_t>& sets() const { return sets_; }

 private:
  std::int64_t factor_ = 1;
  std::vector<std::uint8_t> sets_;
};

}  // namespace heddle::sim
