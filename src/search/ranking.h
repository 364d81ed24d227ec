// Which of several replayed orders is the best.
//
//   order                  time   bytes over the bound    cost
//   xcd(8) | columns     149.1 us        1.001x         149.1
//   block_first(8)       146.7 us        1.055x         148.3
//   2 x 4 rectangles     146.8 us        1.024x         147.5    best
//
// Rules
//   1. Cost decides: the predicted time, and up to 2 % more for bytes beyond the bound. The model
//      is surer of bytes than of a per cent of the time.
//      An order that a setting of the kernel gives needs no patch: kSetting of the cost.
//   2. Costs within kSameCost are the same: the simpler order wins, then the cheaper, then the
//      earlier.
//   3. The launch order stays unless another is faster, and costs less, by at least kWorthwhile;
//      one that moves more bytes, by kMoreBytes of the bound, must be faster by kClearGain.
#pragma once

#include <cstddef>
#include <vector>

#include "results/decision.h"
#include "results/optimization.h"

namespace heddle::search {

inline constexpr double kSameCost = 0.0005;
inline constexpr double kSetting = 0.995;
inline constexpr double kWorthwhile = 0.002;
inline constexpr double kNothing = 0.006;  ///< a gain so small of a sample is none
inline constexpr double kMoreBytes = 0.02;
inline constexpr double kCloseTime = 0.04;
inline constexpr double kByteWeight = 0.2;  ///< of bytes beyond the bound, over the bound
inline constexpr double kMostExcess = 0.1;  ///< beyond which more bytes cost no more

/// Bytes between the L2s and what lies behind them, over the fewest that any order must move.
double bytes_over_bound(const SimResult& result);

/// In microseconds.
double cost_of(const SimResult& result);

/// By cost, rules 1 and 2: at most so many. All have a prediction of the same fidelity.
std::vector<const OrderAttempt*> ranked(std::vector<const OrderAttempt*> attempts,
                                        std::size_t most);

/// Of those within kCloseTime of the fastest, by bytes: what a sample of the launch may rank too
/// low.
std::vector<const OrderAttempt*> leanest(std::vector<const OrderAttempt*> attempts,
                                         std::size_t most);

/// The best of attempts with a prediction of the same fidelity. The first is the launch order.
std::size_t best_of(const std::vector<const OrderAttempt*>& attempts);

}  // namespace heddle::search
