// Quotients of the original that leave no remainder in the job: heads by the groups that share keys.
//
//   group = HEADS // kv_heads      HEADS = 8, kv_heads = 4 in the job; with HEADS = 5 nothing is launched
//
// Rules
//   1. The dividend is a number of tiles that the job gives, the divisor another number above 1; both
//      are the same in all blocks.
//   2. An original that takes the remainder of the two, too, is made for sizes that have one.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "kernel/patch.h"

namespace heddle::audit {

class WholeQuotients {
 public:
  WholeQuotients() = default;
  /// Those of the job's own launch. `counts`: sizes of which each is a tile.
  WholeQuotients(const std::vector<kernel::LaunchQuotient>& quotients,
                 const std::set<std::int64_t>& counts);

  bool empty() const { return places_.empty(); }
  /// The line of one that has a remainder on another launch.
  std::optional<int> broken_line(const std::vector<kernel::LaunchQuotient>& quotients) const;

 private:
  std::set<std::tuple<int, int>> places_;
};

}  // namespace heddle::audit
