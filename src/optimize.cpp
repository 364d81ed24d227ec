// heddle optimize as a flat list of steps: load, trace, baseline, search, choose, measure, emit.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "config/fingerprint.h"
#include "emit/emit.h"
#include "optimize_emit.h"
#include "optimize_facts.h"
#include "optimize_history.h"
#include "optimize_measure.h"
#include "optimize_predict.h"
#include "order/compact.h"
#include "pipeline.h"
#include "search/given.h"
#include "search/judge.h"
#include "search/ranking.h"
#include "search/scorer.h"
#include "search/search.h"
#include "support/text.h"
#include "trace/analyze.h"
#include "trace/independence.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;
using search::Purpose;

constexpr double kAtBound = 1.01;               ///< bytes over the bound at which a search ends
constexpr std::int64_t kSearchedWhole = 128;    ///< tiles: so few are searched to the end
constexpr std::size_t kFinalists = 10;          ///< replayed at the answer's fidelity
constexpr std::size_t kPublishedFinalists = 4;  ///< of them, if they were not the best
constexpr std::size_t kLeanFinalists = 2;       ///< likewise, with the fewest bytes
constexpr double kLastReplays = 1.2;            ///< of the best: time that is kept for it
constexpr double kFinalReplays = 5;             ///< of finalists and the best
constexpr double kLeastReserve = 0.12;          ///< of the budget, for the finalists
constexpr double kMostReserve = 0.6;            ///< of the budget
constexpr std::size_t kBatch = 4;               ///< orders that are replayed at the same time
constexpr int kMostOfBatch = 64;                ///< proposals that are looked at for it
constexpr std::size_t kFinalistsAtOnce = 2;
constexpr int kRound = 8;                 ///< attempts between two questions to a program
constexpr std::size_t kNextMeasured = 3;  ///< orders of a later round
constexpr int kInformed = 16;             ///< proposals between two rounds
constexpr std::int64_t kMemoryWork = 50'000'000;

class Optimization {
 public:
  explicit Optimization(const OptimizeRequest& request)
      : request_(request), started_(Clock::now()) {}

  OptimizationReport run() {
    load();
    open_history();
    look_at_memory();
    find_independence();
    if (!independent_) return std::move(report_);
    replay_launch_order();
    search_orders();
    choose();
    measure_orders();
    emit_best();
    if (book_) book_->end(report_);
    return std::move(report_);
  }

 private:
  // ---- before the search ------------------------------------------------------------------

  void load() {
    show("reading the kernel");
    gpu_ = config::read_gpu(request_.gpu);
    loaded_ = load_kernel(request_.job_path, request_.overrides);
    space_.launch = trimmed(loaded_.launch.grid,
                            axes_used(loaded_.launch.kernel_path, loaded_.program.function));
    report_.job = request_.job_path;
    report_.kernel_path = loaded_.launch.kernel_path;
    report_.kernel = loaded_.program.function;
    report_.grid = loaded_.launch.grid.extents();
    report_.gpu = facts_of(gpu_, request_.gpu);
  }

  void look_at_memory() {
    show("looking at memory accesses");
    trace::AnalyzeOptions options;
    options.most_work = kMemoryWork;
    options.line_bytes = report_.gpu.line_bytes;
    options.wave_lanes = gpu_.compute.wave_lanes;
    report_.memory = trace::analyze(loaded_.program, loaded_.launch, options);
  }

  void find_independence() {
    show("looking for tiles that depend on one another");
    independent_ =
        trace::find_independence(loaded_.program, loaded_.launch, {}, report_.independence);
    const IndependenceReport& found = report_.independence;
    if (found.verdict == Verdict::refuted) report_.answer = Answer::not_independent;
    if (found.verdict == Verdict::unknown) report_.reason = found.reason;
    if (independent_) return;
    // The launch order is still worth its figures: it is what stays.
    replay_launch_order();
    fill_best();
    if (book_) book_->end(report_);
  }

  void open_history() {
    if (request_.history.empty()) return;
    const history::RunKey key{request_.job_path,
                              report_.kernel,
                              loaded_.launch.grid.text(),
                              config::fingerprint(loaded_.launch),
                              request_.gpu,
                              report_.gpu.file_hash,
                              request_.model};
    book_.emplace(request_.history, request_.history_needed, key, report_.notes);
  }

