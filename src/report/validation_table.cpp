#include "report/validation_table.h"

#include <fmt/format.h>

#include <functional>

#include "report/figures.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kLongestOrder = 48;
constexpr std::size_t kMostListed = 8;  ///< of points or kernels in a sentence

using Cells = std::vector<std::string>;

std::string signed_text(double error, int digits, std::string_view unit) {
  return fmt::format("{:+.{}f}{}", error, digits, unit);
}

Cells hit_cells(std::optional<double> measured, std::optional<double> predicted,
                std::optional<double> error) {
  if (!measured) return {"", predicted ? fmt::format("{:.1f}", *predicted) : "", ""};
  return {fmt::format("{:.1f}", *measured), predicted ? fmt::format("{:.1f}", *predicted) : "-",
          error ? signed_text(*error, 1, "") : ""};
}

Cells speedup_cells(const ComparedPoint& point) {
  const std::string predicted = fmt::format("{:.3f}", point.predicted.speedup);
  if (point.baseline) return {"1", "1", ""};
  if (!point.measured_speedup) return {"", predicted, ""};
  return {fmt::format("{:.3f}", *point.measured_speedup), predicted,
          signed_text(*point.speedup_error_pct(), 1, " %") + (point.wrong_sign() ? " !" : "")};
}

Cells time_cells(const ComparedPoint& point) {
  const std::string predicted = number_text(point.predicted.time_us);
  if (!point.measured.time_us) return {"", predicted, ""};
  return {number_text(*point.measured.time_us), predicted,
          signed_text(*point.time_error_pct(), 0, " %")};
}

struct FigureKind {
  const char* title;
  std::function<bool(const ComparedPoint&)> is_measured;
  std::function<Cells(const ComparedPoint&)> cells;
};

const std::vector<FigureKind>& figure_kinds() {
  static const std::vector<FigureKind> kinds = {
      {"L2 hit rate, %", [](const ComparedPoint& p) { return p.measured.l2_hit_pct.has_value(); },
       [](const ComparedPoint& p) {
         return hit_cells(p.measured.l2_hit_pct, p.predicted.l2_hit_pct, p.l2_error());
       }},
      {"last level, %",
       [](const ComparedPoint& p) { return p.measured.last_level_hit_pct.has_value(); },
       [](const ComparedPoint& p) {
         return hit_cells(p.measured.last_level_hit_pct, p.predicted.last_level_hit_pct,
                          p.last_level_error());
       }},
      {"speedup", [](const ComparedPoint& p) { return p.measured_speedup.has_value(); },
       speedup_cells},
      {"time, us", [](const ComparedPoint& p) { return p.measured.time_us.has_value(); },
       time_cells}};
  return kinds;
}

/// The first few, and how many more there are.
std::string listed(Cells parts, std::string_view separator) {
  const std::size_t all = parts.size();
  if (all > kMostListed) {
    parts.resize(kMostListed);
    parts.push_back(fmt::format("{} more", all - kMostListed));
  }
  return fmt::format("{}", fmt::join(parts, separator));
}

/// An order inside of a sentence.
std::string short_order(const std::string& order) {
  return order.size() <= kLongestOrder ? order : order.substr(0, kLongestOrder - 3) + "...";
}

std::string point_text(const ValidationReport& report, PointPlace place) {
  const MeasuredPoint& point = report.at(place).measured;
  return fmt::format("{} under {}, {}", report.groups[place.group].label(),
                     short_order(point.order), point.place());
}

std::string error_text(const ValidationReport& report, const ErrorScore& score,
                       std::string_view unit) {
  return fmt::format("mean error {:.1f} {}, largest {:.1f} ({}); {}", score.mean, unit,
                     score.largest, point_text(report, score.worst),
                     count_of(score.count, "point"));
}

std::string rank_text(const ValidationReport& report, const GpuScore& score,
                      std::optional<double> ComparedGroup::*rank) {
  Cells parts;
  for (const std::size_t g : score.groups) {
    const ComparedGroup& group = report.groups[g];
    if (group.*rank) parts.push_back(fmt::format("{} {:.2f}", group.label(), *(group.*rank)));
  }
  return listed(std::move(parts), ", ");
}

std::string sign_text(const ValidationReport& report, const GpuScore& score) {
  if (score.speedup.count == 0) return {};
  const std::string clear = fmt::format("effects beyond {:.0f} %", 100 * kClearEffect);
  if (score.wrong_signs.empty()) return fmt::format("all {} go the right way", clear);
  Cells points;
  for (const PointPlace place : score.wrong_signs) points.push_back(point_text(report, place));
  return fmt::format("{} of the {} {} the wrong way: {}", points.size(), clear,
                     points.size() == 1 ? "goes" : "go", listed(points, "; "));
}

std::string fastest_text(const ValidationReport& report, const GpuScore& score) {
  int right = 0;
  Cells wrong;
  for (const std::size_t g : score.groups) {
    const ComparedGroup& group = report.groups[g];
    if (!group.fastest_measured) continue;
    if (group.fastest_right()) {
      ++right;
      continue;
    }
    wrong.push_back(
        fmt::format("{}: measured {}, predicted {}", group.label(),
                    short_order(group.points[*group.fastest_measured].measured.order),
                    short_order(group.points[*group.fastest_predicted].measured.order)));
  }
  const int all = right + static_cast<int>(wrong.size());
  if (all == 0) return {};
  std::string text = fmt::format("right for {} of {}", right, count_of(all, "kernel"));
  if (!wrong.empty()) text += "; " + listed(std::move(wrong), "; ");
  return text;
}

}  // namespace

std::vector<FigureColumns> figure_columns(const ComparedGroup& group) {
  std::vector<FigureColumns> columns;
  for (const FigureKind& kind : figure_kinds()) {
    FigureColumns figure{kind.title, {}};
    bool is_measured = false;
    for (const ComparedPoint& point : group.points) {
      is_measured = is_measured || kind.is_measured(point);
      figure.cells.push_back(kind.cells(point));
    }
    if (is_measured) columns.push_back(std::move(figure));
  }
  return columns;
}

std::vector<ScoreLine> score_lines(const ValidationReport& report, const GpuScore& score) {
  std::vector<ScoreLine> lines;
  const auto add = [&](const char* label, std::string text) {
    if (!text.empty()) lines.push_back({label, std::move(text)});
  };
  const auto add_errors = [&](const char* label, const ErrorScore& errors, const char* unit) {
    if (errors.count > 0) add(label, error_text(report, errors, unit));
  };
  add_errors("L2 hit rate", score.l2, "points");
  add("L2 ranks", rank_text(report, score, &ComparedGroup::l2_rank));
  add_errors("last level", score.last_level, "points");
  add("its ranks", rank_text(report, score, &ComparedGroup::last_level_rank));
  add_errors("speedup", score.speedup, "%");
  add("signs", sign_text(report, score));
  add("fastest", fastest_text(report, score));
  add_errors("others", score.speedup_others, "%");
  add_errors("time", score.time, "%");
  return lines;
}

std::string breach_text(const ValidationReport& report, const LimitBreach& breach) {
  std::string text = fmt::format("{}: the {} is {:.1f} {}, the limit {:g}", breach.gpu, breach.what,
                                 breach.value, breach.unit, breach.limit);
  if (breach.place) text += fmt::format(" ({})", point_text(report, *breach.place));
  return text;
}

}  // namespace heddle::report
