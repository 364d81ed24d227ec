// What repeated measurements say: medians, intervals of ratios, and whether there is a difference.
//
//   original   101 100 102 100 101 ...      candidate  91 90 91 92 90 ...
//   ratio 1.11, from 1.10 to 1.12 with a confidence of 99 %: faster
//
// Rules
//   1. A ratio is the original's median over the candidate's: above 1 the candidate is faster.
//   2. Intervals are bootstrapped over rounds: a round's times stay together, so that what drifts
//      moves both. The same samples give the same interval, on every machine.
//   3. The confidence is that of all candidates together: 1 - 0.05 / candidates for each.
//   4. A difference counts only if the interval lies on one side of 1 and the ratio is farther from
//   1
//      than the noise: the distance of the original from itself, and kLeastDifference at least.
//
// Of the standard library alone: this is part of the agent, and of heddle.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::agent {

inline constexpr double kLeastDifference = 0.005;
inline constexpr double kWrongly = 0.05;  ///< chance that any of the differences is none
inline constexpr int kResamples = 10'000;
inline constexpr int kLeastRounds = 7;  ///< fewer are too few for an interval

double median(std::vector<double> values);

/// Times of the same rounds, in their order.
struct PairedTimes {
  std::vector<double> original;
  std::vector<double> candidate;
};

struct RatioInterval {
  double ratio = 1;  ///< of medians: original / candidate
  double low = 1;
  double high = 1;
  double confidence = 0.95;
};

/// `comparisons`: how many candidates share the chance of being wrong. Fewer than kLeastRounds give
/// an interval from 0 to infinity.
RatioInterval ratio_of(const PairedTimes& times, int comparisons);

enum class Difference { none, faster, slower };

/// `noise`: the distance from 1 of the original's ratio to itself.
Difference difference_of(const RatioInterval& interval, double noise);

}  // namespace heddle::agent
