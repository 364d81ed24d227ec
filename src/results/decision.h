// What to do about an order that is predicted faster: take it, measure it, or leave things alone.
//
//   order       predicted   traffic     interval of the gain    answer
//   columns       1.20x     less          1.004 to 1.31         faster: the patch
//   group(8)      1.02x     the same      0.94 to 1.06          measure it
//   snake         1.003x    the same                            leave it
//
// Rules
//   1. An order is surely faster where its interval lies above 1 (Risk::normal). Low risk asks for
//      less traffic besides; high risk takes what is predicted faster by kClearGain.
//   2. What is not sure and predicted faster by kWorthMeasuring is worth a measurement.
//   3. Without an interval nothing is sure.
#pragma once

#include <cstddef>
#include <optional>

#include "results/intervals.h"

namespace heddle {

inline constexpr double kWorthMeasuring = 0.01;
inline constexpr double kClearGain = 0.02;
inline constexpr std::size_t kMostMeasured = 5;  ///< orders that are proposed for it

enum class Risk { low, normal, high };

/// An order beside the launch order.
struct Rival {
  double speedup = 1;  ///< predicted
  Traffic traffic = Traffic::same;
  std::optional<Interval> interval;  ///< of the speedup that a GPU would show
};

/// What a GPU shows of a predicted speedup: gains are powers of the predicted ones.
Interval gained(double speedup, const Interval& exponents);

bool is_surely_faster(const Rival& rival, Risk risk);
bool is_worth_measuring(const Rival& rival);

}  // namespace heddle
