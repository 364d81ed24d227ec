// Which of several replayed orders is the best.
//
// Rules
//   1. Predicted time decides. Times within kSameTime of the least are the same: the model cannot
//      tell them apart.
//   2. Of those the one that moves the fewest bytes wins, counted in hundredths of the bound; then
//      the one with the fewest operations; then the earlier.
//   3. The launch order stays unless an order is at least kWorthwhile faster.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "results/optimization.h"

namespace heddle::search {

inline constexpr double kSameTime = 0.005;
inline constexpr double kWorthwhile = 0.01;

/// Bytes between the L2s and what lies behind them, over the fewest that any order must move.
double bytes_over_bound(const SimResult& result);

/// The best of attempts with a prediction of the same fidelity; nothing if there are none.
/// `eligible` attempts only: an order for one grid is none where all sizes are asked for.
std::optional<std::size_t> best_of(const std::vector<const OrderAttempt*>& attempts);

}  // namespace heddle::search
