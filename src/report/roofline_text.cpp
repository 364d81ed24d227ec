#include <fmt/format.h>

#include <algorithm>

#include "report/clean_text.h"
#include "report/roofline_report.h"
#include "report/roofline_words.h"

namespace heddle::report {
namespace {

constexpr std::size_t kMostNameWidth = 46;
constexpr std::size_t kFigureColumns = 47;  ///< of a line, beside the name
constexpr std::size_t kWholeName = 4000;
constexpr std::size_t kRooflineIndent = 6;

/// Where a name has less room than this beside its figures, it stands above them.
constexpr std::size_t kLeastNameWidth = 30;

std::size_t name_width() {
  const std::size_t columns = text_columns();
  const bool beside = columns >= kFigureColumns + kLeastNameWidth;
  return std::min(kMostNameWidth, columns - (beside ? kFigureColumns : kRooflineIndent));
}

/// Up to the figures, after the name.
std::string before_figures() {
  return text_columns() >= kFigureColumns + kLeastNameWidth
             ? ""
             : "\n" + std::string(kRooflineIndent, ' ');
}

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t used = width_of(text);
  return text + std::string(width > used ? width - used : 0, ' ');
}

std::string intensity_cell(const RooflinePoint& point, const char* level) {
  const double intensity = intensity_at(point, level);
  return intensity > 0 ? rate_figure(intensity) : "-";
}

std::string point_lines(const RooflineReport& report, const LetteredPoint& lettered) {
  const RooflinePoint& point = *lettered.point;
  std::string text = fmt::format("  {:<3} ", lettered.letter);
  text += padded(point_name(point, name_width()), name_width());
  if (point.missing.empty()) {
    if (!before_figures().empty()) text.erase(text.find_last_not_of(' ') + 1);
    text += before_figures();
    text += fmt::format(" {:>10} {:>9} {:>9} {:>9}\n", rate_figure(point.gflop_per_s),
                        intensity_cell(point, "L1"), intensity_cell(point, "L2"),
                        intensity_cell(point, "HBM"));
  } else {
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  const std::string indent(kRooflineIndent, ' ');
  if (report.whole_names) {
    const std::string whole = point_name(point, kWholeName);
    if (width_of(whole) > name_width())
      text += indent + wrapped(whole, kRooflineIndent, kRooflineIndent) + "\n";
  }
  const std::string why = why_not_drawn(point);
  if (why.empty() && report.ceilings().empty()) return text;
  return text + indent +
         wrapped(why.empty() ? limits_text(report, point) : why, kRooflineIndent, kRooflineIndent) +
         "\n";
}

std::string limits_table(const RooflineReport& report, const Style& style) {
  const std::string kernel =
      before_figures().empty() ? padded("kernel", name_width()) : "kernel" + before_figures();
  std::string text = style.bold(fmt::format("      {} {:>10} {:>9} {:>9} {:>9}", kernel, "GFLOP/s",
                                            "FLOP/B L1", "L2", "HBM")) +
                     "\n";
  std::size_t run = report.runs.size();
  for (const LetteredPoint& lettered : lettered_points(report)) {
    if (lettered.run != run && report.runs.size() > 1)
      text += fmt::format(
          "  {}\n", style.bold(one_line(report.runs[lettered.run].name, text_columns() - 10)));
    run = lettered.run;
    text += point_lines(report, lettered);
  }
  return text;
}

}  // namespace

std::string roofline_text(const RooflineReport& report, const Style& style) {
  std::string names;
  for (const RooflineRun& run : report.runs)
    names += (names.empty() ? "" : ", ") + one_line(run.name, 60);
  std::string text = style.bold("roofline") + "  " + wrapped(names, 10, 10) + "\n";
  const bool has_roofs = !report.ceilings().empty();
  for (const auto& types : report.charts) {
    if (!has_roofs) break;
    text += "\n" + style.bold(chart_title(types)) + "\n";
    text += roofline_chart_text(report, types);
  }
  if (has_roofs)
    text += "\n" +
            wrapped(
                "A1, A2, Ah: kernel A at L1, L2, HBM; *: several points in one place; = matrix, "
                "- vector",
                0, 0) +
            "\n";
  text += "\n" + limits_table(report, style) + "\n";
  for (const std::string& remark : roofline_remarks(report)) text += wrapped(remark, 0, 0) + "\n";
  return text;
}

}  // namespace heddle::report
