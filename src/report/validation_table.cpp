#include "report/validation_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "report/figures.h"
#include "report/style.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kLongestOrder = 48;
constexpr std::size_t kMostListed = 8;  ///< of points or kernels in a sentence
constexpr double kMostPlain = 1e5;      ///< larger errors are written as powers of ten
constexpr double kLeastPlainSpeedup = 0.0095;
constexpr double kMostPlainSpeedup = 999.9;

using Cells = std::vector<std::string>;

std::string signed_text(double error, int digits, std::string_view unit) {
  if (std::abs(error) >= kMostPlain) return fmt::format("{:+.1e}{}", error, unit);
  return fmt::format("{:+.{}f}{}", error, digits, unit);
}

std::string speedup_text(double speedup) {
  const bool is_plain = speedup >= kLeastPlainSpeedup && speedup < kMostPlainSpeedup;
  return is_plain ? fmt::format("{:.3f}", speedup) : fmt::format("{:.2g}", speedup);
}

Cells hit_cells(std::optional<double> measured, std::optional<double> predicted,
                std::optional<double> error) {
  if (!measured) return {"", predicted ? fmt::format("{:.1f}", *predicted) : "", ""};
  return {fmt::format("{:.1f}", *measured), predicted ? fmt::format("{:.1f}", *predicted) : "-",
          error ? signed_text(*error, 1, "") : ""};
}

/// Errors of little traffic are in MB: in per cent they would say nothing.
Cells dram_cells(const ComparedPoint& point) {
  const std::string predicted = number_text(point.predicted.dram_read_mb);
  if (!point.measured.dram_read_mb) return {"", predicted, ""};
  const std::optional<double> percent = point.dram_read_error_pct();
  return {number_text(*point.measured.dram_read_mb), predicted,
          percent ? signed_text(*percent, 0, " %")
                  : signed_text(*point.small_dram_read_error_mb(), 1, " MB")};
}

