#include <fmt/format.h>

#include <algorithm>

#include "report/clean_text.h"
#include "report/document.h"
#include "report/roofline_report.h"
#include "report/roofline_words.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kLongestRooflineName = 400;
constexpr std::size_t kLongestRooflineKey = 60;  ///< of a legend

Plot::Series roof_series(const RooflineLine& line) {
  const std::string label = ceiling_label(line);
  return {label,
          Plot::Series::Kind::line,
          {{line.x_from, line.y_from, label, {}}, {line.x_to, line.y_to, label, {}}},
          true,
          label};
}

Plot::Series kernel_series(const RooflineReport& report, const LetteredPoint& lettered) {
  const RooflinePoint& point = *lettered.point;
  Plot::Series series{
      fmt::format("{}: {}", lettered.letter, point_name(point, kLongestRooflineKey)),
      Plot::Series::Kind::points,
      {},
      false,
      ""};
  if (!is_drawn(point)) return series;
  for (const std::string& level : report.levels) {
    const double intensity = intensity_at(point, level);
    if (intensity <= 0) continue;
    series.points.push_back(
        {intensity,
         point.gflop_per_s,
         fmt::format("{}\nat {}: {} GFLOP/s, {} FLOP/byte\n{}",
                     point_name(point, kLongestRooflineName), level, rate_figure(point.gflop_per_s),
                     rate_figure(intensity), limits_text(report, point)),
         {}});
  }
  return series;
}

Table kernels_table(const RooflineReport& report) {
  Table table{"Kernels and the ceilings they reach",
              {{""},
               {"kernel"},
               {"run"},
               {"GFLOP/s", true},
               {"FLOP/B at L1", true},
               {"at L2", true},
               {"at HBM", true},
               {"share of the ceiling"}}};
  for (const LetteredPoint& lettered : lettered_points(report)) {
    const RooflinePoint& point = *lettered.point;
    std::vector<Text> row = {ours(lettered.letter), code(point_name(point, kLongestRooflineName)),
                             Text(one_line(report.runs[lettered.run].name, 80)),
                             ours(point.missing.empty() ? rate_figure(point.gflop_per_s) : "-")};
    for (const char* const level : {"L1", "L2", "HBM"}) {
      const double intensity = intensity_at(point, level);
      row.push_back(ours(intensity > 0 ? rate_figure(intensity) : "-"));
    }
    const std::string why = why_not_drawn(point);
    row.push_back(!why.empty() ? Text(why)
                               : ours(report.ceilings().empty() ? "" : limits_text(report, point)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

void add_chart(const RooflineReport& report, const std::vector<std::string>& types,
               Document& page) {
  Plot plot;
  plot.x = {"arithmetic intensity, FLOP/byte", true, {}};
  plot.y = {"GFLOP/s", true, {}};
  plot.has_filter = true;
  for (const RooflineLine& line : chart_lines(report, types, chart_axes(report, types)))
    plot.series.push_back(roof_series(line));
  for (const LetteredPoint& lettered : lettered_points(report))
    plot.series.push_back(kernel_series(report, lettered));
  Table table{"Ceilings", {{"ceiling"}, {"from FLOP/byte", true}, {"to FLOP/byte", true}}};
  for (const RooflineLine& line : chart_lines(report, types, chart_axes(report, types)))
    table.rows.push_back(
        {ours(ceiling_label(line)), ours(rate_figure(line.x_from)), ours(rate_figure(line.x_to))});
  page.add(Picture{"Roofline: " + chart_title(types),
                   "A kernel has one point for each of L1, L2 and HBM. Further right means more "
                   "computation for each byte.",
                   std::move(plot), std::move(table)});
}

/// "vcopy/MI200 (MI200, Tue 14 May 2024)".
std::string run_title(const RooflineRun& run) {
  std::vector<std::string> known;
  for (const std::string& text : {run.gpu, run.date})
    if (!text.empty()) known.push_back(one_line(text, 60));
  const std::string name = one_line(run.name, 60);
  return known.empty() ? name : fmt::format("{} ({})", name, fmt::join(known, ", "));
}

}  // namespace

Document roofline_view(const RooflineReport& report) {
  Document page;
  page.verb = "roofline";
  std::vector<std::string> names;
  for (const RooflineRun& run : report.runs) names.push_back(run_title(run));
  page.title = fmt::format("{}", fmt::join(names, ", "));
  const auto simulated =
      std::ranges::count_if(report.runs, [](const RooflineRun& run) { return run.is_simulated; });
  page.badge = simulated == 0                         ? "measured"
               : simulated == std::ssize(report.runs) ? "simulated"
                                                      : "measured and simulated";
  const std::string& source = report.ceilings().source;
  page.paragraph(ours("Kernels of profiled runs. Ceilings: ") +
                 Text(source.empty() ? "none known" : one_line(source, 300)) + ours("."));
  page.heading(ours("Rooflines"));
  if (!report.ceilings().empty())
    for (const auto& types : report.charts) add_chart(report, types, page);
  page.heading(ours("Kernels"));
  page.add(kernels_table(report));
  page.heading(ours("How to read it"));
  Items remarks;
  for (const std::string& remark : roofline_remarks(report)) remarks.items.emplace_back(remark);
  page.add(std::move(remarks));
  return page;
}

}  // namespace heddle::report
