#include "results/roofline_chart.h"

#include <algorithm>
#include <cmath>

#include "support/lists.h"

namespace heddle {
namespace {

const BandwidthCeiling* find_bandwidth(const RooflineCeilings& ceilings, const std::string& level) {
  for (const BandwidthCeiling& one : ceilings.bandwidths) {
    if (one.level == level && one.gb_per_s > 0) return &one;
  }
  return nullptr;
}

double rate_of(const RooflineCeilings& ceilings, const std::string& type, bool matrix) {
  for (const ComputeCeiling& one : ceilings.rates) {
    if (one.type == type && one.matrix == matrix && one.gflop_per_s > 0) return one.gflop_per_s;
  }
  return 0;
}

/// GFLOP/s and FLOP/byte beyond these come from damaged counters, and no axis holds them.
constexpr double kLeastFigure = 1e-12;
constexpr double kMostFigure = 1e12;

double decade_below(double value) {
  return std::pow(10, std::floor(std::log10(value)));
}

double decade_above(double value) {
  return std::pow(10, std::ceil(std::log10(value)));
}

}  // namespace

const std::vector<std::string>& roofline_levels() {
  static const std::vector<std::string> levels = {"HBM", "MALL", "L2", "L1", "LDS"};
  return levels;
}

std::vector<RooflineLine> roofline_lines(const RooflineCeilings& ceilings, const std::string& type,
                                         const std::vector<std::string>& levels,
                                         const RooflineAxes& axes) {
  std::vector<RooflineLine> lines;
  const double vector = rate_of(ceilings, type, false);
  const double matrix = rate_of(ceilings, type, true);
  const double highest = matrix > 0 ? matrix : vector;
  if (highest <= 0) return lines;
  double last_bandwidth = 0;
  for (const std::string& level : roofline_levels()) {
    if (!levels.empty() && !is_one_of(level, levels)) continue;
    const BandwidthCeiling* bandwidth = find_bandwidth(ceilings, level);
    if (bandwidth == nullptr) continue;
    last_bandwidth = bandwidth->gb_per_s;
    lines.push_back({RooflineLine::Kind::bandwidth, level, axes.x_first,
                     axes.x_first * last_bandwidth, highest / last_bandwidth, highest,
                     last_bandwidth});
  }
  for (const bool is_matrix : {false, true}) {
    const double rate = is_matrix ? matrix : vector;
    if (rate <= 0) continue;
    const double from =
        last_bandwidth > 0 ? std::min(axes.x_last, rate / last_bandwidth) : axes.x_first;
    lines.push_back({is_matrix ? RooflineLine::Kind::matrix : RooflineLine::Kind::vector, type,
                     from, rate, axes.x_last, rate, rate});
  }
  return lines;
}

std::vector<RooflineLine> chart_lines(const RooflineReport& report,
                                      const std::vector<std::string>& types,
                                      const RooflineAxes& axes) {
  std::vector<RooflineLine> bandwidths;
  std::vector<RooflineLine> roofs;
  for (const std::string& type : types) {
    for (RooflineLine& line : roofline_lines(report.ceilings(), type, report.levels, axes)) {
      if (line.kind != RooflineLine::Kind::bandwidth) {
        roofs.push_back(std::move(line));
        continue;
      }
      const auto same = std::ranges::find_if(
          bandwidths, [&](const auto& other) { return other.name == line.name; });
      if (same == bandwidths.end())
        bandwidths.push_back(std::move(line));
      else if (same->y_to < line.y_to)
        *same = std::move(line);
    }
  }
  append(bandwidths, roofs);
  return bandwidths;
}

RooflineAxes chart_axes(const RooflineReport& report, const std::vector<std::string>& types) {
  RooflineAxes axes;
  const auto each_point = [&](const auto& visit) {
    for (const RooflineRun& run : report.runs) {
      for (const RooflinePoint& point : run.points) {
        if (!is_drawn(point)) continue;
        for (const std::string& level : report.levels) {
          const double intensity = intensity_at(point, level);
          if (intensity > 0) visit(intensity, point.gflop_per_s);
        }
      }
    }
  };
  each_point([&](double intensity, double) {
    axes.x_first = std::min(axes.x_first, decade_below(intensity));
    axes.x_last = std::max(axes.x_last, decade_above(intensity));
  });
  double lowest = 0;
  double highest = 0;
  const auto widen = [&](double low, double high) {
    lowest = lowest > 0 ? std::min(lowest, low) : low;
    highest = std::max(highest, high);
  };
  for (const RooflineLine& line : chart_lines(report, types, axes)) widen(line.y_from, line.y_to);
  each_point([&](double, double rate) { widen(rate, rate); });
  if (lowest <= 0) return axes;
  axes.y_first = decade_below(lowest);
  // Room above the highest roof.
  axes.y_last = decade_above(highest * 1.5);
  return axes;
}

double intensity_at(const RooflinePoint& point, const std::string& level) {
  if (level == "L1") return point.intensity_l1;
  if (level == "L2") return point.intensity_l2;
  return level == "HBM" ? point.intensity_hbm : 0;
}

std::string why_not_drawn(const RooflinePoint& point) {
  if (!point.missing.empty()) return "not recorded: " + point.missing + "; not on the chart";
  for (const double value :
       {point.gflop_per_s, point.intensity_l1, point.intensity_l2, point.intensity_hbm}) {
    const bool is_possible = value == 0 || (value >= kLeastFigure && value <= kMostFigure);
    if (!is_possible) return "its counters give impossible figures: not on the chart";
  }
  if (point.gflop_per_s <= 0) return "no floating-point work: not on the chart";
  if (point.intensity_l1 <= 0 && point.intensity_l2 <= 0 && point.intensity_hbm <= 0)
    return "no byte moved: not on the chart";
  return {};
}

bool is_drawn(const RooflinePoint& point) {
  return why_not_drawn(point).empty();
}

RooflineLimit roofline_limit(const RooflineCeilings& ceilings,
                             const std::vector<std::string>& types, const std::string& level,
                             const RooflinePoint& point) {
  const double intensity = intensity_at(point, level);
  if (!is_drawn(point) || intensity <= 0) return {};
  const double rate = point.gflop_per_s;
  const auto name_of = [](const ComputeCeiling& one) {
    return (one.matrix ? "matrix " : "vector ") + one.type;
  };
  const ComputeCeiling* highest = nullptr;
  const ComputeCeiling* next = nullptr;  // the lowest that the point is not above
  for (const ComputeCeiling& one : ceilings.rates) {
    if (!is_one_of(one.type, types) || one.gflop_per_s <= 0) continue;
    if (highest == nullptr || one.gflop_per_s > highest->gflop_per_s) highest = &one;
    if (one.gflop_per_s < rate) continue;
    if (next == nullptr || one.gflop_per_s < next->gflop_per_s) next = &one;
  }
  if (highest != nullptr && rate > highest->gflop_per_s)
    return {name_of(*highest), rate / highest->gflop_per_s, true};
  if (const BandwidthCeiling* bandwidth = find_bandwidth(ceilings, level)) {
    const double roof = bandwidth->gb_per_s * intensity;
    if (next == nullptr || rate > roof || roof <= next->gflop_per_s)
      return {level, rate / roof, rate > roof};
  }
  if (next == nullptr) return {};
  return {name_of(*next), rate / next->gflop_per_s, false};
}

std::string roof_name(const RooflineLine& line) {
  if (line.kind == RooflineLine::Kind::bandwidth) return line.name;
  return (line.kind == RooflineLine::Kind::matrix ? "matrix " : "vector ") + line.name;
}

std::string point_letter(std::size_t place) {
  std::string letters;
  for (std::size_t rest = place + 1; rest > 0; rest = (rest - 1) / 26)
    letters.insert(letters.begin(), static_cast<char>('A' + (rest - 1) % 26));
  return letters;
}

}  // namespace heddle
