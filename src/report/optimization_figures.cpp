#include "report/optimization_figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/clean_text.h"
#include "report/figures.h"
#include "report/optimization_explanation.h"
#include "report/optimization_facts.h"
#include "report/optimization_table.h"
#include "report/tile_figures.h"
#include "report/tuning_report.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr double kMebibyte = 1024.0 * 1024.0;
constexpr std::size_t kLongestPointName = 160;
constexpr std::size_t kMostPoints = 4000;  ///< the fastest ones

std::vector<NamedReplay> replays_of(const OptimizationReport& report) {
  std::vector<NamedReplay> replays;
  if (has_replay(report.baseline)) replays.push_back({report.baseline_name(), &report.baseline});
  const bool has_rival = report.answer == Answer::measure && report.best.iteration != 1;
  if ((report.is_reordered() || has_rival) && has_replay(report.best.predicted))
    replays.push_back({report.best.title.empty() ? report.best.formula : report.best.title,
                       &report.best.predicted});
  return replays;
}

/// "1.12x", with its interval.
KeyFigures::One speedup_figure(const OptimizationReport& report) {
  KeyFigures::One one;
  const bool is_measured = report.best.measured.has_value();
  one.label = is_measured ? "measured speedup" : "predicted speedup";
  one.value = fmt::format("{:.2f}x", headline_speedup(report));
  one.tone = report.answer == Answer::improved ? Tone::good : Tone::neutral;
  if (is_measured)
    one.detail =
        fmt::format("{:.3f} to {:.3f}", report.best.measured->low, report.best.measured->high);
  else if (const auto interval = speedup_interval(report.best.speedup, report.best.predicted))
    one.detail = fmt::format("{:.2f} to {:.2f}", interval->low, interval->high);
  return one;
}

std::string order_words(const OrderAttempt& attempt) {
  const SimResult& predicted = *attempt.predicted;
  std::string text = fmt::format("{}: {}\n{} past the L2, {}", attempt.iteration,
                                 one_line(short_title(attempt), kLongestPointName),
                                 bytes_text(static_cast<double>(moved_bytes(predicted))),
                                 time_text(predicted.time_us));
  if (attempt.speedup) text += fmt::format(", speedup {:.3f}", *attempt.speedup);
  if (attempt.measured) text += fmt::format("\nmeasured {}", time_text(attempt.measured->time_us));
  if (!attempt.proposer.empty())
    text += fmt::format("\nproposed by {}", one_line(attempt.proposer, kLongestPointName));
  return text;
}

/// What kind of point an order is.
enum class Rank { launch, best, finalist, other, measured };

Rank rank_of(const OrderAttempt& attempt, const OptimizationReport& report) {
  if (attempt.iteration == 1) return Rank::launch;
  if (attempt.iteration == report.best.iteration) return Rank::best;
  if (attempt.measured) return Rank::measured;
  return attempt.finalist ? Rank::finalist : Rank::other;
}

const char* rank_text(Rank rank) {
  switch (rank) {
    case Rank::launch:
      return "as launched";
    case Rank::best:
      return "best";
    case Rank::measured:
      return "measured";
    case Rank::finalist:
      return "finalist";
    case Rank::other:
      break;
  }
  return "replayed in the search";
}

