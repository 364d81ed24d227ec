#include "statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "splitmix.h"

namespace heddle::agent {
namespace {

/// Reorders the values.
double median_in_place(std::vector<double>& values) {
  const std::size_t middle = values.size() / 2;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(middle);
  std::nth_element(values.begin(), at, values.end());
  if (values.size() % 2 == 1) return *at;
  return (*at + *std::max_element(values.begin(), at)) / 2;
}

/// The value below which this share of the sorted ones lies.
double share_of(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(below);
  return sorted[below] * (1 - part) + sorted[above] * part;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  return median_in_place(values);
}

RatioInterval ratio_of(const PairedTimes& times, int comparisons) {
  const std::size_t rounds = std::min(times.original.size(), times.candidate.size());
  RatioInterval interval;
  interval.confidence = 1 - kWrongly / std::max(comparisons, 1);
  interval.low = 0;
  interval.high = std::numeric_limits<double>::infinity();
  if (rounds == 0) return interval;
  std::vector<double> original(times.original.begin(),
                               times.original.begin() + static_cast<std::ptrdiff_t>(rounds));
  std::vector<double> candidate(times.candidate.begin(),
                                times.candidate.begin() + static_cast<std::ptrdiff_t>(rounds));
  interval.ratio = median_in_place(original) / median_in_place(candidate);
  if (rounds < static_cast<std::size_t>(kLeastRounds)) return interval;
  Splitmix random(rounds);
  std::vector<double> ratios(kResamples);
  for (double& ratio : ratios) {
    for (std::size_t i = 0; i < rounds; ++i) {
      const std::size_t round = random.below(rounds);
      original[i] = times.original[round];
      candidate[i] = times.candidate[round];
    }
    ratio = median_in_place(original) / median_in_place(candidate);
  }
  std::sort(ratios.begin(), ratios.end());
  const double outside = (1 - interval.confidence) / 2;
  interval.low = share_of(ratios, outside);
  interval.high = share_of(ratios, 1 - outside);
  return interval;
}

Difference difference_of(const RatioInterval& interval, double noise) {
  const double least = std::max(std::abs(noise), kLeastDifference);
  if (interval.low > 1 && interval.ratio - 1 > least) return Difference::faster;
  if (interval.high < 1 && 1 - interval.ratio > least) return Difference::slower;
  return Difference::none;
}

}  // namespace heddle::agent