  void replay_launch_order() {
    show("replaying the launch order");
    simulator_.emplace(loaded_.program, loaded_.launch, gpu_);
    scorer_.emplace(*simulator_, request_.threads);
    predictions_.emplace(*scorer_, book_ ? &*book_ : nullptr, report_);
    const order::Order identity = order::read_compact("identity");
    const order::Map map = order::materialize(identity, space_, {});
    const Clock::time_point before = Clock::now();
    report_.baseline =
        predictions_->named(scorer_->replay({&map, true}, Purpose::answer), identity.title());
    answer_seconds_ = seconds_since(before);
    predictions_->set_launch_time(scorer_->fidelity(Purpose::answer), report_.baseline.time_us);
    judge_.emplace(judge_options());
    std::vector<search::Judged> batch;
    judge({"launch", "identity", identity, "", "the order in which the GPU starts blocks", true},
          batch);
    if (independent_) return settle(batch);
    OrderAttempt& launch = batch[0].attempt;
    launch.predicted = report_.baseline;
    launch.fidelity = scorer_->fidelity(Purpose::answer);
    launch.speedup = 1;
    keep(batch[0]);
  }

  search::JudgeOptions judge_options() const {
    search::JudgeOptions options;
    options.space = space_;
    std::vector<std::string> lets = request_.lets;
    const order::Bindings given(lets);
    for (const config::Argument& argument : loaded_.launch.arguments)
      if (const auto* number = std::get_if<std::int64_t>(&argument.value.data))
        if (!given.has(argument.name)) lets.push_back(fmt::format("{}={}", argument.name, *number));
    options.bindings = order::Bindings(lets);
    options.dies = gpu_.compute.dies;
    options.fixed_grid = request_.fixed_grid;
    return options;
  }

  // ---- the loop: next, prove, replay, report back -----------------------------------------

  void search_orders() {
    search::SearchSpace space;
    space.grid = space_.launch;
    space.dies = gpu_.compute.dies;
    space.compute_units = std::int64_t{gpu_.compute.compute_units} * gpu_.compute.dies;
    space.extents = split_extents(loaded_.launch, space_.launch, space.dies);
    search_.emplace(search::make_proposers(space));
    for (const OrderAttempt& attempt : report_.attempts) search_->report(attempt);
    report_.search.proposers = search_->names();
    for (const GivenText& given : request_.given) take(given);
    int round = 0;
    for (int since = kRound - static_cast<int>(kBatch);;) {
      if (const auto end = reason_to_stop()) {
        report_.search.end = *end;
        if (!waiting_.empty())
          report_.notes.push_back(
              fmt::format("{} that were given were not tried: the search ended before",
                          count_of(static_cast<std::int64_t>(waiting_.size()), "formula")));
        return;
      }
      if (waiting_.empty() && since >= kRound && asking_) {
        since = 0;
        ask(++round);
        continue;
      }
      const int tried = try_some();
      since += tried;
      if (tried > 0) continue;
      if (!asking_) {
        report_.search.end = SearchEnd::exhausted;
        return;
      }
      since = kRound;  // only the program is left: a round for each of its answers
    }
  }

  std::optional<SearchEnd> reason_to_stop() const {
    if (request_.stop && request_.stop()) return SearchEnd::interrupted;
    if (request_.iterations > 0 && static_cast<int>(report_.attempts.size()) >= request_.iterations)
      return SearchEnd::iterations;
    // Something is tried in any case.
    if (report_.attempts.size() > kBatch &&
        out_of_time(scorer_->same_fidelity() ? kLastReplays : kFinalReplays))
      return SearchEnd::budget;
    if (!waiting_.empty() || !search_->past_published()) return std::nullopt;
    // Latency may tell orders of few tiles apart that move the same bytes.
    if (space_.launch.count() <= kSearchedWhole) return std::nullopt;
    if (best_ && search::bytes_over_bound(*report_.attempts[*best_].predicted) <= kAtBound &&
        scorer_->same_fidelity())  // a sample is not sure enough of it
      return SearchEnd::at_bound;
    return std::nullopt;
  }

  /// Whether the time left is needed for so many replays of the answer, causes and all.
  bool out_of_time(double replays) const {
    const double least = replays >= kFinalReplays ? kLeastReserve * budget_seconds() : 0;
    const double reserve =
        std::clamp(answer_seconds_ * replays, least, kMostReserve * budget_seconds());
    return request_.budget.count() > 0 && seconds_since(started_) + reserve > budget_seconds();
  }

