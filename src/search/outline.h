// The first rung of a search: many orders in outline, of which the most promising are replayed.
//
//   2,000 orders ──sketch──▶ times, about ──▶ 16 of them, the best published ones included
//
// Rules
//   1. The proposers are asked in turns and told what came of it, kOutlinedAtOnce orders at a time:
//      the same orders with any number of threads.
//   2. Orders with the same map count once. Nothing is proved here: what goes on is judged like any
//      other proposal (judge.h).
//   3. Of orders whose times hardly differ, the kAlike with the fewest operations go on: others may
//      be better than both.
#pragma once

#include <vector>

#include "order/bindings.h"
#include "search/prepare.h"
#include "search/search.h"

namespace heddle::search {

inline constexpr std::size_t kOutlinedAtOnce = 32;
inline constexpr int kAlike = 3;
inline constexpr double kAlikeTime = 0.0005;  ///< of a time

struct Outlined {
  std::vector<Proposal> kept;   ///< that are to be replayed: published ones, others, best first
  std::vector<Proposal> spare;  ///< the next best, for later
  int tried = 0;                ///< distinct orders
  int proposed = 0;
  bool is_cut_short = false;  ///< by a time limit or Ctrl-C
};

/// Tries up to `work.outlined` orders; prepared.sketch must be there.
Outlined outline(const Prepared& prepared, const order::Bindings& bindings, Search& turns,
                 const Pace& pace, const Work& work, int threads);

}  // namespace heddle::search
