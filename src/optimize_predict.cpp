#include "optimize_predict.h"

#include <algorithm>

namespace heddle {

using search::Purpose;

SimResult Predictions::named(SimResult result, const std::string& title) const {
  result.order = title;
  result.kernel = report_.kernel;
  result.grid = report_.grid;
  return result;
}

/// The prediction of another attempt with the same map; null if there is none.
const SimResult* Predictions::scored(const OrderAttempt& attempt) const {
  for (const OrderAttempt& other : report_.attempts)
    if (other.iteration != attempt.iteration && other.predicted &&
        other.map_hash == attempt.map_hash && other.fidelity == attempt.fidelity)
      return &*other.predicted;
  return nullptr;
}

const SimResult* Predictions::known(OrderAttempt& attempt) const {
  attempt.from_history = false;
  if (const SimResult* result = scored(attempt)) return result;
  const SimResult* result = book_ != nullptr ? book_->known(attempt) : nullptr;
  attempt.from_history = result != nullptr;
  return result;
}

void Predictions::predict(const std::vector<OrderAttempt*>& attempts,
                          const std::vector<search::Replay>& replays, Purpose purpose) {
  std::vector<OrderAttempt*> fresh;
  std::vector<search::Replay> needed;
  std::vector<std::pair<OrderAttempt*, const OrderAttempt*>> repeated;  // with their twins
  int from_history = 0;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    OrderAttempt& attempt = *attempts[i];
    attempt.fidelity = scorer_.fidelity(purpose);
    const auto has_its_map = [&](const OrderAttempt* other) {
      return other->map_hash == attempt.map_hash;
    };
    const auto twin = std::find_if(fresh.begin(), fresh.end(), has_its_map);
    if (const SimResult* result = known(attempt)) {
      attempt.predicted = named(*result, attempt.title);
      from_history += attempt.from_history ? 1 : 0;
    } else if (twin != fresh.end()) {
      repeated.push_back({&attempt, *twin});
    } else {
      fresh.push_back(&attempt);
      needed.push_back(replays[i]);
    }
  }
  std::vector<SimResult> results = scorer_.replay_all(needed, purpose);
  for (std::size_t i = 0; i < fresh.size(); ++i)
    fresh[i]->predicted = named(std::move(results[i]), fresh[i]->title);
  for (const auto& [attempt, twin] : repeated)
    attempt->predicted = named(*twin->predicted, attempt->title);
  for (OrderAttempt* attempt : attempts) {
    double& launch = launch_time_[attempt->fidelity];
    if (launch == 0) launch = attempt->predicted->time_us;
    attempt->speedup = launch / attempt->predicted->time_us;
  }
  if (purpose == Purpose::answer) return;  // orders are counted, not replays
  report_.search.replayed += static_cast<int>(fresh.size());
  report_.search.from_history += from_history;
}

}  // namespace heddle
