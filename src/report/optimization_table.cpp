#include "report/optimization_table.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <optional>

#include "report/figures.h"
#include "report/optimization_explanation.h"
#include "report/optimization_facts.h"
#include "report/simulation_counters.h"
#include "support/text.h"

namespace heddle::report {
namespace {

using Rows = std::vector<ComparedRow>;
using Amount = std::optional<double>;
using AmountText = std::function<std::string(double)>;

constexpr double kSmallestChange = 0.05;  ///< rounds to 0.0 below

std::string relative_change(double before, double after) {
  if (before <= 0) return {};
  const double percent = (after / before - 1) * 100;
  return std::abs(percent) < kSmallestChange ? std::string() : fmt::format("{:+.1f} %", percent);
}

std::string points_change(double before, double after) {
  const double points = after - before;
  return std::abs(points) < kSmallestChange ? std::string() : fmt::format("{:+.1f} points", points);
}

using Change = std::function<std::string(double, double)>;

void add_row(Rows& rows, const std::string& label, Amount before, Amount after,
             const AmountText& text, const Change& change = {}) {
  if (!before && !after) return;
  const auto cell = [&](const Amount& figure) { return figure ? text(*figure) : std::string("-"); };
  rows.push_back({label, cell(before), cell(after),
                  before && after && change ? change(*before, *after) : std::string()});
}

Amount hit_rate(const CacheCounts& counts) {
  return counts.requests > 0 ? Amount(counts.hit_rate_pct()) : std::nullopt;
}

Amount last_level_rate(const SimResult& result) {
  return result.last_level ? hit_rate(*result.last_level) : std::nullopt;
}

Amount die_balance(const SimResult& result) {
  return result.dies.size() > 1 ? Amount(die_time_imbalance(result)) : std::nullopt;
}

Amount bytes_figure(const SimResult& result, std::int64_t bytes) {
  return has_replay(result) ? Amount(static_cast<double>(bytes)) : std::nullopt;
}

std::string limit_cell(const SimResult& result) {
  for (const Utilization& entry : result.utilization) {
    if (entry.resource == result.limited_by)
      return fmt::format("{}, {} busy", result.limited_by, share_text(entry.percent / 100));
  }
  return result.limited_by.empty() ? "-" : result.limited_by;
}

Rows compared_rows(const SimResult& before, const SimResult& after) {
  Rows rows;
  const auto time = [](const SimResult& result) {
    return result.time_us > 0 ? Amount(result.time_us) : std::nullopt;
  };
  const AmountText factor = [](double ratio) { return fmt::format("{:.2f}x", ratio); };
  add_row(rows, "time", time(before), time(after), time_text, relative_change);
  add_row(rows, "L2 hit rate", hit_rate(before.l2.cache), hit_rate(after.l2.cache), percent_text,
          points_change);
  add_row(rows, "last level hit rate", last_level_rate(before), last_level_rate(after),
          percent_text, points_change);
  add_row(rows, "bytes past the L2", bytes_figure(before, moved_bytes(before)),
          bytes_figure(after, moved_bytes(after)), bytes_text, relative_change);
  add_row(rows, "against the bound", bytes_ratio(before), bytes_ratio(after), factor);
  add_row(rows, "HBM bytes", bytes_figure(before, hbm_bytes(before)),
          bytes_figure(after, hbm_bytes(after)), bytes_text, relative_change);
  add_row(rows, "slowest die over mean", die_balance(before), die_balance(after), factor);
  if (!before.limited_by.empty() || !after.limited_by.empty())
    rows.push_back({"limited by", limit_cell(before), limit_cell(after), ""});
  return rows;
}

Rows compared_causes(const SimResult& before, const SimResult& after) {
  const std::vector<CauseCount> old_causes = causes_of(before);
  const std::vector<CauseCount> new_causes = causes_of(after);
  const std::vector<CauseCount>& names = old_causes.empty() ? new_causes : old_causes;
  const auto count_at = [](const std::vector<CauseCount>& causes, std::size_t i) {
    return causes.empty() ? std::nullopt : Amount(static_cast<double>(causes[i].count));
  };
  Rows rows;
  for (std::size_t i = 0; i < names.size(); ++i) {
    add_row(rows, "misses, " + names[i].name, count_at(old_causes, i), count_at(new_causes, i),
            number_text, relative_change);
  }
  return rows;
}

}  // namespace

ComparedOrders compared_orders(const OptimizationReport& report) {
  ComparedOrders orders;
  if (report.is_reordered() || report.answer == Answer::measure) {
    orders.after = &report.best.predicted;
    orders.after_name = "best";
  } else if (const OrderAttempt* other = best_other(report);
             other != nullptr &&
             other->predicted->sample.sampled == report.baseline.sample.sampled) {
    orders.after = &*other->predicted;
    orders.after_name = "best other";
  }
  const SimResult& after = orders.after == nullptr ? report.baseline : *orders.after;
  orders.rows = compared_rows(report.baseline, after);
  for (ComparedRow& cause : compared_causes(report.baseline, after))
    orders.rows.push_back(std::move(cause));
  return orders;
}

}  // namespace heddle::report