  std::optional<search::Proposal> next() {
    if (waiting_.empty() && request_.measuring.given_only) return std::nullopt;
    if (waiting_.empty()) return search_->next();
    search::Proposal proposal = std::move(waiting_.front());
    waiting_.pop_front();
    return proposal;
  }

  void take(const GivenText& given) {
    search::GivenOrders orders = search::read_given(given.text, given.name, request_.reading);
    for (search::Proposal& proposal : orders.proposals) {
      // What was said before has its answer.
      if (!said_.insert(proposal.formula).second) {
        ++report_.search.proposed;
        ++report_.search.duplicates;
        continue;
      }
      waiting_.push_back(std::move(proposal));
    }
    for (std::string& note : orders.notes) report_.notes.push_back(std::move(note));
    auto& names = report_.search.proposers;
    if (std::find(names.begin(), names.end(), given.name) == names.end())
      names.push_back(given.name);
  }

  void ask(int round) {
    show("asking the program");
    asking_ = false;
    if (!request_.ask) return;
    fill_best();
    // A program that hangs leaves half of the time to the rest.
    const double left = budget_seconds() - seconds_since(started_);
    const auto most = request_.budget.count() > 0
                          ? std::chrono::milliseconds(std::llround(500 * std::max(left, 1.0)))
                          : std::chrono::milliseconds::max();
    const auto answer = request_.ask(report_, round, most);
    if (!answer) return;
    take(*answer);
    asking_ = true;
  }

  /// Judges some proposals, replays those that are new and proved at the same time, and tells
  /// everybody. How many there were; 0: there are no more.
  int try_some() {
    std::vector<search::Judged> batch;
    int tried = 0;
    for (; batch.size() < kBatch && tried < kMostOfBatch && !at_limit(batch.size()); ++tried) {
      if (tried > 0 && (interrupted() || out_of_time(kLastReplays))) break;
      const auto proposal = next();
      if (!proposal) break;
      judge(*proposal, batch);
    }
    settle(batch);
    return tried;
  }

  bool at_limit(std::size_t more) const {
    return request_.iterations > 0 &&
           report_.attempts.size() + more >= static_cast<std::size_t>(request_.iterations);
  }

  void judge(const search::Proposal& proposal, std::vector<search::Judged>& batch) {
    const auto iteration = static_cast<int>(report_.attempts.size() + batch.size()) + 1;
    ++report_.search.proposed;
    search::Judged judged = judge_->judge(proposal, iteration);
    OrderAttempt& attempt = judged.attempt;
    if (attempt.same_as) ++report_.search.duplicates;
    if (attempt.same_as && judged.own) return;  // not worth a line
    if (attempt.verdict == Verdict::refuted) ++report_.search.refuted;
    if (attempt.verdict == Verdict::unknown) ++report_.search.unknown;
    if (judged.proven) attempt.triton = emit::emit_order(*judged.proven, {});
    attempt.operations = attempt.identity ? 0 : operations_of(attempt.triton);
    batch.push_back(std::move(judged));
    if (batch.back().own) return;
    if (auto general = judge_->generalized(batch.back())) waiting_.push_front(std::move(*general));
  }

  /// Replays what needs it and keeps everything, in order.
  void settle(std::vector<search::Judged>& batch) {
    std::vector<OrderAttempt*> attempts;
    std::vector<search::Replay> replays;
    for (search::Judged& judged : batch) {
      if (!judged.proven || judged.attempt.same_as) continue;
      attempts.push_back(&judged.attempt);
      replays.push_back({&judged.map, !judged.own});
    }
    predictions_->predict(attempts, replays, Purpose::search);
    for (search::Judged& judged : batch) {
      if (judged.attempt.same_as) copy_figures(judged.attempt);
      keep(judged);
    }
    if (book_)
      book_->record({report_.attempts.end() - static_cast<std::ptrdiff_t>(batch.size()),
                     report_.attempts.end()});
  }

  void copy_figures(OrderAttempt& attempt) const {
    const OrderAttempt& same = report_.attempts[static_cast<std::size_t>(*attempt.same_as - 1)];
    attempt.predicted = same.predicted;
    attempt.fidelity = same.fidelity;
    attempt.speedup = same.speedup;
  }

