// What to do about an order that is predicted faster: take it, measure it, or leave things alone.
//
//   order       predicted   traffic     interval of the gain    answer
//   columns       1.20x     less          1.004 to 1.31         faster: the patch
//   group(8)      1.02x     the same      0.94 to 1.06          measure it
//   snake         1.003x    the same                            leave it
//
// Rules
//   1. An order is surely faster where its interval lies above 1 and it is predicted faster by
//      kSureGain (Risk::normal). Low risk asks for less traffic besides; high risk takes what is
//      predicted faster by kClearGain. Intervals of small gains begin just above 1, since gains are
//      powers of the predicted ones: such a gain is measured, not promised.
//   2. What is not sure and predicted faster by kWorthMeasuring is worth a measurement.
//   3. Without an interval nothing is sure, and kernels whose registers spill have none: an order's
//      own code may make more of them spill (an H200's gemm_row: twice the time, under any order).
//   4. Arithmetic, and the bytes that every order must move, take their time in any order: what is
//      left of the launch order's time is the most that an order can gain (`Ceiling`).
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "results/intervals.h"
#include "results/simulation.h"

namespace heddle {

inline constexpr double kWorthMeasuring = 0.01;
inline constexpr double kClearGain = 0.02;
inline constexpr double kSureGain = 0.03;        ///< what validation counts as a gain
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

/// Rule 4.
struct Ceiling {
  std::string resource;  ///< that every order keeps busy the longest: "compute", "memory", ...
  double busy = 0;       ///< with what every order needs, as a share of the launch order's time
  double gain = 0;       ///< that an order may have at most: 0.02 is 1.02x
};

/// `launch` is the replay of the launch order.
Ceiling ceiling_of(const SimResult& launch);

bool is_surely_faster(const Rival& rival, Risk risk);
bool is_worth_measuring(const Rival& rival);

}  // namespace heddle
