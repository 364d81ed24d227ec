// Which of several replayed orders is the best.
//
// Rules
//   1. Predicted time decides. Times within kSameTime of the least are the same: the simpler order
//      wins, then the faster, then the earlier.
//   2. The model cannot tell times within kCloseTime apart. One that is that close and moves fewer
//      bytes, by at least kFewerBytes of the bound, comes before the fastest: bytes are what the
//      model is sure of.
//   3. The launch order stays unless another is faster by at least kWorthwhile; by kClearGain if
//      that one moves more bytes than the launch order does, by kFewerBytes of the bound.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "results/optimization.h"

namespace heddle::search {

inline constexpr double kSameTime = 0.0005;
inline constexpr double kCloseTime = 0.01;
inline constexpr double kFewerBytes = 0.02;
inline constexpr double kWorthwhile = 0.002;
inline constexpr double kClearGain = 0.03;

/// Bytes between the L2s and what lies behind them, over the fewest that any order must move.
double bytes_over_bound(const SimResult& result);

/// The best of these, then the best of the rest, and so on: at most so many. Rules 1 and 2.
std::vector<const OrderAttempt*> ranked(std::vector<const OrderAttempt*> attempts,
                                        std::size_t most);

/// The best of attempts with a prediction of the same fidelity. The first is the launch order.
std::size_t best_of(const std::vector<const OrderAttempt*>& attempts);

}  // namespace heddle::search