  void keep(search::Judged& judged) {
    report_.attempts.push_back(judged.attempt);
    if (search_) search_->report(judged.attempt);
    const std::size_t index = report_.attempts.size() - 1;
    if (judged.proven)
      proven_.emplace(judged.attempt.iteration,
                      Proven{std::move(*judged.proven), std::move(judged.argument)});
    find_best(index);
    show("searching");
  }

  bool is_eligible(const OrderAttempt& attempt) const {
    return attempt.predicted && attempt.verdict == Verdict::proved && !attempt.same_as &&
           (attempt.sizes == ProvedSizes::all || request_.fixed_grid);
  }

  void find_best(std::size_t latest) {
    if (!is_eligible(report_.attempts[latest])) return;
    if (!best_) {
      best_ = latest;
      return;
    }
    std::vector<const OrderAttempt*> rivals;
    for (const OrderAttempt& attempt : report_.attempts)
      if (is_eligible(attempt)) rivals.push_back(&attempt);
    best_ = static_cast<std::size_t>(rivals[search::best_of(rivals)]->iteration - 1);
  }

  // ---- the answer -------------------------------------------------------------------------

  /// The best few, replayed as well as the answer needs; the best of those.
  void choose() {
    std::vector<std::size_t> ranked = finalists();
    if (!scorer_->same_fidelity()) ranked = replay_finalists(ranked);
    OrderAttempt& launch = report_.attempts[0];
    launch.predicted = report_.baseline;
    launch.fidelity = scorer_->fidelity(Purpose::answer);
    launch.speedup = 1;
    launch.from_history = false;
    std::vector<const OrderAttempt*> rivals = {&launch};
    for (const std::size_t index : ranked) rivals.push_back(&report_.attempts[index]);
    for (const OrderAttempt* rival : rivals)
      report_.attempts[static_cast<std::size_t>(rival->iteration - 1)].finalist = true;
    pick(rivals);
    fill_best();
    const bool tried = std::any_of(report_.attempts.begin() + 1, report_.attempts.end(),
                                   [](const OrderAttempt& each) { return each.predicted; });
    speak_of_one_grid();
    const bool knows = tried || report_.search.end == SearchEnd::exhausted;
    report_.answer = *best_ > 0 ? Answer::improved : knows ? Answer::already_best : Answer::unknown;
    if (!knows) report_.reason = "no other order was tried";
  }

  /// A faster order that was not handed back deserves a word.
  void speak_of_one_grid() {
    const OrderAttempt& best = report_.attempts[*best_];
    const double best_speedup = best.fidelity == scorer_->fidelity(Purpose::search)
                                    ? best.speedup.value_or(1)
                                    : report_.best.speedup;
    for (const OrderAttempt& attempt : report_.attempts) {
      if (is_eligible(attempt) || attempt.same_as || !attempt.predicted) continue;
      if (attempt.speedup.value_or(1) <= best_speedup * (1 + search::kClearGain)) continue;
      report_.notes.push_back(fmt::format(
          "iteration {} is predicted {:.2f} times as fast as the launch order, but proved for grid "
          "{} only; --fixed-grid takes it",
          attempt.iteration, *attempt.speedup, space_.launch.text()));
    }
  }

  /// The best of them. It needs the causes of its misses, and a replay of this run: what a history
  /// says may be wrong, and then another is the best.
  void pick(const std::vector<const OrderAttempt*>& rivals) {
    for (;;) {
      best_ = static_cast<std::size_t>(rivals[search::best_of(rivals)]->iteration - 1);
      OrderAttempt& chosen = report_.attempts[*best_];
      if (!chosen.from_history && chosen.predicted->causes) return;
      show("replaying the best");
      const order::Map map = map_of(*best_);
      chosen.predicted =
          predictions_->named(scorer_->replay({&map, true}, Purpose::answer), chosen.title);
      chosen.speedup = report_.baseline.time_us / chosen.predicted->time_us;
      chosen.from_history = false;
    }
  }

