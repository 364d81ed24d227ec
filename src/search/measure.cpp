#include "search/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "support/lists.h"
#include "support/text.h"

namespace heddle::search {
namespace {

constexpr double kLeastSlack = 0.02;  ///< of a speedup: how far the model may be off at least
constexpr int kNextMeasured = 3;      ///< orders of a later round
constexpr int kInformed = 16;         ///< proposals between two rounds

struct Winner {
  int number = kLaunchOrder;
  MeasuredTimes times;
};

/// Fills in `measured` or `rejected` of a round's attempts.
void fill_in(const MeasuredRound& round, Attempts& attempts) {
  const std::vector<MeasuredCandidate>& candidates = round.report.candidates;
  attempts.launch().measured = candidates.front().cold;
  for (std::size_t i = 0; i < round.orders.size() && i + 1 < candidates.size(); ++i) {
    const MeasuredCandidate& candidate = candidates[i + 1];
    OrderAttempt& attempt = attempts.at(round.orders[i]);
    attempt.measured = candidate.cold;
    if (candidate.rejected)
      attempt.rejected =
          fmt::format("{}: {}", candidate.rejected->kind, candidate.rejected->detail);
  }
}

/// The order that a round confirmed as faster.
std::optional<Winner> winner_of(const MeasuredRound& round) {
  if (!round.report.winner || !round.report.confirmed_cold) return std::nullopt;
  const auto place = static_cast<std::size_t>(*round.report.winner - 1);
  if (place >= round.orders.size()) return std::nullopt;  // not an order
  return Winner{round.orders[place], *round.report.confirmed_cold};
}

/// Unmeasured ones that are worth it (rule 3), best first; `fastest` is the best ratio so far.
std::vector<int> worth_measuring(const Attempts& attempts, const SearchOptions& options,
                                 double fastest, int most) {
  // How the model was off: by a factor for all, and beyond that by a slack.
  std::vector<double> factors;
  for (const OrderAttempt& attempt : attempts.all())
    if (attempt.iteration != kLaunchOrder && attempt.measured && attempt.speedup)
      factors.push_back(attempt.measured->ratio / *attempt.speedup);
  if (factors.empty()) return {};
  double bias = 0, slack = 0;
  for (const double factor : factors) bias += factor / static_cast<double>(factors.size());
  for (const double factor : factors)
    slack += std::abs(factor / bias - 1) / static_cast<double>(factors.size());
  const double needed = fastest / (1 + std::max(slack, kLeastSlack));
  std::vector<const OrderAttempt*> worth;
  for (const OrderAttempt& attempt : attempts.all()) {
    const bool is_open = attempt.iteration != kLaunchOrder && is_eligible(attempt, options) &&
                         attempt.speedup && !attempt.measured && attempt.rejected.empty();
    if (is_open && *attempt.speedup * bias >= needed) worth.push_back(&attempt);
  }
  std::ranges::stable_sort(worth, [](const OrderAttempt* a, const OrderAttempt* b) {
    return *a->speedup > *b->speedup;
  });
  std::vector<int> numbers;
  for (const OrderAttempt* attempt : worth)
    if (static_cast<int>(numbers.size()) < most) numbers.push_back(attempt->iteration);
  return numbers;
}

/// Rule 4.
void take_fastest(const Prepared& prepared, const Session& session,
                  const std::optional<Winner>& winner, Chosen& chosen) {
  chosen.best = winner ? winner->number : kLaunchOrder;
  chosen.answer = winner ? Answer::improved : Answer::already_best;
  Searched& searched = chosen.searched;
  OrderAttempt& best = searched.attempts.at(chosen.best);
  if (chosen.best == kLaunchOrder || (best.finalist && best.predicted->causes)) return;
  session.pace.show(progress_of(searched, chosen.best, "replaying the fastest"));
  searched.predictor.replay_for_answer(map_of(prepared, searched.attempts, chosen.best), best);
}

}  // namespace

std::vector<int> first_to_measure(const Prepared& prepared, const SearchOptions& options,
                                  const Chosen& chosen, const MeasureLimits& limits) {
  const Attempts& attempts = chosen.searched.attempts;
  const auto most = static_cast<std::size_t>(limits.most);
  std::vector<int> numbers;
  if (options.given_only) {
    for (const OrderAttempt& attempt : attempts.all())
      if (attempt.origin == Origin::given && is_eligible(attempt, options) && numbers.size() < most)
        numbers.push_back(attempt.iteration);
    return numbers;
  }
  if (chosen.best != kLaunchOrder) numbers.push_back(chosen.best);
  for (const int number : finalists(prepared, options, attempts))
    if (number != chosen.best) numbers.push_back(number);
  const auto first = static_cast<std::size_t>(limits.first);
  numbers.resize(std::min({numbers.size(), first, most}));
  // The user's own are measured, whatever the model thinks of them.
  for (const OrderAttempt& attempt : attempts.all())
    if (attempt.origin == Origin::given && is_eligible(attempt, options) &&
        !is_one_of(attempt.iteration, numbers))
      numbers.push_back(attempt.iteration);
  return numbers;
}

Measured measure(const Prepared& prepared, const Session& session, Chosen chosen,
                 const MeasureLimits& limits, const MeasureRound& measure_round) {
  if (!prepared.independent) return {std::move(chosen), {}, {}};
  std::vector<MeasurementReport> rounds;
  std::optional<Winner> winner;
  int left = limits.most;
  std::vector<int> orders = first_to_measure(prepared, session.options, chosen, limits);
  while (!session.pace.interrupted()) {
    session.pace.show(progress_of(
        chosen.searched, chosen.best,
        fmt::format("measuring {}", count_of(static_cast<std::int64_t>(orders.size()), "order"))));
    auto round = measure_round(chosen.searched.attempts, orders);
    if (!round) break;
    fill_in(*round, chosen.searched.attempts);
    const auto fastest = winner_of(*round);
    if (fastest && (!winner || fastest->times.ratio > winner->times.ratio)) winner = fastest;
    left -= static_cast<int>(round->orders.size());
    rounds.push_back(std::move(round->report));
    if (session.options.given_only || left <= 0) break;
    chosen.searched = resume(prepared, session, std::move(chosen.searched), kInformed);
    orders = worth_measuring(chosen.searched.attempts, session.options,
                             winner ? winner->times.ratio : 1, std::min(kNextMeasured, left));
    if (orders.empty()) break;
  }
  if (rounds.empty()) return {std::move(chosen), {}, {}};
  take_fastest(prepared, session, winner, chosen);
  return {std::move(chosen), std::move(rounds),
          winner ? std::optional(winner->times) : std::nullopt};
}

}  // namespace heddle::search
