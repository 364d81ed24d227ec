// Which lane is behind: how often each has gone round the loops of the kernel.
//
//   for i: { A; for j: B }      lane 0: A B B B A     lane 1: A B B A
//                               B (lane 0, its third) comes before A (lane 1, its second)
//
// Rules
//   1. A loop is a range of sites: code lies in the order of its sites, and a branch back makes a
//      loop of what it jumps over. Loops nest or lie apart; those that overlap are treated as
//      nested.
//   2. A lane that enters a loop from outside has gone round it 0 times; going back to an earlier
//      site counts in the innermost loop that holds both.
//   3. Only lanes that take part in the same grouping are compared: what they do together need not
//   be
//      counted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runner/protocol.h"

namespace heddle::runner {

class Loops {
 public:
  void set_up(std::span<const Loop> loops, std::size_t sites, std::size_t lanes);

  /// All lanes stand at one place.
  void forget();
  /// A lane goes on to a site.
  void advance(std::uint32_t lane, std::uint32_t site);
  /// All these lanes go on to it together.
  void advance_together(std::span<const std::uint32_t> lanes, std::uint32_t site);
  /// Whether the lane whose next site is `site` is behind the other one, whose next is
  /// `other_site`. Equal places are not behind each other.
  bool is_behind(std::uint32_t lane, std::uint32_t site, std::uint32_t other,
                 std::uint32_t other_site) const;

 private:
  static constexpr std::uint32_t kNowhere = ~0U;

  bool holds(std::uint32_t loop, std::uint32_t site) const {
    return site >= loops_[loop].first && site <= loops_[loop].last;
  }
  std::span<const std::uint32_t> loops_of(std::uint32_t site) const;
  std::uint32_t& rounds(std::uint32_t lane, std::uint32_t loop) {
    return rounds_[lane * loops_.size() + loop];
  }
  /// How often a lane has gone round a loop that holds `site` when it gets there.
  std::uint32_t rounds_at(std::uint32_t lane, std::uint32_t loop, std::uint32_t site) const;
  /// The innermost loop that holds both; kNowhere: none.
  std::uint32_t innermost(std::uint32_t a, std::uint32_t b) const;

  std::vector<Loop> loops_;  ///< the largest first
  std::vector<std::uint32_t> listed_;
  std::vector<std::uint32_t> begin_;   ///< per site: into listed_, outermost first; one more
  std::vector<std::uint32_t> rounds_;  ///< per lane and loop
  std::vector<std::uint32_t> at_;      ///< per lane: its last site
};

}  // namespace heddle::runner