  /// Replays them a few at a time while there is time; those that were. The first few in any case:
  /// there must be an answer.
  std::vector<std::size_t> replay_finalists(const std::vector<std::size_t>& ranked) {
    std::vector<std::size_t> done;
    while (done.size() < ranked.size() && (done.empty() || !out_of_time(kLastReplays))) {
      if (!done.empty() && interrupted()) break;
      show("replaying the finalists");
      const std::size_t end = std::min(done.size() + kFinalistsAtOnce, ranked.size());
      std::vector<OrderAttempt*> attempts;
      std::vector<order::Map> maps;
      std::vector<search::Replay> replays;
      for (std::size_t i = done.size(); i < end; ++i) {
        attempts.push_back(&report_.attempts[ranked[i]]);
        maps.push_back(map_of(ranked[i]));
      }
      for (const order::Map& map : maps) replays.push_back({&map, false});
      predictions_->predict(attempts, replays, Purpose::answer);
      for (const OrderAttempt* attempt : attempts) {
        if (book_) book_->record({*attempt});
        done.push_back(static_cast<std::size_t>(attempt->iteration - 1));
      }
    }
    return done;
  }

  /// In turn: the best of all, of the published ones, and of those that move few bytes. However a
  /// sample ranks them, an answer is never worse than what was published.
  std::vector<std::size_t> finalists() const {
    std::vector<const OrderAttempt*> all, published;
    for (std::size_t i = 1; i < report_.attempts.size(); ++i) {
      const OrderAttempt& attempt = report_.attempts[i];
      if (!is_eligible(attempt)) continue;
      all.push_back(&attempt);
      if (attempt.proposer == "published") published.push_back(&attempt);
    }
    const std::size_t most = scorer_->same_fidelity() ? all.size() : kFinalists;
    std::vector<std::size_t> chosen;
    const auto take = [&](const std::vector<const OrderAttempt*>& ranked, std::size_t place) {
      if (place >= ranked.size() || chosen.size() >= most) return;
      const auto index = static_cast<std::size_t>(ranked[place]->iteration - 1);
      if (std::find(chosen.begin(), chosen.end(), index) == chosen.end()) chosen.push_back(index);
    };
    const auto lean = search::leanest(all, kLeanFinalists);
    all = search::ranked(std::move(all), most);
    published = search::ranked(std::move(published), kPublishedFinalists);
    for (std::size_t place = 0; place < all.size(); ++place) {
      take(published, place);
      take(all, place);
      take(lean, place);
    }
    return chosen;
  }

  // ---- on a GPU ---------------------------------------------------------------------------

  /// Rounds of measurements: the model's best, then what they suggest. The fastest is the best.
  void measure_orders() {
    if (!request_.measuring.measure) return;
    Measuring measuring(request_, loaded_, *independent_, report_);
    std::vector<std::size_t> chosen = first_to_measure();
    while (!interrupted()) {
      show(
          fmt::format("measuring {}", count_of(static_cast<std::int64_t>(chosen.size()), "order")));
      if (!measuring.measure(to_measure(chosen))) break;
      if (request_.measuring.given_only || measuring.left() == 0) break;
      chosen = next_to_measure(measuring);
      if (chosen.empty()) break;
    }
    if (!report_.measurements.empty()) take_fastest(measuring);
  }

  std::vector<OrderToMeasure> to_measure(const std::vector<std::size_t>& chosen) {
    std::vector<OrderToMeasure> orders;
    for (const std::size_t index : chosen)
      orders.push_back({&report_.attempts[index], &proven_.at(static_cast<int>(index) + 1).order});
    return orders;
  }

  bool is_given(const OrderAttempt& attempt) const {
    return std::any_of(request_.given.begin(), request_.given.end(),
                       [&](const GivenText& given) { return given.name == attempt.proposer; });
  }

  /// What was given, or the best by the model, the best published ones and the leanest.
  std::vector<std::size_t> first_to_measure() const {
    std::vector<std::size_t> chosen;
    const auto most = static_cast<std::size_t>(request_.measuring.most);
    if (request_.measuring.given_only) {
      for (std::size_t i = 1; i < report_.attempts.size() && chosen.size() < most; ++i)
        if (is_eligible(report_.attempts[i]) && is_given(report_.attempts[i])) chosen.push_back(i);
      return chosen;
    }
    if (best_.value_or(0) > 0) chosen.push_back(*best_);
    for (const std::size_t index : finalists())
      if (std::find(chosen.begin(), chosen.end(), index) == chosen.end()) chosen.push_back(index);
    const auto first = static_cast<std::size_t>(request_.measuring.first);
    chosen.resize(std::min({chosen.size(), first, most}));
    return chosen;
  }

