#include "search/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "search/ranking.h"
#include "search/report.h"
#include "sim/intervals.h"
#include "support/lists.h"

namespace heddle::search {
namespace {

constexpr std::size_t kPublishedFinalists = 4;  ///< of them, if they were not the best
constexpr std::size_t kLeanFinalists = 2;       ///< likewise, with the fewest bytes
constexpr std::size_t kFinalistsAtOnce = 2;
constexpr double kHopeless = 0.99;  ///< what is so slow in a sample is not looked at any closer

/// What a sample says is slower than the launch order, but for the fastest; all others if that
/// gains nothing.
void leave_hopeless_out(const Attempts& attempts, std::vector<int>& rivals) {
  const auto speedup = [&](int number) { return attempts.at(number).speedup.value_or(1); };
  if (rivals.empty()) return;
  const int fastest = *std::ranges::max_element(rivals, {}, speedup);
  const bool gains = speedup(fastest) > 1 + kNothing;
  std::erase_if(rivals, [&](int number) {
    return number != fastest && (!gains || speedup(number) < kHopeless);
  });
}

/// Replays them a few at a time while there is time (rule 2); those that were.
std::vector<int> replay_finalists(const Prepared& prepared, const Session& session,
                                  Searched& searched, const std::vector<int>& ranked) {
  const Pace& pace = session.pace;
  std::vector<int> done;
  while (done.size() < ranked.size() &&
         (done.empty() || !pace.out_of_time(kLastReplays, prepared.answer_seconds))) {
    if (!done.empty() && pace.interrupted()) break;
    pace.show(progress_of(searched, searched.best, "replaying the finalists"));
    const bool is_late = pace.out_of_time(kLastReplays, prepared.answer_seconds);
    const std::size_t end = std::min(done.size() + (is_late ? 1 : kFinalistsAtOnce), ranked.size());
    std::vector<OrderAttempt*> attempts;
    std::vector<order::Map> maps;
    std::vector<Replay> replays;
    for (std::size_t i = done.size(); i < end; ++i) {
      attempts.push_back(&searched.attempts.at(ranked[i]));
      maps.push_back(map_of(prepared, searched.attempts, ranked[i]));
    }
    // The best so far is likely to stay the best: the report needs its causes.
    for (std::size_t i = 0; i < maps.size(); ++i)
      replays.push_back(
          {&maps[i], attempts[i]->iteration == searched.best, attempts[i]->operations});
    searched.predictor.predict(attempts, replays, Purpose::answer);
    for (const OrderAttempt* attempt : attempts) {
      session.record({*attempt});
      done.push_back(attempt->iteration);
    }
  }
  return done;
}

/// What is to be said of an order beside the launch order; its interval is kept in the prediction.
Rival rival_of(const Prepared& prepared, OrderAttempt& attempt) {
  const config::Gpu& gpu = prepared.subject.gpu;
  SimResult& predicted = *attempt.predicted;
  Rival rival;
  rival.speedup = attempt.speedup.value_or(1);
  rival.traffic = traffic_against(sim::traffic_us(predicted), sim::traffic_us(prepared.baseline));
  // Where registers spill, an order's own code may make more of them spill.
  if (predicted.occupancy.spills) return rival;
  const auto exponents =
      sim::gain_interval(rival.traffic, gpu.name, sim::vendor_of(gpu), sim::known_intervals());
  if (!exponents || !is_worth_measuring(rival)) return rival;
  Interval gain = gained(rival.speedup, *exponents);
  // Powers of large gains have no end; the error of all speedups has one.
  if (const auto& factors = predicted.intervals.speedup)
    gain.high = std::max(gain.low, std::min(gain.high, factors->high * rival.speedup));
  rival.interval = gain;
  predicted.intervals.speedup = gain.times(1 / rival.speedup);
  return rival;
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

/// Of those that are worth a measurement, the launch order first: the fastest others.
std::vector<int> best_few(const Attempts& attempts, std::vector<int> open) {
  open.erase(open.begin());
  std::ranges::stable_sort(open, std::greater<>{},
                           [&](int number) { return attempts.at(number).speedup.value_or(1); });
  open.resize(std::min(open.size(), kMostMeasured));
  return open;
}

/// Rule 5.
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
  const std::size_t most = prepared.scorer.same_fidelity()
                               ? all.size()
                               : static_cast<std::size_t>(work_of(options.effort).finalists);
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
  std::vector<int> rivals = finalists(prepared, session.options, searched.attempts);
  if (!prepared.scorer.same_fidelity()) {
    if (!session.options.to_measure) leave_hopeless_out(searched.attempts, rivals);
    rivals = replay_finalists(prepared, session, searched, rivals);
  }
  Attempts& attempts = searched.attempts;
  set_baseline(prepared, attempts.launch());
  std::vector<int> sure = {kLaunchOrder}, open;
  for (const int number : rivals) {
    OrderAttempt& attempt = attempts.at(number);
    attempt.finalist = true;
    const Rival rival = rival_of(prepared, attempt);
    if (is_surely_faster(rival, session.options.risk)) sure.push_back(number);
    if (is_worth_measuring(rival)) open.push_back(number);
  }
  attempts.launch().finalist = true;
  Chosen chosen{std::move(searched), kLaunchOrder, Answer::unknown, ""};
  Attempts& tried = chosen.searched.attempts;
  const bool is_sure = pick(prepared, session, chosen.searched, sure) != kLaunchOrder;
  if (!is_sure && !open.empty()) open.insert(open.begin(), kLaunchOrder);
  chosen.best = pick(prepared, session, chosen.searched, is_sure || open.empty() ? sure : open);
  if (chosen.best != kLaunchOrder) rival_of(prepared, tried.at(chosen.best));  // replayed since
  add_notes_of_one_grid(prepared, session.options, chosen.searched, chosen.best);
  const bool has_tried =
      std::any_of(tried.all().begin() + 1, tried.all().end(),
                  [](const OrderAttempt& attempt) { return attempt.predicted.has_value(); });
  const SearchEnd end = chosen.searched.summary.end;
  const bool knows = has_tried || end == SearchEnd::exhausted || end == SearchEnd::no_room;
  if (chosen.best == kLaunchOrder) {
    chosen.answer = knows ? Answer::already_best : Answer::unknown;
    if (!knows) chosen.reason = "no other order was tried";
    return chosen;
  }
  chosen.answer = is_sure ? Answer::improved : Answer::measure;
  if (!is_sure) chosen.to_measure = best_few(tried, open);
  return chosen;
}

}  // namespace heddle::search
