#include "search/predictor.h"

#include <algorithm>
#include <utility>

#include "sim/effects.h"

namespace heddle::search {

SimResult named(SimResult result, const Subject& subject, const std::string& title) {
  result.order = title;
  result.kernel = subject.kernel().program.function;
  result.grid = subject.kernel().launch.grid.extents();
  return result;
}

Predictor::Predictor(const Scorer& scorer, const Subject& subject, std::vector<OrderAttempt> known)
    : scorer_(&scorer), subject_(&subject) {
  for (OrderAttempt& attempt : known) {
    const auto fidelity = read_fidelity(attempt.fidelity);
    if (!fidelity || !attempt.predicted || attempt.map_hash.empty()) continue;
    known_.emplace(Key{attempt.map_hash, attempt.operations, *fidelity},
                   Known{std::move(*attempt.predicted), true});
  }
}

Predictor::Counts Predictor::predict(const std::vector<OrderAttempt*>& attempts,
                                     const std::vector<Replay>& replays, Purpose purpose) {
  const Fidelity fidelity = scorer_->fidelity(purpose);
  const auto key_of = [&](const OrderAttempt& attempt) {
    return Key{attempt.map_hash, attempt.operations, fidelity};
  };
  std::vector<const OrderAttempt*> fresh;
  std::vector<Replay> needed;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const auto has_its_map = [&](const OrderAttempt* other) {
      return key_of(*other) == key_of(*attempts[i]);
    };
    if (known_.contains(key_of(*attempts[i]))) continue;
    if (std::ranges::any_of(fresh, has_its_map)) continue;
    fresh.push_back(attempts[i]);
    needed.push_back(replays[i]);
  }
  std::vector<SimResult> results = scorer_->replay_all(needed, purpose);
  double& launch = launch_time_[fidelity];
  if (launch == 0 && !attempts.empty()) {
    const auto found = known_.find(key_of(*attempts.front()));
    launch = (found != known_.end() ? found->second.result : results.front()).time_us;
  }
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    sim::put_beside(results[i], launch, subject_->gpu);
    known_.emplace(key_of(*fresh[i]), Known{std::move(results[i]), false});
  }
  Counts counts{static_cast<int>(fresh.size()), 0};
  for (OrderAttempt* attempt : attempts) {
    Known& known = known_.at(key_of(*attempt));
    attempt->fidelity = fidelity.text();
    attempt->from_history = std::exchange(known.from_history, false);
    attempt->predicted = named(known.result, *subject_, attempt->title);
    if (attempt->from_history) ++counts.from_history;
    attempt->speedup = launch / attempt->predicted->time_us;
  }
  return counts;
}

void Predictor::replay_for_answer(const order::Map& map, OrderAttempt& attempt) const {
  const Fidelity fidelity = scorer_->fidelity(Purpose::answer);
  const double launch = launch_time_.at(fidelity);
  SimResult result = scorer_->replay({&map, true, attempt.operations}, Purpose::answer);
  sim::put_beside(result, launch, subject_->gpu);
  attempt.predicted = named(std::move(result), *subject_, attempt.title);
  attempt.speedup = launch / attempt.predicted->time_us;
  attempt.fidelity = fidelity.text();
  attempt.from_history = false;
}

}  // namespace heddle::search
