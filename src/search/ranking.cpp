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

std::size_t best_of(const std::vector<const OrderAttempt*>& attempts) {
  const auto time = [&](std::size_t i) { return attempts[i]->predicted->time_us; };
  const auto bytes = [&](std::size_t i) { return bytes_over_bound(*attempts[i]->predicted); };
  const auto is_worthwhile = [&](std::size_t i) {
    const bool moves_more = bytes(i) > bytes(0) + kFewerBytes;
    return time(i) <= time(0) * (1 - (moves_more ? kClearGain : kWorthwhile));
  };
  std::vector<std::size_t> better;
  for (std::size_t i = 1; i < attempts.size(); ++i)
    if (attempts[i]->predicted && is_worthwhile(i)) better.push_back(i);
  if (better.empty()) return 0;
  const auto rank = [&](std::size_t i) {
    return std::tuple(attempts[i]->operations, time(i), attempts[i]->iteration);
  };
  const auto simplest = [&](auto is_rival, std::size_t best) {
    for (const std::size_t i : better)
      if (is_rival(i) && rank(i) < rank(best)) best = i;
    return best;
  };
  const std::size_t fastest =
      *std::min_element(better.begin(), better.end(),
                        [&](std::size_t a, std::size_t b) { return time(a) < time(b); });
  const auto is_within = [&](std::size_t i, double share) {
    return time(i) <= time(fastest) * (1 + share);
  };
  std::size_t leanest = fastest;
  for (const std::size_t i : better)
    if (is_within(i, kCloseTime) && bytes(i) < bytes(leanest)) leanest = i;
  if (bytes(leanest) > bytes(fastest) - kFewerBytes)
    return simplest([&](std::size_t i) { return is_within(i, kSameTime); }, fastest);
  return simplest(
      [&](std::size_t i) {
        return is_within(i, kCloseTime) && bytes(i) < bytes(leanest) + kFewerBytes / 2;
      },
      leanest);
}

}  // namespace heddle::search
