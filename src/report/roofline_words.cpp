#include "report/roofline_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/clean_text.h"
#include "report/figures.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr double kThousand = 1000;
constexpr double kMostWhole = 1e15;

bool is_integer_type(const std::string& type) {
  return type.starts_with("INT");
}

std::string roofline_limit_text(const std::string& level, const RooflineLimit& limit) {
  if (limit.roof.empty()) return fmt::format("no roof is known at {}", level);
  if (limit.over)
    return fmt::format("at {} {:.0f} % of {}, above it", level, limit.share * 100, limit.roof);
  return fmt::format("at {} {} of {}", level, share_text(limit.share), limit.roof);
}

}  // namespace

std::string rate_figure(double value) {
  if (value >= kThousand && value < kMostWhole) return with_separators(std::llround(value));
  return fmt::format("{:.4g}", value);
}

std::string ceiling_label(const RooflineLine& line) {
  const char* unit = line.kind == RooflineLine::Kind::bandwidth ? "GB/s"
                     : is_integer_type(line.name)               ? "GOP/s"
                                                                : "GFLOP/s";
  return fmt::format("{} {} {}", roof_name(line), rate_figure(line.ceiling), unit);
}

std::string chart_title(const std::vector<std::string>& types) {
  return fmt::format("{}", fmt::join(types, ", "));
}

std::vector<LetteredPoint> lettered_points(const RooflineReport& report) {
  std::vector<LetteredPoint> points;
  for (std::size_t run = 0; run < report.runs.size(); ++run) {
    for (const RooflinePoint& point : report.runs[run].points)
      points.push_back({point_letter(points.size()), run, &point});
  }
  return points;
}

std::string point_name(const RooflinePoint& point, std::size_t width) {
  const std::string suffix = point.dispatch ? fmt::format(", dispatch {}", *point.dispatch) : "";
  std::string name = point.kernel;
  // A name on several lines is one name.
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  name = one_line(name, width > suffix.size() ? width - suffix.size() : width);
  return (name.empty() ? "(no name)" : name) + suffix;
}

std::vector<std::string> all_types(const RooflineReport& report) {
  std::vector<std::string> types;
  for (const auto& chart : report.charts) append(types, chart);
  return types;
}

std::string limits_text(const RooflineReport& report, const RooflinePoint& point) {
  std::string text;
  const std::vector<std::string> types = all_types(report);
  for (const char* level : {"L1", "L2", "HBM"}) {
    if (!is_one_of(level, report.levels)) continue;
    if (intensity_at(point, level) <= 0) {
      text += fmt::format("{}no byte at {}", text.empty() ? "" : "; ", level);
      continue;
    }
    text += (text.empty() ? "" : "; ") +
            roofline_limit_text(level, roofline_limit(report.ceilings(), types, level, point));
  }
  return text;
}

std::vector<std::string> roofline_remarks(const RooflineReport& report) {
  std::vector<std::string> remarks;
  const std::string& source = report.ceilings().source;
  std::string ceilings = "Ceilings: " + (source.empty() ? "none known" : one_line(source, 300));
  if (report.runs.size() > 1)
    ceilings += fmt::format("; those of {}, the first run", one_line(report.runs[0].name, 80));
  remarks.push_back(ceilings + ".");
  remarks.emplace_back(
      "A point counts all floating-point work of its kernel, whatever the type of the chart; "
      "integer operations do not count.");
  const bool has_points = std::ranges::any_of(report.levels, [](const std::string& level) {
    return level == "HBM" || level == "L2" || level == "L1";
  });
  if (!has_points) remarks.emplace_back("There are points at HBM, L2 and L1 only.");
  for (const ProfileNote& note : report.notes)
    remarks.push_back(fmt::format("{}: {}.", one_line(note.where, 80), one_line(note.what, 400)));
  return remarks;
}

}  // namespace heddle::report
