#include "search/loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "emit/emit.h"
#include "order/compact.h"
#include "search/given.h"
#include "search/outline.h"
#include "search/ranking.h"
#include "search/report.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::search {
namespace {

constexpr double kAtBound = 1.01;                 ///< bytes over the bound at which a search ends
constexpr std::int64_t kWholeWork = 100'000'000;  ///< requests of all replays, for few tiles
constexpr std::size_t kBatch = 4;                 ///< orders that are replayed at the same time
constexpr int kMostOfBatch = 64;                  ///< proposals that are looked at for it
constexpr int kRound = 8;                         ///< attempts between two questions to a program
constexpr int kEnough = 8;  ///< of the best in outline, to know that none gains anything

JudgeOptions judge_options(const Subject& subject, const SearchOptions& search) {
  JudgeOptions options;
  options.space = subject.space;
  options.own = subject.own_map();
  std::vector<std::string> lets = search.lets;
  const order::Bindings given(lets);
  for (const config::Argument& argument : subject.kernel().launch.arguments)
    if (const auto* number = std::get_if<std::int64_t>(&argument.value.data))
      if (!given.has(argument.name)) lets.push_back(fmt::format("{}={}", argument.name, *number));
  options.bindings = order::Bindings(lets);
  options.dies = subject.gpu.compute.dies;
  options.fixed_grid = search.fixed_grid;
  return options;
}

SearchSpace space_of(const Subject& subject) {
  SearchSpace space;
  space.grid = subject.grid;
  space.dies = subject.gpu.compute.dies;
  space.compute_units = std::int64_t{subject.gpu.compute.compute_units} * space.dies;
  space.extents = subject.extents;
  return space;
}

/// The order that the kernel is launched with.
Proposal as_launched(const Subject& subject) {
  Proposal proposal{"launch", kAsLaunched, std::nullopt, "", "", Origin::launch, true};
  if (!subject.launch.is_lifted) {
    proposal.order = order::read_compact(kAsLaunched);
    proposal.idea = "the order in which the GPU starts blocks";
    return proposal;
  }
  const std::string& name = subject.launch.own_order;
  proposal.formula = name.empty() ? "as written" : name;
  proposal.order = name.empty() ? order::Order::from_table(subject.launch.own, proposal.formula)
                                : order::read_compact(name);
  proposal.idea = "the order that the kernel has as it is written";
  return proposal;
}

/// One search going on: works on the attempts and proposals of a Searched.
class Loop {
 public:
  Loop(const Prepared& prepared, const Session& session, Searched& state)
      : prepared_(prepared), session_(session), options_(session.options), state_(state) {}

  void try_launch_order() {
    std::vector<Judged> batch;
    judge(as_launched(prepared_.subject), batch);
    if (prepared_.independent) return settle(batch);
    set_baseline(prepared_, batch[0].attempt);
    keep(batch[0]);
  }

  void run() {
    if (prepared_.has_room) state_.summary.proposers = state_.turns.names();
    for (const GivenText& given : options_.given) take(given);
    if (!options_.given_only && prepared_.has_room) propose_settings();
    if (prepared_.sketch) propose_outlined();
    state_.summary.end = run_to_the_end();
    const auto left = std::ranges::count(state_.waiting, Origin::given, &Proposal::origin);
    if (left > 0 && state_.summary.end != SearchEnd::exhausted)
      state_.notes.push_back(
          fmt::format("{} that were given were not tried: the search ended before",
                      count_of(static_cast<std::int64_t>(left), "formula")));
  }

  void run_some(int most) {
    for (const OrderAttempt& attempt : state_.attempts.all()) {
      if (!attempt.measured || !attempt.predicted) continue;
      const double cost =
          attempt.predicted->time_us * attempt.speedup.value_or(1) / attempt.measured->ratio;
      state_.turns.report({attempt.formula, cost, true});
    }
    for (Proposal& proposal : state_.spare) state_.waiting.push_back(std::move(proposal));
    state_.spare.clear();
    for (int tried = 0, more = 1; more > 0 && tried < most && !session_.pace.interrupted();
         tried += more)
      more = try_some();
  }