  std::vector<std::size_t> next_to_measure(const Measuring& measuring) {
    for (const OrderAttempt& attempt : report_.attempts)
      if (attempt.measured) search_->report(attempt);
    for (int tried = 0, more = 1; more > 0 && tried < kInformed && !interrupted(); tried += more)
      more = try_some();
    return measuring.worth_measuring(
        std::min(kNextMeasured, static_cast<std::size_t>(measuring.left())));
  }

  void take_fastest(const Measuring& measuring) {
    const auto& winner = measuring.winner();
    best_ = winner ? static_cast<std::size_t>(winner->iteration - 1) : 0;
    OrderAttempt& chosen = report_.attempts[*best_];
    if (*best_ > 0 && !(chosen.finalist && chosen.predicted->causes)) {
      show("replaying the fastest");
      const order::Map map = map_of(*best_);
      chosen.predicted =
          predictions_->named(scorer_->replay({&map, true}, Purpose::answer), chosen.title);
      chosen.speedup = report_.baseline.time_us / chosen.predicted->time_us;
      chosen.fidelity = scorer_->fidelity(Purpose::answer);
      chosen.from_history = false;
    }
    fill_best();
    report_.answer = winner ? Answer::improved : Answer::already_best;
    if (winner) report_.best.measured = winner->times;
  }

  order::Map map_of(std::size_t index) const {
    const proof::ProvenOrder& proven = proven_.at(static_cast<int>(index) + 1).order;
    return order::materialize(proven.order(), space_, proven.bindings());
  }

  /// What is the best right now.
  void fill_best() {
    const OrderAttempt& attempt = report_.attempts[best_.value_or(0)];
    BestOrder& best = report_.best;
    best.iteration = attempt.iteration;
    best.title = attempt.title;
    best.formula = attempt.formula;
    best.idea = attempt.idea;
    best.verdict = attempt.verdict;
    best.sizes = attempt.sizes.value_or(ProvedSizes::all);
    best.predicted = attempt.iteration == 1 ? report_.baseline : *attempt.predicted;
    best.speedup = attempt.iteration == 1 ? 1 : attempt.speedup.value_or(1);
    const Proven& proven = proven_.at(attempt.iteration);
    write_order(proven.order, proven.argument, report_.best);
  }

  void emit_best() {
    if (report_.answer != Answer::improved) return;
    show("writing the kernel");
    patch_kernel(loaded_, proven_.at(report_.best.iteration).order, *independent_, report_);
  }

  // ---- small things -----------------------------------------------------------------------

  bool interrupted() const { return request_.stop && request_.stop(); }
  double budget_seconds() const { return static_cast<double>(request_.budget.count()) / 1000; }
  static double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  void show(const std::string& step) const {
    if (!request_.progress) return;
    OptimizeProgress progress;
    progress.step = step;
    progress.attempts = static_cast<int>(report_.attempts.size());
    progress.replayed = report_.search.replayed;
    if (best_) progress.best = report_.attempts[*best_].title;
    if (best_) progress.speedup = report_.attempts[*best_].speedup.value_or(1);
    if (best_) progress.fidelity = report_.attempts[*best_].fidelity;
    progress.elapsed_s = seconds_since(started_);
    progress.budget_s = budget_seconds();
    request_.progress(progress);
  }

  struct Proven {
    proof::ProvenOrder order;
    std::vector<std::string> argument;
  };

  const OptimizeRequest& request_;
  Clock::time_point started_;
  config::Gpu gpu_;
  LoadedKernel loaded_;
  order::Space space_;
  OptimizationReport report_;
  std::optional<trace::IndependentTiles> independent_;
  std::optional<HistoryBook> book_;
  std::optional<sim::Simulator> simulator_;
  std::optional<search::Scorer> scorer_;
  std::optional<Predictions> predictions_;
  std::optional<search::Judge> judge_;
  std::optional<search::Search> search_;
  std::deque<search::Proposal> waiting_;  ///< given ones, before the proposers' own
  std::map<int, Proven> proven_;          ///< by iteration
  std::optional<std::size_t> best_;       ///< into report_.attempts
  std::set<std::string> said_;            ///< formulas that were given
  double answer_seconds_ = 0;
  bool asking_ = true;
};

}  // namespace

OptimizationReport optimize_job(const OptimizeRequest& request) {
  return Optimization(request).run();
}

}  // namespace heddle
