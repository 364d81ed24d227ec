#include "search/ranking.h"

#include <algorithm>
#include <tuple>

namespace heddle::search {
namespace {

double cost(const OrderAttempt* attempt) {
  return cost_of(*attempt->predicted) * (attempt->setting.empty() ? 1 : kSetting);
}

/// Rules 1 and 2, of at least one attempt.
std::size_t first_of(const std::vector<const OrderAttempt*>& attempts) {
  const auto cheapest = std::ranges::min_element(
      attempts, [](const OrderAttempt* a, const OrderAttempt* b) { return cost(a) < cost(b); });
  const double limit = cost(*cheapest) * (1 + kSameCost);
  const auto rank = [](const OrderAttempt* attempt) {
    return std::tuple(attempt->operations, cost(attempt), attempt->iteration);
  };
  auto best = static_cast<std::size_t>(cheapest - attempts.begin());
  for (std::size_t i = 0; i < attempts.size(); ++i)
    if (cost(attempts[i]) <= limit && rank(attempts[i]) < rank(attempts[best])) best = i;
  return best;
}

/// Rule 3.
bool is_worth_it(const SimResult& result, const SimResult& launch) {
  const bool moves_more = bytes_over_bound(result) > bytes_over_bound(launch) + kMoreBytes;
  const double gain = moves_more ? kClearGain : kWorthwhile;
  return result.time_us <= launch.time_us * (1 - gain) &&
         cost_of(result) <= cost_of(launch) * (1 - kWorthwhile);
}

}  // namespace

double bytes_over_bound(const SimResult& result) {
  if (result.bound_bytes <= 0) return 1;
  return static_cast<double>(result.l2.read_bytes() + result.l2.write_bytes()) /
         static_cast<double>(result.bound_bytes);
}

double cost_of(const SimResult& result) {
  const double excess = std::clamp(bytes_over_bound(result) - 1, 0.0, kMostExcess);
  return result.time_us * (1 + kByteWeight * excess);
}

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

std::vector<const OrderAttempt*> leanest(std::vector<const OrderAttempt*> attempts,
                                         std::size_t most) {
  if (attempts.empty()) return attempts;
  const auto time = [](const OrderAttempt* attempt) { return attempt->predicted->time_us; };
  const double least = time(*std::ranges::min_element(
      attempts, [&](const OrderAttempt* a, const OrderAttempt* b) { return time(a) < time(b); }));
  std::erase_if(attempts, [&](const OrderAttempt* attempt) {
    return time(attempt) > least * (1 + kCloseTime);
  });
  std::ranges::stable_sort(attempts, [](const OrderAttempt* a, const OrderAttempt* b) {
    return bytes_over_bound(*a->predicted) < bytes_over_bound(*b->predicted);
  });
  attempts.resize(std::min(attempts.size(), most));
  return attempts;
}

std::size_t best_of(const std::vector<const OrderAttempt*>& attempts) {
  const OrderAttempt* launch = attempts[0];
  std::vector<const OrderAttempt*> better;
  std::vector<std::size_t> places;
  for (std::size_t i = 1; i < attempts.size(); ++i) {
    const OrderAttempt* attempt = attempts[i];
    if (!attempt->predicted || !is_worth_it(*attempt->predicted, *launch->predicted)) continue;
    better.push_back(attempt);
    places.push_back(i);
  }
  return better.empty() ? 0 : places[first_of(better)];
}

}  // namespace heddle::search
