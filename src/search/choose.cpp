#include "search/choose.h"

#include <fmt/format.h>

#include <algorithm>

#include "search/ranking.h"
#include "search/report.h"
#include "support/lists.h"

namespace heddle::search {
namespace {

constexpr std::size_t kFinalists = 10;          ///< replayed at the answer's fidelity
constexpr std::size_t kPublishedFinalists = 4;  ///< of them, if they were not the best
constexpr std::size_t kLeanFinalists = 2;       ///< likewise, with the fewest bytes
constexpr std::size_t kFinalistsAtOnce = 2;

/// Replays them a few at a time while there is time (rule 2); those that were.
std::vector<int> replay_finalists(const Prepared& prepared, const Session& session,
                                  Searched& searched, const std::vector<int>& ranked) {
  const Pace& pace = session.pace;
  std::vector<int> done;
  while (done.size() < ranked.size() &&
         (done.empty() || !pace.out_of_time(kLastReplays, prepared.answer_seconds))) {
    if (!done.empty() && pace.interrupted()) break;
    pace.show(progress_of(searched, searched.best, "replaying the finalists"));
    const std::size_t end = std::min(done.size() + kFinalistsAtOnce, ranked.size());
    std::vector<OrderAttempt*> attempts;
    std::vector<order::Map> maps;
    std::vector<Replay> replays;
    for (std::size_t i = done.size(); i < end; ++i) {
      attempts.push_back(&searched.attempts.at(ranked[i]));
      maps.push_back(map_of(prepared, searched.attempts, ranked[i]));
    }
    for (std::size_t i = 0; i < maps.size(); ++i)
      replays.push_back({&maps[i], false, attempts[i]->operations});
    searched.predictor.predict(attempts, replays, Purpose::answer);
    for (const OrderAttempt* attempt : attempts) {
      session.record({*attempt});
      done.push_back(attempt->iteration);
    }
  }
  return done;
}

/// The best of them by rule 3.
int pick(const Prepared& prepared, const Session& session, Searched& searched,
         const std::vector<int>& numbers) {
  std::vector<const OrderAttempt*> rivals;
  for (const int number : numbers) rivals.push_back(&searched.attempts.at(number));
  for (;;) {
    const int best = numbers[best_of(rivals)];
    OrderAttempt& chosen = searched.attempts.at(best);
    if (!chosen.from_history && chosen.predicted->causes) return best;
    session.pace.show(progress_of(searched, best, "replaying the best"));
    searched.predictor.replay_for_answer(map_of(prepared, searched.attempts, best), chosen);
  }
}

/// Rule 4.
void add_notes_of_one_grid(const Prepared& prepared, const SearchOptions& options,
                           Searched& searched, int best) {
  const double best_speedup = searched.attempts.at(best).speedup.value_or(1);
  for (const OrderAttempt& attempt : searched.attempts.all()) {
    if (is_eligible(attempt, options) || attempt.same_as || !attempt.predicted) continue;
    if (attempt.speedup.value_or(1) <= best_speedup * (1 + kClearGain)) continue;
    searched.notes.push_back(fmt::format(
        "iteration {} is predicted {:.2f} times as fast as the launch order, but proved for grid "
        "{} only; --fixed-grid takes it",
        attempt.iteration, *attempt.speedup, prepared.subject.grid.text()));
  }
}

/// Without independent tiles the launch order stays.
Chosen launch_order(const Prepared& prepared, Searched searched) {
  const IndependenceReport& found = prepared.independence;
  return {std::move(searched), kLaunchOrder,
          found.verdict == Verdict::refuted ? Answer::not_independent : Answer::unknown,
          found.verdict == Verdict::unknown ? found.reason : ""};
}

}  // namespace

order::Map map_of(const Prepared& prepared, const Attempts& attempts, int number) {
  if (number == kLaunchOrder) return prepared.subject.own_map();
  const proof::ProvenOrder& proven = attempts.proven(number).order;
  return order::materialize(proven.order(), prepared.subject.space, proven.bindings());
}

std::vector<int> finalists(const Prepared& prepared, const SearchOptions& options,
                           const Attempts& attempts) {
  std::vector<const OrderAttempt*> all, published;
  for (const OrderAttempt& attempt : attempts.all()) {
    if (attempt.iteration == kLaunchOrder || !is_eligible(attempt, options)) continue;
    all.push_back(&attempt);
    if (attempt.origin == Origin::published) published.push_back(&attempt);
  }
  const std::size_t most = prepared.scorer.same_fidelity() ? all.size() : kFinalists;
  std::vector<int> chosen;
  const auto take = [&](const std::vector<const OrderAttempt*>& ranked, std::size_t place) {
    if (place >= ranked.size() || chosen.size() >= most) return;
    const int number = ranked[place]->iteration;
    if (!is_one_of(number, chosen)) chosen.push_back(number);
  };
  const auto lean = leanest(all, kLeanFinalists);
  all = ranked(std::move(all), most);
  published = ranked(std::move(published), kPublishedFinalists);
  for (std::size_t place = 0; place < all.size(); ++place) {
    take(published, place);
    take(all, place);
    take(lean, place);
  }
  return chosen;
}

Chosen choose(const Prepared& prepared, const Session& session, Searched searched) {
  if (!prepared.independent) return launch_order(prepared, std::move(searched));
  Attempts& attempts = searched.attempts;
  std::vector<int> rivals = finalists(prepared, session.options, attempts);
  if (!prepared.scorer.same_fidelity())
    rivals = replay_finalists(prepared, session, searched, rivals);
  set_baseline(prepared, attempts.launch());
  rivals.insert(rivals.begin(), kLaunchOrder);
  for (const int number : rivals) attempts.at(number).finalist = true;
  const int best = pick(prepared, session, searched, rivals);
  add_notes_of_one_grid(prepared, session.options, searched, best);
  const bool tried =
      std::any_of(attempts.all().begin() + 1, attempts.all().end(),
                  [](const OrderAttempt& attempt) { return attempt.predicted.has_value(); });
  const bool knows = tried || searched.summary.end == SearchEnd::exhausted;
  const Answer answer = best != kLaunchOrder ? Answer::improved
                        : knows              ? Answer::already_best
                                             : Answer::unknown;
  return {std::move(searched), best, answer, knows ? "" : "no other order was tried"};
}

}  // namespace heddle::search
