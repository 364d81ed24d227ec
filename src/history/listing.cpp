// What the verb `history` asks for: runs, one run ranked, two runs side by side.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "history/database.h"
#include "history/history.h"
#include "history/rows.h"
#include "history/schema.h"
#include "support/error.h"

namespace heddle::history {
namespace {

constexpr std::size_t kListedIds = 2;

/// One attempt with all of its predictions, in the order recorded.
using Predictions = std::vector<OrderAttempt>;

HistoryRun read_run(const Row& row) {
  HistoryRun run;
  std::size_t next = 0;
  HistoryRun::fields(
      [&](Field, auto& field) {
        const Value& cell = row.at(next++);
        if (cell != Value{}) decode(cell, field);
      },
      run);
  return run;
}

/// Runs of which `condition` holds, newest first.
std::vector<HistoryRun> select_runs(Database& database, const std::string& condition,
                                    const Row& parameters) {
  Statement rows(
      database,
      fmt::format("SELECT {}, (SELECT count(*) FROM attempts WHERE attempts.run = runs.id), "
                  "ends.answer, ends.best_title, ends.speedup, ends.search_end "
                  "FROM runs LEFT JOIN ends ON ends.id = runs.id WHERE {} ORDER BY runs.id DESC",
                  column_list("runs"), condition));
  rows.bind(parameters);
  std::vector<HistoryRun> runs;
  while (rows.step()) runs.push_back(read_run(rows.row()));
  return runs;
}

HistoryRun find_run(Database& database, std::int64_t id) {
  const std::vector<HistoryRun> found = select_runs(database, "runs.id = ?", {id});
  if (!found.empty()) return found.front();
  throw Error(fmt::format("there is no run {} in '{}'", id, database.path()),
              fmt::format("heddle history '{}' lists them", database.path()));
}

std::vector<Predictions> attempts_of(Database& database, std::int64_t run) {
  Statement rows(database,
                 fmt::format("SELECT {}, {} FROM attempts JOIN predictions "
                             "ON predictions.attempt = attempts.id WHERE attempts.run = ? "
                             "ORDER BY attempts.id, predictions.id",
                             column_list("attempts"), column_list("predictions")));
  rows.bind(1, run);
  std::vector<Predictions> attempts;
  Value last;
  while (rows.step()) {
    const Row row = rows.row();
    OrderAttempt attempt;
    read_attempt(row, kListedIds, attempt);
    read_prediction(row, column_count("attempts") + kListedIds, attempt);
    if (row.front() != last) attempts.emplace_back();
    last = row.front();
    attempts.back().push_back(std::move(attempt));
  }
  return attempts;
}

/// The prediction to show: of a finalist that of the answer, else the last.
const OrderAttempt& shown(const Predictions& predictions) {
  for (const OrderAttempt& one : predictions) {
    if (one.predicted && one.finalist) return one;
  }
  return predictions.back();
}

int rank_class(const OrderAttempt& attempt) {
  if (attempt.predicted) return attempt.finalist ? 0 : 1;
  if (attempt.verdict == Verdict::proved) return 2;
  return attempt.verdict == Verdict::unknown ? 3 : 4;
}

bool ranks_before(const OrderAttempt& a, const OrderAttempt& b) {
  const auto key = [](const OrderAttempt& attempt) {
    double time_us = attempt.predicted ? attempt.predicted->time_us : 0;
    if (std::isnan(time_us)) time_us = std::numeric_limits<double>::infinity();
    return std::make_tuple(rank_class(attempt), std::string_view(attempt.fidelity), time_us,
                           attempt.iteration);
  };
  return key(a) < key(b);
}

/// Those that were predicted, ranked.
std::vector<Predictions> predicted_of(Database& database, std::int64_t run) {
  std::vector<Predictions> attempts = attempts_of(database, run);
  std::erase_if(attempts, [](const Predictions& one) { return !shown(one).predicted; });
  std::ranges::stable_sort(
      attempts, [](const auto& a, const auto& b) { return ranks_before(shown(a), shown(b)); });
  return attempts;
}

bool same_order(const OrderAttempt& a, const OrderAttempt& b) {
  return (!a.map_hash.empty() && a.map_hash == b.map_hash) || a.formula == b.formula;
}

/// Both sides at one fidelity where they share one.
ComparedOrder compare_order(const Predictions& before, const Predictions& after) {
  ComparedOrder order{shown(after).title, shown(before), shown(after), {}};
  std::optional<std::pair<const OrderAttempt*, const OrderAttempt*>> equal;
  for (const OrderAttempt& b : before) {
    for (const OrderAttempt& a : after) {
      if (!a.predicted || !b.predicted || a.fidelity != b.fidelity) continue;
      if (!equal || a.finalist || b.finalist) equal = {&b, &a};
    }
  }
  if (!equal) return order;
  order.before = *equal->first;
  order.after = *equal->second;
  const double time_before = order.before->predicted->time_us;
  if (time_before > 0) order.change_pct = 100 * (order.after->predicted->time_us / time_before - 1);
  return order;
}

std::vector<std::string> differences(const HistoryRun& before, const HistoryRun& after) {
  std::vector<std::string> differ;
  if (before.work_hash != after.work_hash) differ.emplace_back("work");
  if (before.grid != after.grid) differ.emplace_back("grid");
  if (before.gpu_hash != after.gpu_hash) differ.emplace_back("GPU");
  if (before.model != after.model) differ.emplace_back("model");
  return differ;
}

}  // namespace

HistoryListing History::runs() const {
  return {database_->path(), select_runs(*database_, "1", {})};
}

HistoryRunReport History::run(std::int64_t id) const {
  const Transaction transaction(*database_, Transaction::Kind::read);
  HistoryRunReport report{database_->path(), find_run(*database_, id), {}};
  for (const Predictions& one : attempts_of(*database_, id)) report.attempts.push_back(shown(one));
  std::ranges::stable_sort(report.attempts, ranks_before);
  return report;
}

HistoryComparison History::compare(std::int64_t before, std::int64_t after) const {
  const Transaction transaction(*database_, Transaction::Kind::read);
  HistoryComparison comparison{
      database_->path(), find_run(*database_, before), find_run(*database_, after), {}, {}};
  comparison.differ = differences(comparison.before, comparison.after);
  std::vector<Predictions> earlier = predicted_of(*database_, before);
  for (const Predictions& one : predicted_of(*database_, after)) {
    const auto match = std::ranges::find_if(
        earlier, [&](const Predictions& other) { return same_order(shown(one), shown(other)); });
    if (match == earlier.end()) {
      comparison.orders.push_back({shown(one).title, {}, shown(one), {}});
      continue;
    }
    comparison.orders.push_back(compare_order(*match, one));
    earlier.erase(match);
  }
  for (const Predictions& one : earlier)
    comparison.orders.push_back({shown(one).title, shown(one), {}, {}});
  return comparison;
}

}  // namespace heddle::history
