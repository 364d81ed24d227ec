#include "calibrate/uncertainty.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "results/decision.h"

namespace heddle::calibrate {
namespace {

constexpr double kLeastReadMb = 1e-3;  ///< predicted; less would divide by nothing
constexpr double kRounding = 1e-9;     ///< of sums of weights
/// Predicted gains that teach: a little less than what is worth measuring (results/decision.h), so
/// that an interval for those does not end at the first of them.
constexpr double kLeastGain = 0.008;

struct Weighed {
  double value = 0;
  double weight = 0;
};

/// Residuals of one scope and figure, by family.
using Cell = std::map<std::string, std::vector<double>>;

/// Scopes from narrow to wide; within them by name.
struct ByScope {
  static auto key(const sim::IntervalScope& scope) {
    const PredictionKind kind = scope.kind.value_or(PredictionKind{});
    return std::tuple(scope.gpu == sim::kAny, scope.gpu, !scope.kind, kind.limited_by,
                      kind.unequal_tiles, kind.sampled);
  }
  bool operator()(const std::pair<sim::IntervalScope, Figure>& a,
                  const std::pair<sim::IntervalScope, Figure>& b) const {
    return std::pair(key(a.first), a.second) < std::pair(key(b.first), b.second);
  }
};

using Cells = std::map<std::pair<sim::IntervalScope, Figure>, Cell, ByScope>;

/// Gains are told apart by their traffic alone.
std::vector<sim::IntervalScope> scopes_of(const Residual& one) {
  auto scopes = sim::scopes_of(one.gpu, one.vendor, one.kind);
  if (one.figure >= Figure::gain_less) scopes.erase(scopes.begin());
  return scopes;
}

Cells cells_of(const std::vector<Residual>& residuals) {
  Cells cells;
  for (const Residual& one : residuals) {
    for (const sim::IntervalScope& scope : scopes_of(one))
      cells[{scope, one.figure}][one.family].push_back(one.value);
  }
  return cells;
}

std::optional<Interval> interval_without(const Cell& cell, const std::string& left_out,
                                         double allowance, Figure figure) {
  std::vector<std::vector<double>> families;
  for (const auto& [family, values] : cell) {
    if (family != left_out) families.push_back(values);
  }
  return family_interval(families, allowance, share_of(figure));
}

/// What is left when residuals of at most the weight `cut` go, from the first on.
template <class Iterator>
double end_after(Iterator at, Iterator last, double cut) {
  double gone = at->weight;
  for (; gone <= cut + kRounding && std::next(at) != last; gone += at->weight) ++at;
  return at->value;
}

/// By figure: rule 3.
using Allowances = std::array<double, kFigures.size()>;

/// Of each group, with intervals of all other families.
std::vector<std::vector<FigureCoverage>> coverage_with(const std::vector<Residual>& residuals,
                                                       const Cells& cells,
                                                       const Allowances& allowances,
                                                       std::size_t groups) {
  std::map<std::pair<const Cell*, std::string>, std::optional<Interval>> known;
  const auto interval_for = [&](const Residual& one) -> std::optional<Interval> {
    for (const sim::IntervalScope& scope : scopes_of(one)) {
      const Cell* const cell = &cells.at({scope, one.figure});
      const auto [found, is_new] = known.try_emplace({cell, one.family});
      if (is_new)
        found->second = interval_without(
            *cell, one.family, allowances[static_cast<std::size_t>(one.figure)], one.figure);
      if (found->second) return found->second;
    }
    return std::nullopt;
  };
  std::vector<FigureCoverage> none;
  for (const Figure figure : kFigures) none.push_back({figure, 0, 0});
  std::vector<std::vector<FigureCoverage>> coverage(groups, none);
  for (const Residual& one : residuals) {
    const std::optional<Interval> interval = interval_for(one);
    if (!interval) continue;
    FigureCoverage& its = coverage[one.group][static_cast<std::size_t>(one.figure)];
    ++its.points;
    its.inside += interval->holds(one.value) ? 1 : 0;
  }
  return coverage;
}

Allowances best_allowances(const std::vector<Residual>& residuals, const Cells& cells) {
  std::size_t groups = 0;
  for (const Residual& one : residuals) groups = std::max(groups, one.group + 1);
  Allowances best;
  best.fill(kAllowances.front());
  std::array<double, kFigures.size()> least_off;
  least_off.fill(1);
  for (const double allowance : kAllowances) {
    Allowances tried;
    tried.fill(allowance);
    std::array<FigureCoverage, kFigures.size()> sums;
    for (const auto& its : coverage_with(residuals, cells, tried, groups)) {
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i].points += its[i].points;
        sums[i].inside += its[i].inside;
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (sums[i].points == 0) continue;
      const double off =
          std::abs(static_cast<double>(sums[i].inside) / sums[i].points - share_of(kFigures[i]));
      if (off >= least_off[i]) continue;
      least_off[i] = off;
      best[i] = allowance;
    }
  }
  return best;
}

/// Rows of all scopes that have enough other families. Of all GPUs, only where two vendors have
/// residuals.
sim::IntervalTable table_without(const std::string& left_out, const Cells& cells,
                                 const Allowances& allowances) {
  std::array<std::set<std::string>, kFigures.size()> vendors;
  for (const auto& [key, cell] : cells)
    if (key.first.gpu == "amd" || key.first.gpu == "nvidia")
      vendors[static_cast<std::size_t>(key.second)].insert(key.first.gpu);
  std::vector<sim::IntervalRow> rows;
  for (const auto& [key, cell] : cells) {
    const auto figure = static_cast<std::size_t>(key.second);
    if (key.first.gpu == sim::kAny && vendors[figure].size() < 2) continue;
    const std::optional<Interval> interval =
        interval_without(cell, left_out, allowances[figure], key.second);
    if (!interval) continue;
    sim::IntervalRow row{key.first, key.second, *interval, static_cast<int>(cell.size()), 0};
    for (const auto& [family, values] : cell) row.points += static_cast<int>(values.size());
    rows.push_back(std::move(row));
  }
  return sim::IntervalTable(std::move(rows));
}

void add_residuals(const ComparedGroup& group, std::size_t number, const ComparedPoint& point,
                   std::vector<Residual>& residuals) {
  const auto add = [&](Figure figure, double value) {
    residuals.push_back({number, group.gpu_name, group.vendor, group.family(), point.predicted.kind,
                         figure, value});
  };
  const MeasuredPoint& measured = point.measured;
  const Prediction& predicted = point.predicted;
  if (measured.l2_hit_pct) add(Figure::l2_hit_rate, *measured.l2_hit_pct - predicted.l2_hit_pct);
  if (point.dram_read_error_pct())
    add(Figure::dram_reads,
        *measured.dram_read_mb / std::max(kLeastReadMb, predicted.dram_read_mb));
  if (measured.time_us && predicted.time_us > 0)
    add(Figure::time, *measured.time_us / predicted.time_us);
  if (point.permutation && point.measured_speedup) {
    add(Figure::speedup, *point.measured_speedup / predicted.speedup);
    // Where registers spill no interval of a gain is used (results/decision.h).
    if (predicted.speedup >= 1 + kLeastGain && !predicted.spills)
      add(gain_of(predicted.traffic),
          std::log(*point.measured_speedup) / std::log(predicted.speedup));
  }
}

}  // namespace