 private:
  /// Orders that the kernel has with other values of its knobs.
  void propose_settings() {
    for (const tiles::KnobSetting& setting : prepared_.subject.settings) {
      if (setting.own_order.empty()) continue;
      Proposal proposal = propose("knobs", order::read_compact(setting.own_order));
      proposal.idea = setting.text() + ", which the kernel takes as it is";
      state_.waiting.push_back(std::move(proposal));
    }
  }

  /// The best of many orders in outline.
  void propose_outlined() {
    Outlined outlined = outline(prepared_, state_.judge.bindings(), state_.turns, session_.pace,
                                work_of(options_.effort), options_.threads);
    state_.summary.outlined = outlined.tried;
    state_.summary.planned = work_of(options_.effort).outlined;
    state_.summary.proposed += outlined.proposed;
    state_.is_cut_short = outlined.is_cut_short;
    for (Proposal& proposal : outlined.kept) state_.waiting.push_back(std::move(proposal));
    state_.spare = std::move(outlined.spare);
  }

  /// Attempts, at most.
  int most_attempts() const {
    if (options_.iterations > 0) return options_.iterations;
    if (prepared_.sketch) return std::numeric_limits<int>::max();  // what was outlined
    const std::int64_t requests = std::max<std::int64_t>(1, prepared_.scorer.requests());
    const int least = work_of(options_.effort).replayed;
    return std::clamp(static_cast<int>(std::min<std::int64_t>(kWholeWork / requests, 100'000)),
                      least, std::max(least, work_of(options_.effort).outlined));
  }

  SearchEnd run_to_the_end() {
    bool asking = true;
    int round = 0;
    for (int since = kRound - static_cast<int>(kBatch);;) {
      if (const auto end = reason_to_stop()) return *end;
      if (state_.waiting.empty() && since >= kRound && asking) {
        since = 0;
        asking = ask(++round);
        continue;
      }
      const int tried = try_some();
      since += tried;
      if (tried > 0) continue;
      if (!asking) return SearchEnd::exhausted;
      since = kRound;  // only the program is left: a round for each of its answers
    }
  }

  std::optional<SearchEnd> reason_to_stop() const {
    if (session_.pace.interrupted()) return SearchEnd::interrupted;
    if (options_.given_only) return std::nullopt;  // all that the user named are tried
    if (!prepared_.has_room && state_.waiting.empty()) return SearchEnd::no_room;
    const int count = state_.attempts.count();
    if (state_.is_cut_short && state_.waiting.empty()) return SearchEnd::budget;
    if (count >= most_attempts())
      return options_.iterations > 0 ? SearchEnd::iterations : SearchEnd::exhausted;
    // Something is tried in any case.
    if (count > static_cast<int>(kBatch) &&
        out_of_time(prepared_.scorer.same_fidelity() ? kLastReplays : kFinalReplays))
      return SearchEnd::budget;
    if (is_hopeless()) return SearchEnd::exhausted;
    if (prepared_.sketch) return std::nullopt;
    if (!state_.waiting.empty() || !state_.turns.past_published()) return std::nullopt;
    // Latency may tell orders of few tiles apart that move the same bytes.
    if (prepared_.subject.grid.count() <= kSearchedWhole) return std::nullopt;
    const OrderAttempt& best = state_.attempts.at(state_.best);
    if (is_eligible(best, options_) && bytes_over_bound(*best.predicted) <= kAtBound &&
        prepared_.scorer.same_fidelity())  // a sample is not sure enough of it
      return SearchEnd::at_bound;
    return std::nullopt;
  }

  /// The best orders in outline were replayed, and none of them gains anything.
  bool is_hopeless() const {
    if (!prepared_.sketch || options_.effort == Effort::high || options_.to_measure ||
        options_.ask || options_.iterations > 0)
      return false;
    const auto is_due = [](const Proposal& proposal) {
      return proposal.origin == Origin::given || proposal.origin == Origin::published;
    };
    if (std::ranges::any_of(state_.waiting, is_due)) return false;
    int replayed = 0;
    for (const OrderAttempt& attempt : state_.attempts.all()) {
      if (attempt.speedup.value_or(1) > 1 + kNothing) return false;
      if (attempt.predicted && attempt.origin != Origin::given) ++replayed;
    }
    return replayed > kEnough;
  }

  bool out_of_time(double replays) const {
    return session_.pace.out_of_time(replays, prepared_.answer_seconds);
  }

  bool is_late() const { return !options_.given_only && out_of_time(kLastReplays); }

  void take(const GivenText& given) {
    GivenOrders orders =
        read_given(given.text, given.name, options_.reading, given.is_one, given.title);
    for (Proposal& proposal : orders.proposals) {
      proposal.said = given.said;
      // What was said before has its answer.
      if (!state_.said.insert(proposal.formula).second) {
        ++state_.summary.proposed;
        ++state_.summary.duplicates;
        continue;
      }
      state_.waiting.push_back(std::move(proposal));
    }
    for (std::string& note : orders.notes) state_.notes.push_back(std::move(note));
    auto& names = state_.summary.proposers;
    if (!is_one_of(given.name, names)) names.push_back(given.name);
  }

  /// Whether the program may be asked again.
  bool ask(int round) {
    session_.pace.show(progress_of(state_, state_.best, "asking for orders"));
    if (!options_.ask) return false;
    // A program that hangs leaves half of the time to the rest.
    const auto answer = options_.ask(report_of(prepared_, state_, state_.best), round,
                                     session_.pace.half_of_the_rest());
    if (answer) take(*answer);
    return answer.has_value();
  }

  std::optional<Proposal> next() {
    const bool all_are_here = options_.given_only || prepared_.sketch || !prepared_.has_room;
    if (state_.waiting.empty() && all_are_here) return std::nullopt;
    if (state_.waiting.empty()) return state_.turns.next();
    Proposal proposal = std::move(state_.waiting.front());
    state_.waiting.pop_front();
    return proposal;
  }

  /// Judges some proposals, replays those that are new and proved at the same time, and tells the
  /// proposers. How many there were; 0: there are no more.
  int try_some() {
    std::vector<Judged> batch;
    int tried = 0;
    for (; batch.size() < kBatch && tried < kMostOfBatch && !at_limit(batch.size()); ++tried) {
      if (tried > 0 && (session_.pace.interrupted() || is_late())) break;
      const auto proposal = next();
      if (!proposal) break;
      judge(*proposal, batch);
    }
    settle(batch);
    return tried;
  }

  bool at_limit(std::size_t more) const {
    return !options_.given_only &&
           state_.attempts.count() + static_cast<int>(more) >= most_attempts();
  }

  void judge(const Proposal& proposal, std::vector<Judged>& batch) {
    const int number = state_.attempts.count() + static_cast<int>(batch.size()) + 1;
    SearchSummary& summary = state_.summary;
    ++summary.proposed;
    Judged judged = state_.judge.judge(proposal, number);
    OrderAttempt& attempt = judged.attempt;
    if (attempt.same_as) ++summary.duplicates;
    if (attempt.same_as && judged.own) return;  // not worth a line
    if (attempt.verdict == Verdict::refuted) ++summary.refuted;
    if (attempt.verdict == Verdict::unknown) ++summary.unknown;
    if (judged.proven) attempt.triton = emit::emit_order(*judged.proven, {});
    for (const tiles::KnobSetting& setting : prepared_.subject.settings)
      if (attempt.setting.empty() && !judged.map.empty() && judged.map == setting.own)
        attempt.setting = setting.text();
    if (judged.proven && !attempt.identity)
      attempt.operations =
          tiles::added_operations(prepared_.subject.launch, judged.proven->order(),
                                  prepared_.subject.space, judged.proven->bindings());
    batch.push_back(std::move(judged));
    if (batch.back().own) return;
    if (auto general = state_.judge.generalized(batch.back()))
      state_.waiting.push_front(std::move(*general));
  }

  /// Replays what needs it and keeps everything, in order.
  void settle(std::vector<Judged>& batch) {
    std::vector<OrderAttempt*> attempts;
    std::vector<Replay> replays;
    for (Judged& judged : batch) {
      if (judged.map.empty() || judged.attempt.same_as) continue;
      attempts.push_back(&judged.attempt);
      replays.push_back({&judged.map, !judged.own && prepared_.scorer.same_fidelity(),
                         judged.attempt.operations});
    }
    const auto counts = state_.predictor.predict(attempts, replays, Purpose::search);
    state_.summary.replayed += counts.replayed;
    state_.summary.from_history += counts.from_history;
    std::vector<OrderAttempt> settled;
    for (Judged& judged : batch) {
      if (judged.attempt.same_as) copy_figures(judged.attempt);
      settled.push_back(judged.attempt);
      keep(judged);
    }
    session_.record(settled);
  }

  void copy_figures(OrderAttempt& attempt) const {
    const OrderAttempt& same = state_.attempts.at(*attempt.same_as);
    attempt.predicted = same.predicted;
    attempt.fidelity = same.fidelity;
    attempt.speedup = same.speedup;
  }

  void keep(Judged& judged) {
    state_.attempts.add(judged.attempt);
    if (prepared_.independent && judged.attempt.predicted)
      state_.turns.report({judged.attempt.formula, cost_of(*judged.attempt.predicted)});
    if (judged.proven)
      state_.attempts.add_proof(judged.attempt.iteration,
                                {std::move(*judged.proven), std::move(judged.argument)});
    if (is_eligible(judged.attempt, options_)) state_.best = best_so_far();
    session_.pace.show(progress_of(state_, state_.best, "searching"));
  }

  int best_so_far() const {
    std::vector<const OrderAttempt*> rivals;
    for (const OrderAttempt& attempt : state_.attempts.all())
      if (is_eligible(attempt, options_)) rivals.push_back(&attempt);
    return rivals[best_of(rivals)]->iteration;
  }

  const Prepared& prepared_;
  const Session& session_;
  const SearchOptions& options_;
  Searched& state_;
};

}  // namespace

bool is_eligible(const OrderAttempt& attempt, const SearchOptions& options) {
  return attempt.predicted && attempt.verdict == Verdict::proved && !attempt.same_as &&
         (attempt.sizes == ProvedSizes::all || options.fixed_grid);
}

OptimizeProgress progress_of(const Searched& searched, int best, const std::string& step) {
  OptimizeProgress progress;
  progress.step = step;
  progress.attempts = searched.attempts.count();
  progress.replayed = searched.summary.replayed;
  progress.best = searched.attempts.at(best).title;
  progress.speedup = searched.attempts.at(best).speedup.value_or(1);
  return progress;
}

Attempts judge_given(const Subject& subject, const SearchOptions& options,
                     std::vector<std::string>& notes) {
  std::deque<Proposal> waiting = {as_launched(subject)};
  std::set<std::string> said;
  for (const GivenText& given : options.given) {
    GivenOrders orders = read_given(given.text, given.name, options.reading, given.is_one);
    for (Proposal& proposal : orders.proposals)
      if (said.insert(proposal.formula).second) waiting.push_back(std::move(proposal));
    append(notes, orders.notes);
  }
  Judge judge(judge_options(subject, options));
  Attempts attempts;
  while (!waiting.empty()) {
    Judged judged = judge.judge(waiting.front(), attempts.count() + 1);
    waiting.pop_front();
    auto general = judged.own ? std::nullopt : judge.generalized(judged);
    if (general) waiting.push_front(std::move(*general));
    attempts.add(judged.attempt);
    if (judged.proven)
      attempts.add_proof(judged.attempt.iteration,
                         {std::move(*judged.proven), std::move(judged.argument)});
  }
  return attempts;
}

Searched search(const Prepared& prepared, const Session& session, std::vector<OrderAttempt> known) {
  const Subject& subject = prepared.subject;
  Searched searched{.judge = Judge(judge_options(subject, session.options)),
                    .predictor = Predictor(prepared.scorer, subject, std::move(known)),
                    .turns = Search(make_proposers(space_of(subject)))};
  searched.predictor.set_launch_time(prepared.baseline.time_us);
  Loop loop(prepared, session, searched);
  loop.try_launch_order();
  if (prepared.independent) loop.run();
  return searched;
}

Searched resume(const Prepared& prepared, const Session& session, Searched searched, int most) {
  Loop(prepared, session, searched).run_some(most);
  return searched;
}

}  // namespace heddle::search