void add_orders(const OptimizationReport& report, Document& page) {
  std::vector<const OrderAttempt*> attempts = ranked_attempts(report);
  std::erase_if(attempts,
                [](const OrderAttempt* one) { return moved_bytes(*one->predicted) <= 0; });
  if (attempts.size() < 2) return;
  const bool is_cut = attempts.size() > kMostPoints;
  if (is_cut) attempts.resize(kMostPoints);
  Plot plot;
  plot.x = {"bytes past the L2, MiB", false, {}};
  plot.y = {"predicted time, us", false, {}};
  plot.has_filter = true;
  for (const Rank rank : {Rank::other, Rank::finalist, Rank::measured, Rank::launch, Rank::best})
    plot.series.push_back({rank_text(rank), Plot::Series::Kind::points, {}, false});
  Table table{"Every order that was replayed",
              {{"iteration", true},
               {"order"},
               {"bytes past the L2", true},
               {"time", true},
               {"speedup", true},
               {"what it is"}},
              {},
              {}};
  for (const OrderAttempt* attempt : attempts) {
    const SimResult& predicted = *attempt->predicted;
    const Rank rank = rank_of(*attempt, report);
    const auto bytes = static_cast<double>(moved_bytes(predicted));
    const bool has_interval = rank != Rank::other;
    const char* const name = rank_text(rank);
    const auto series = std::ranges::find(plot.series, name, &Plot::Series::name);
    series->points.push_back({bytes / kMebibyte, predicted.time_us, order_words(*attempt),
                              has_interval ? predicted.intervals.time_us : std::nullopt});
    if (rank == Rank::best) table.marked.push_back(table.rows.size());
    table.rows.push_back({ours(std::to_string(attempt->iteration)),
                          code(one_line(short_title(*attempt), kLongestPointName)),
                          ours(bytes_text(bytes)), ours(time_text(predicted.time_us)),
                          ours(fmt::format("{:.3f}", *attempt->speedup)), ours(name)});
  }
  page.add(Picture{"Every order of the search",
                   is_cut
                       ? fmt::format("Bytes against predicted time; the fastest {}.", kMostPoints)
                       : std::string("Bytes against predicted time; bars are the intervals that "
                                     "four in five measured times lie in."),
                   std::move(plot), std::move(table)});
}

/// How many orders got how far.
void add_rungs(const OptimizationReport& report, Document& page) {
  const SearchSummary& search = report.search;
  const std::int64_t finalists =
      std::ranges::count_if(report.attempts, [](const OrderAttempt& one) { return one.finalist; });
  Bars bars{{"orders"}, {}};
  const auto add = [&](const char* label, std::int64_t count) {
    if (count > 0)
      bars.groups.push_back({label, {static_cast<double>(count)}, {with_separators(count)}});
  };
  add("proposed", search.proposed);
  add("outlined", search.outlined);
  add("replayed", search.replayed + search.from_history);
  add("finalists", finalists);
  add("measured", measured_orders(report));
  if (bars.groups.size() < 2) return;
  Table table{"Orders on each rung", {{"rung"}, {"orders", true}}};
  for (const Bars::Group& group : bars.groups)
    table.rows.push_back({group.label, ours(group.texts[0])});
  page.add(Picture{"The rungs of the search", "Each rung looks closer at fewer orders.",
                   std::move(bars), std::move(table)});
}

}  // namespace

void add_key_figures(const OptimizationReport& report, Document& page) {
  if (!has_replay(report.baseline)) return;
  KeyFigures key;
  if (report.is_reordered() || report.tuning || !report.shapes.empty())
    key.figures.push_back(speedup_figure(report));
  const ComparedOrders orders = compared_orders(report);
  const bool is_pair =
      (report.is_reordered() || report.answer == Answer::measure) && orders.after != nullptr;
  for (const char* const label :
       {"time", "L2 hit rate", "bytes past the L2", "against the bound"}) {
    const auto row = std::ranges::find(orders.rows, label, &ComparedRow::label);
    if (row == orders.rows.end()) continue;
    const std::string name = row->label == "against the bound" ? "bytes against the bound"
                             : row->label == "time"            ? "predicted time"
                                                               : row->label;
    if (!is_pair) {
      key.figures.push_back({name, row->before, report.baseline_name(), Tone::neutral});
      continue;
    }
    std::string detail = fmt::format("{} {}", report.baseline_name(), row->before);
    if (!row->change.empty()) detail += fmt::format(" ({})", row->change);
    key.figures.push_back({name, row->after, detail, Tone::neutral});
  }
  page.add(std::move(key));
}

void add_replay_figures(const OptimizationReport& report, Document& page) {
  const std::vector<NamedReplay> replays = replays_of(report);
  add_tile_maps(replays, page);
  add_miss_causes(replays, page);
  add_utilization(replays, page);
  add_die_loads(replays, page);
  if (!replays.empty()) add_tensor_traffic(report.memory, page);
}

void add_search_figures(const OptimizationReport& report, Document& page) {
  add_rungs(report, page);
  add_orders(report, page);
}

}  // namespace heddle::report