std::vector<Residual> residuals_of(const std::vector<ComparedGroup>& groups) {
  std::vector<Residual> residuals;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const ComparedPoint& point : groups[g].points)
      add_residuals(groups[g], g, point, residuals);
  }
  return residuals;
}

std::optional<Interval> family_interval(const std::vector<std::vector<double>>& families,
                                        double allowance, double share) {
  const auto count = static_cast<int>(families.size());
  if (count < kLeastFamilies) return std::nullopt;
  std::vector<Weighed> all;
  for (const std::vector<double>& values : families) {
    for (const double value : values)
      all.push_back({value, 1.0 / static_cast<double>(values.size())});
  }
  std::ranges::sort(all, [](const Weighed& a, const Weighed& b) {
    return std::pair(a.value, a.weight) < std::pair(b.value, b.weight);
  });
  const double tail = (1 - share) / 2;
  const double cut = std::max(0.0, tail * count - allowance * (1 - tail));
  return Interval{end_after(all.begin(), all.end(), cut), end_after(all.rbegin(), all.rend(), cut)};
}

sim::IntervalTable learn_intervals(const std::vector<Residual>& residuals) {
  const Cells cells = cells_of(residuals);
  return table_without({}, cells, best_allowances(residuals, cells));
}

std::map<std::string, sim::IntervalTable> gains_without_each(
    const std::vector<Residual>& residuals) {
  std::vector<Residual> gains;
  for (const Residual& one : residuals)
    if (one.figure >= Figure::gain_less) gains.push_back(one);
  const Cells cells = cells_of(gains);
  const Allowances allowances = best_allowances(gains, cells);
  std::map<std::string, sim::IntervalTable> tables;
  for (const Residual& one : residuals)
    if (!tables.contains(one.family))
      tables.emplace(one.family, table_without(one.family, cells, allowances));
  return tables;
}

std::vector<std::vector<FigureCoverage>> left_out_coverage(const std::vector<Residual>& residuals,
                                                           std::size_t groups) {
  const Cells cells = cells_of(residuals);
  return coverage_with(residuals, cells, best_allowances(residuals, cells), groups);
}

void add_coverage(const std::vector<Residual>& residuals, std::size_t groups,
                  std::vector<GpuScore>& scores) {
  const std::vector<std::vector<FigureCoverage>> coverage = left_out_coverage(residuals, groups);
  for (GpuScore& score : scores) {
    score.coverage.clear();
    for (std::size_t i = 0; i < kFigures.size(); ++i) {
      FigureCoverage sum{kFigures[i], 0, 0};
      for (const std::size_t group : score.groups) {
        sum.points += coverage[group][i].points;
        sum.inside += coverage[group][i].inside;
      }
      if (sum.points > 0) score.coverage.push_back(sum);
    }
  }
}

}  // namespace heddle::calibrate
