#include "search/ranking.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace heddle::search {

double bytes_over_bound(const SimResult& result) {
  if (result.bound_bytes <= 0) return 1;
  return static_cast<double>(result.l2.read_bytes() + result.l2.write_bytes()) /
         static_cast<double>(result.bound_bytes);
}

std::optional<std::size_t> best_of(const std::vector<const OrderAttempt*>& attempts) {
  double least = INFINITY;
  for (const OrderAttempt* attempt : attempts)
    if (attempt->predicted) least = std::min(least, attempt->predicted->time_us);
  std::optional<std::size_t> best;
  const auto rank = [&](std::size_t i) {
    const SimResult& predicted = *attempts[i]->predicted;
    return std::tuple(std::lround(100 * bytes_over_bound(predicted)), attempts[i]->operations,
                      predicted.time_us, attempts[i]->iteration);
  };
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const auto& predicted = attempts[i]->predicted;
    if (!predicted || predicted->time_us > least * (1 + kSameTime)) continue;
    if (!best || rank(i) < rank(*best)) best = i;
  }
  return best;
}

}  // namespace heddle::search
