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

namespace {

double time_of(const OrderAttempt& attempt) {
  return attempt.predicted->time_us;
}

/// Rules 1 and 2, of at least one attempt.
std::size_t first_of(const std::vector<const OrderAttempt*>& attempts) {
  const auto bytes = [](const OrderAttempt* attempt) {
    return bytes_over_bound(*attempt->predicted);
  };
  const OrderAttempt* fastest = *std::min_element(
      attempts.begin(), attempts.end(),
      [](const OrderAttempt* a, const OrderAttempt* b) { return time_of(*a) < time_of(*b); });
  const auto is_within = [&](const OrderAttempt* attempt, double share) {
    return time_of(*attempt) <= time_of(*fastest) * (1 + share);
  };
  const OrderAttempt* leanest = fastest;
  for (const OrderAttempt* attempt : attempts)
    if (is_within(attempt, kCloseTime) && bytes(attempt) < bytes(leanest)) leanest = attempt;
  const bool by_bytes = bytes(leanest) <= bytes(fastest) - kFewerBytes;
  const auto is_rival = [&](const OrderAttempt* attempt) {
    if (!by_bytes) return is_within(attempt, kSameTime);
    return is_within(attempt, kCloseTime) && bytes(attempt) < bytes(leanest) + kFewerBytes / 2;
  };
  const auto rank = [](const OrderAttempt* attempt) {
    return std::tuple(attempt->operations, time_of(*attempt), attempt->iteration);
  };
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < attempts.size(); ++i)
    if (is_rival(attempts[i]) && (!best || rank(attempts[i]) < rank(attempts[*best]))) best = i;
  return *best;
}

}  // namespace

std::vector<const OrderAttempt*> ranked(std::vector<const OrderAttempt*> attempts,
                                        std::size_t most) {
  std::vector<const OrderAttempt*> result;
  while (!attempts.empty() && result.size() < most) {
    const std::size_t first = first_of(attempts);
    result.push_back(attempts[first]);
    attempts.erase(attempts.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return result;
}

std::size_t best_of(const std::vector<const OrderAttempt*>& attempts) {
  const OrderAttempt& launch = *attempts[0];
  const double launch_bytes = bytes_over_bound(*launch.predicted);
  std::vector<const OrderAttempt*> better;
  std::vector<std::size_t> places;
  for (std::size_t i = 1; i < attempts.size(); ++i) {
    if (!attempts[i]->predicted) continue;
    const bool moves_more = bytes_over_bound(*attempts[i]->predicted) > launch_bytes + kFewerBytes;
    const double gain = moves_more ? kClearGain : kWorthwhile;
    if (time_of(*attempts[i]) > time_of(launch) * (1 - gain)) continue;
    better.push_back(attempts[i]);
    places.push_back(i);
  }
  return better.empty() ? 0 : places[first_of(better)];
}

}  // namespace heddle::search
