#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "report/clean_text.h"
#include "report/document.h"
#include "report/family_table.h"
#include "report/validation_report.h"
#include "report/validation_table.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kMostFamilies = 7;  ///< with a colour of their own
constexpr std::size_t kLongestFamily = 40;
constexpr std::size_t kLongestValidated = 120;

/// A figure that was measured and predicted.
struct PairedFigure {
  const char* title;
  const char* unit;
  bool is_logarithmic;
  std::function<std::optional<double>(const ComparedPoint&)> measured;
  std::function<std::optional<double>(const ComparedPoint&)> predicted;
};

std::vector<PairedFigure> paired_figures() {
  return {
      {"L2 hit rate", "%", false, [](const ComparedPoint& one) { return one.measured.l2_hit_pct; },
       [](const ComparedPoint& one) { return std::optional(one.predicted.l2_hit_pct); }},
      {"DRAM reads", "MB", true, [](const ComparedPoint& one) { return one.measured.dram_read_mb; },
       [](const ComparedPoint& one) { return std::optional(one.predicted.dram_read_mb); }},
      {"Time", "us", true, [](const ComparedPoint& one) { return one.measured.time_us; },
       [](const ComparedPoint& one) { return std::optional(one.predicted.time_us); }},
      {"Speedup", "x", false, [](const ComparedPoint& one) { return one.measured_speedup; },
       [](const ComparedPoint& one) { return std::optional(one.predicted.speedup); }}};
}

std::string family_name(const ComparedGroup& group) {
  return one_line(group.family().empty() ? group.label() : group.family(), kLongestFamily);
}

/// The families with the most points, each a series; the rest together.
std::vector<std::string> shown_families(const ValidationReport& report, const GpuScore& score) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const std::size_t g : score.groups) {
    const std::string name = family_name(report.groups[g]);
    const auto it = std::ranges::find(counts, name, &std::pair<std::string, std::size_t>::first);
    if (it == counts.end())
      counts.emplace_back(name, report.groups[g].points.size());
    else
      it->second += report.groups[g].points.size();
  }
  std::ranges::stable_sort(counts, std::greater<>(), &std::pair<std::string, std::size_t>::second);
  std::vector<std::string> names;
  for (const auto& [name, count] : counts) names.push_back(name);
  if (names.size() > kMostFamilies) names.resize(kMostFamilies);
  return names;
}

void add_pairs(const ValidationReport& report, const GpuScore& score, const PairedFigure& figure,
               Document& page) {
  const std::vector<std::string> families = shown_families(report, score);
  Plot plot;
  plot.x = {fmt::format("measured, {}", figure.unit), figure.is_logarithmic, {}};
  plot.y = {fmt::format("predicted, {}", figure.unit), figure.is_logarithmic, {}};
  plot.has_filter = true;
  for (const std::string& name : families)
    plot.series.push_back({name, Plot::Series::Kind::points, {}, false, ""});
  plot.series.push_back({"other families", Plot::Series::Kind::points, {}, false, ""});
  Table table{fmt::format("{}, point by point", figure.title),
              {{"kernel"}, {"family"}, {"order"}, {"measured", true}, {"predicted", true}}};
  std::optional<Interval> range;
  for (const std::size_t g : score.groups) {
    const ComparedGroup& group = report.groups[g];
    const std::string family = family_name(group);
    const auto place =
        static_cast<std::size_t>(std::ranges::find(families, family) - families.begin());
    for (const ComparedPoint& point : group.points) {
      const auto measured = figure.measured(point);
      const auto predicted = figure.predicted(point);
      if (!measured || !predicted) continue;
      if (figure.is_logarithmic && (*measured <= 0 || *predicted <= 0)) continue;
      if (!range) range = {*measured, *measured};
      range->low = std::min({range->low, *measured, *predicted});
      range->high = std::max({range->high, *measured, *predicted});
      const std::string order = one_line(point.measured.order, kLongestValidated);
      plot.series[place].points.push_back(
          {*measured,
           *predicted,
           fmt::format("{}, {}\nmeasured {:.4g} {}, predicted {:.4g} {}", group.label(), order,
                       *measured, figure.unit, *predicted, figure.unit),
           {}});
      table.rows.push_back({Text(group.label()), Text(family), code(order),
                            ours(fmt::format("{:.4g}", *measured)),
                            ours(fmt::format("{:.4g}", *predicted))});
    }
  }
  if (!range) return;
  plot.series.push_back({"predicted = measured",
                         Plot::Series::Kind::line,
                         {{range->low, range->low, "predicted = measured", {}},
                          {range->high, range->high, "predicted = measured", {}}},
                         true,
                         ""});
  page.add(Picture{fmt::format("{}: predicted against measured", figure.title),
                   "On the dashed line a prediction is right; above it, it is too high.",
                   std::move(plot), std::move(table)});
}

void add_families(const GpuScore& score, Document& page) {
  const auto rows = family_rows(score);
  if (rows.empty()) return;
  Table table{"Mean errors of each kernel family (L2 hit rate in points)", {}};
  for (std::size_t i = 0; i < rows.front().size(); ++i)
    table.columns.push_back({rows.front()[i], i > 0});
  for (std::size_t r = 1; r < rows.size(); ++r) {
    std::vector<Text> cells = {Text(rows[r].front())};
    for (std::size_t i = 1; i < rows[r].size(); ++i) cells.push_back(ours(rows[r][i]));
    table.rows.push_back(std::move(cells));
  }
  page.add(std::move(table));
}

}  // namespace

Document validation_view(const ValidationReport& report) {
  Document page;
  page.verb = "validate";
  int points = 0;
  std::vector<std::string> gpus;
  for (const GpuScore& score : report.scores) {
    points += score.points;
    gpus.push_back(score.gpu);
  }
  page.title = Text(fmt::format("Predicted and measured: {} on {}", count_of(points, "point"),
                                fmt::join(gpus, ", ")));
  page.badge = report.breaches.empty() ? "" : "limits exceeded";
  page.tone = Tone::bad;
  page.paragraph(ours("Tables: ") + Text(fmt::format("{}", fmt::join(report.tables, ", "))) +
                 ours(". An error is predicted minus measured."));
  if (!report.breaches.empty()) {
    Items breaches;
    for (const LimitBreach& breach : report.breaches)
      breaches.items.emplace_back(breach_text(report, breach));
    page.heading(ours("Limits exceeded"));
    page.add(std::move(breaches));
  }
  for (const GpuScore& score : report.scores) {
    page.heading(score.gpu);
    Values lines;
    for (const ScoreLine& line : score_lines(report, score)) lines += value(line.label, line.text);
    page.add(std::move(lines));
    for (const PairedFigure& figure : paired_figures()) add_pairs(report, score, figure, page);
    add_families(score, page);
  }
  return page;
}

}  // namespace heddle::report