Cells speedup_cells(const ComparedPoint& point) {
  const std::string predicted = speedup_text(point.predicted.speedup);
  if (point.baseline) return {"1", "1", ""};
  if (!point.measured_speedup) return {"", predicted, ""};
  return {speedup_text(*point.measured_speedup), predicted,
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
      {"DRAM reads, MB", [](const ComparedPoint& p) { return p.measured.dram_read_mb.has_value(); },
       dram_cells},
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

/// Sentences about a report, with orders as text or as code.
class NotedSentences {
 public:
  NotedSentences(const ValidationReport& report, const OrderText& order_text)
      : report_(report), order_text_(order_text) {}

  std::string point(PointPlace place) const {
    const MeasuredPoint& measured = report_.at(place).measured;
    return fmt::format("{} under {}, {}", report_.groups[place.group].label(),
                       order(measured.order), measured.place());
  }

  /// The first few.
  std::string points(const std::vector<PointPlace>& places) const {
    Cells parts;
    for (const PointPlace place : places) parts.push_back(point(place));
    return listed(std::move(parts), "; ");
  }

  std::string errors(const ErrorScore& score, std::string_view unit) const {
    return fmt::format("mean error {:.1f} {}, largest {:.1f} ({}); {}", score.mean, unit,
                       score.largest, point(score.worst), count_of(score.count, "point"));
  }

  /// Of each group, or the mean of many.
  std::string ranks(const GpuScore& score, std::optional<double> ComparedGroup::*rank) const {
    Cells parts;
    double sum = 0;
    for (const std::size_t g : score.groups) {
      const ComparedGroup& group = report_.groups[g];
      if (!(group.*rank)) continue;
      parts.push_back(fmt::format("{} {:.2f}", group.label(), *(group.*rank)));
      sum += *(group.*rank);
    }
    const std::size_t count = parts.size();
    if (count <= kMostListed) return listed(std::move(parts), ", ");
    return fmt::format("mean {:.2f} of {} groups", sum / static_cast<double>(count), count);
  }

  std::string signs(const GpuScore& score) const {
    if (score.speedup.count == 0) return {};
    const std::string beyond = fmt::format("beyond {:.0f} %", 100 * kClearEffect);
    if (score.clear_effects == 0) return fmt::format("no effect of a permutation is {}", beyond);
    const std::string all = fmt::format("{} {}", count_of(score.clear_effects, "effect"), beyond);
    if (score.wrong_signs.empty())
      return score.clear_effects == 1 ? fmt::format("the one effect {} goes the right way", beyond)
                                      : fmt::format("all {} go the right way", all);
    const std::size_t wrong = score.wrong_signs.size();
    return fmt::format("{} of {} {} the wrong way: {}", wrong, all, wrong == 1 ? "goes" : "go",
                       points(score.wrong_signs));
  }

  static std::string regret(const GpuScore& score) {
    if (score.regret_pct.count == 0) return {};
    std::string text = fmt::format(
        "the order predicted fastest takes {:.1f} % longer than the fastest measured, mean of {}",
        score.regret_pct.mean, count_of(score.regret_pct.count, "group"));
    if (score.baseline_regret_pct.count > 0)
      text += fmt::format("; the baseline {:.1f} %", score.baseline_regret_pct.mean);
    return text;
  }

  /// All of them are named: each is an order that somebody would have used.
  std::string harmful(const GpuScore& score) const {
    if (score.gains == 0) return {};
    const std::string beyond = fmt::format("over {:.0f} %", 100 * kHarm);
    const std::string all =
        fmt::format("{} predicted faster by {}", count_of(score.gains, "order"), beyond);
    if (score.harmful.empty()) return fmt::format("none of {} is measured slower by that", all);
    Cells parts;
    for (const PointPlace place : score.harmful) {
      const ComparedPoint& its = report_.at(place);
      parts.push_back(fmt::format("{} ({} predicted, {} measured)", point(place),
                                  speedup_text(its.predicted.speedup),
                                  speedup_text(*its.measured_speedup)));
    }
    return fmt::format("{} of {} {} measured slower by that: {}", parts.size(), all,
                       parts.size() == 1 ? "is" : "are", fmt::join(parts, "; "));
  }

  static std::string coverage(const GpuScore& score) {
    Cells parts;
    for (const FigureCoverage& one : score.coverage)
      parts.push_back(fmt::format("{} {:.1f} % of {} ({:.0f} % interval)", figure_text(one.figure),
                                  100.0 * one.inside / one.points, with_separators(one.points),
                                  100 * share_of(one.figure)));
    if (parts.empty()) return {};
    return fmt::format("intervals from the other families hold: {}", fmt::join(parts, ", "));
  }

  /// What heddle would have answered, and what that costs.
  std::string decisions(const GpuScore& score) const {
    if (score.decisions.empty()) return {};
    const DecisionSums sums(score.decisions);
    std::string text = fmt::format(
        "{}: {} faster, of which {} are measured faster; {} to be measured; {} left alone",
        count_of(static_cast<std::int64_t>(score.decisions.size()), "group"), sums.faster,
        sums.right, sums.measure, sums.leave);
    Cells harm;
    for (const GroupDecision& one : score.decisions)
      if (one.harmful())
        harm.push_back(fmt::format("{} ({} measured)", point({one.group, *one.chosen}),
                                   speedup_text(one.unmeasured)));
    text += harm.empty() ? fmt::format("; none is slower by over {:.0f} %",
                                       100 * GroupDecision::kHarmfulAnswer)
                         : fmt::format("; harmful: {}", fmt::join(harm, "; "));
    return text + fmt::format(
                      "; regret {:.2f} % unmeasured, {:.2f} % once measured; the baseline {:.2f} %",
                      sums.regret_pct, sums.measured_regret_pct, sums.baseline_regret_pct);
  }

  std::string fastest(const GpuScore& score) const {
    int right = 0;
    Cells wrong;
    for (const std::size_t g : score.groups) {
      const ComparedGroup& group = report_.groups[g];
      if (!group.fastest_measured) continue;
      if (group.fastest_right()) {
        ++right;
        continue;
      }
      wrong.push_back(fmt::format("{}: measured {}, predicted {}", group.label(),
                                  order(group.points[*group.fastest_measured].measured.order),
                                  order(group.points[*group.fastest_predicted].measured.order)));
    }
    const int all = right + static_cast<int>(wrong.size());
    if (all == 0) return {};
    std::string text = fmt::format("right for {} of {}", right, count_of(all, "group"));
    if (!wrong.empty()) text += "; " + listed(std::move(wrong), "; ");
    return text;
  }

 private:
  std::string order(const std::string& text) const {
    const std::string short_text = cut(text, kLongestOrder);
    return order_text_ ? order_text_(short_text) : short_text;
  }

  const ValidationReport& report_;
  const OrderText& order_text_;
};

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

std::vector<ScoreLine> score_lines(const ValidationReport& report, const GpuScore& score,
                                   const OrderText& order_text) {
  const NotedSentences say(report, order_text);
  std::vector<ScoreLine> lines;
  const auto add = [&](const char* label, std::string text) {
    if (!text.empty()) lines.push_back({label, std::move(text)});
  };
  const auto add_errors = [&](const char* label, const ErrorScore& errors, const char* unit) {
    if (errors.count > 0) add(label, say.errors(errors, unit));
  };
  add_errors("L2 hit rate", score.l2, "points");
  add("L2 ranks", say.ranks(score, &ComparedGroup::l2_rank));
  add_errors("last level", score.last_level, "points");
  add("last level ranks", say.ranks(score, &ComparedGroup::last_level_rank));
  add_errors("DRAM reads", score.dram_read, "%");
  add_errors("small reads", score.small_dram_read, "MB");
  add_errors("speedup", score.speedup, "%");
  add("time ranks", say.ranks(score, &ComparedGroup::time_rank));
  add("signs", say.signs(score));
  add("fastest", say.fastest(score));
  add("regret", say.regret(score));
  add("harmful", say.harmful(score));
  add_errors("others", score.speedup_others, "%");
  add_errors("time", score.time, "%");
  add("coverage", say.coverage(score));
  add("decisions", say.decisions(score));
  return lines;
}

std::string breach_text(const ValidationReport& report, const LimitBreach& breach,
                        const OrderText& order_text) {
  std::string text = fmt::format("{}: the {} is {:.1f} {}, the limit {:g}", breach.gpu, breach.what,
                                 breach.value, breach.unit, breach.limit);
  if (breach.place)
    text += fmt::format(" ({})", NotedSentences(report, order_text).point(*breach.place));
  return text;
}

bool any_point(const ValidationReport& report,
               const std::function<bool(const ComparedPoint&)>& is) {
  return std::ranges::any_of(report.groups, [&](const ComparedGroup& group) {
    return std::ranges::any_of(group.points, is);
  });
}

}  // namespace heddle::report
