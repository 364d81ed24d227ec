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
  std::optional<std::size_t> fastest;
  const auto time = [&](std::size_t i) { return attempts[i]->predicted->time_us; };
  const auto bytes = [&](std::size_t i) { return bytes_over_bound(*attempts[i]->predicted); };
  for (std::size_t i = 0; i < attempts.size(); ++i)
    if (attempts[i]->predicted && (!fastest || time(i) < time(*fastest))) fastest = i;
  if (!fastest) return std::nullopt;
  const auto is_within = [&](std::size_t i, double share) {
    return attempts[i]->predicted && time(i) <= time(*fastest) * (1 + share);
  };
  std::size_t leanest = *fastest;
  for (std::size_t i = 0; i < attempts.size(); ++i)
    if (is_within(i, kCloseTime) && bytes(i) < bytes(leanest)) leanest = i;
  const bool by_bytes = bytes(leanest) <= bytes(*fastest) - kFewerBytes;
  const auto is_rival = [&](std::size_t i) {
    if (!by_bytes) return is_within(i, kSameTime);
    return is_within(i, kCloseTime) && bytes(i) < bytes(leanest) + kFewerBytes / 2;
  };
  const auto rank = [&](std::size_t i) {
    return std::tuple(attempts[i]->operations, time(i), attempts[i]->iteration);
  };
  std::size_t best = by_bytes ? leanest : *fastest;
  for (std::size_t i = 0; i < attempts.size(); ++i)
    if (is_rival(i) && rank(i) < rank(best)) best = i;
  return best;
}

}  // namespace heddle::search
