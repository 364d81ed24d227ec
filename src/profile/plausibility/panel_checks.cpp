// Metrics as they are printed: beyond their peak, beyond 0 to 100 %, infinite.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "profile/plausibility/checks.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

constexpr std::size_t kMostTold = 3;
constexpr std::size_t kMostNamedMetrics = 5;
/// Hits, misses and requests of different replays.
constexpr double kRateTolerance = 1;
/// Cycles and times of different replays differ more.
constexpr double kUtilizationTolerance = 10;
constexpr double kLeastLatencyCycles = 1;
/// Columns that hold values of a metric.
constexpr std::array<const char*, 7> kValueTitles = {"Avg",    "Value", "Min", "Q1",
                                                     "Median", "Q3",    "Max"};

/// Metrics that several panels show, a line each.
constexpr std::array<std::string_view, 28> kSameMetrics = {
    "2.1.0 11.1.0",          "2.1.1 11.1.1",
    "2.1.2 11.1.2",          "2.1.3 11.1.3",
    "2.1.4 11.1.4",          "2.1.5 11.1.5",
    "2.1.6 11.1.6",          "2.1.8 11.2.2",
    "2.1.9 11.2.3",          "2.1.10 11.2.7",
    "2.1.11 11.2.4",         "2.1.12 11.2.5",
    "2.1.16 12.1.2",         "2.1.18 3.1.24 16.1.0 16.3.5",
    "2.1.19 16.1.1",         "2.1.20 3.1.44 17.1.2 17.3.7 18.1.0",
    "2.1.21 17.1.1",         "2.1.24 3.1.50 17.2.9",
    "2.1.25 3.1.51 17.2.10", "2.1.26 3.1.32 14.1.1 14.2.4",
    "2.1.27 14.1.0",         "2.1.28 3.1.38 13.1.1 13.2.4",
    "2.1.29 13.1.0",         "2.1.30 3.1.39",
    "3.1.19 12.1.0",         "3.1.26 16.1.3",
    "3.1.27 16.2.1",         "3.1.52 17.2.11"};

/// What a metric is, whichever panel shows it: the first of its ids.
std::string_view family_of(std::string_view id) {
  for (const std::string_view line : kSameMetrics) {
    for (const std::string_view one : split(line, ' ')) {
      if (one == id) return line.substr(0, line.find(' '));
    }
  }
  return id;
}

/// A row of a table of metrics, by the titles of its columns.
class Metric {
 public:
  Metric(const PanelTable& table, const std::vector<PanelCell>& row) : table_(table), row_(row) {}

  std::string text(std::string_view title) const {
    const PanelCell* found = cell(title);
    return found == nullptr || found->kind != PanelCell::Kind::text ? std::string() : found->text;
  }
  std::optional<double> number(std::string_view title) const {
    const PanelCell* found = cell(title);
    if (found == nullptr || !found->is_number()) return std::nullopt;
    return found->number;
  }
  std::string id() const { return text("Metric_ID"); }
  std::string unit() const {
    const std::string singular = text("Unit");
    return lower_case(singular.empty() ? text("Units") : singular);
  }
  bool is_share() const {
    return unit().starts_with("pct") || unit().starts_with("percent") || unit().starts_with("%") ||
           is_share_without_unit();
  }
  /// Counts over counts, which repeat from replay to replay; else cycles over cycles.
  bool is_of_counts() const {
    const std::string name = lower_case(text("Metric"));
    return name.find("hit") != std::string::npos || name.find("traffic") != std::string::npos ||
           id().starts_with("18.2.");
  }
  /// Without a firm 100 %: blocks that wait are counted once per resource, coalescing assumes waves
  /// with all lanes at work, an LDS instruction is active in several places, stalls of three kinds may
  /// happen at once, and block 30 divides sums over all units by the cycles of one die, and requests
  /// of one size by those of another.
  bool may_exceed_100() const {
    const std::string name = text("Metric");
    return id().starts_with("6.2.") || is_of_any_unit() ||
           (id().starts_with("12.1.") && name == "Access Rate") ||
           (id().starts_with("17.2.") && name.ends_with(" Stall")) ||
           name.ends_with("Coalescing") || name.ends_with(" Coalesce");
  }
  /// Counted once for each 32 bytes, and divided by requests of any size.
  bool is_of_uncached_pieces() const {
    const std::string name = text("Metric");
    return id().starts_with("17.2.") && name.starts_with("Uncached ") && name.ends_with(" Traffic");
  }
  /// Of panel 2, by name: ids are not the same on all chips.
  bool is_speed_of_light(std::string_view name) const {
    return id().starts_with("2.1.") && text("Metric").starts_with(name);
  }
  /// "2.1.22 L2-Fabric Read BW"
  std::string place() const { return fmt::format("{} {}", id(), text("Metric")); }
  const std::vector<PanelCell>& cells() const { return row_; }

 private:
  bool is_of_any_unit() const {
    const std::string name = text("Metric");
    for (const char* table : {"30.4.", "30.10.", "30.16."}) {
      if (id().starts_with(table)) return true;
    }
    return id().starts_with("30.") &&
           (name.starts_with("Uncached ") || name == "Traffic to memory" ||
            name == "Write back pressure");
  }
  /// Tables that have their unit in the title, and the memory chart, which has none.
  bool is_share_without_unit() const {
    const std::string name = id();
    if (name.starts_with("16.2.") || name.starts_with("18.2.")) return true;
    if (!name.starts_with("3.1.")) return false;
    const std::string title = text("Metric");
    return title.ends_with(" Hit") || title.ends_with(" Util") || title.ends_with(" Stall") ||
           title.ends_with(" Coalesce");
  }
  const PanelCell* cell(std::string_view title) const {
    for (std::size_t i = 0; i < row_.size() && i < table_.columns.size(); ++i) {
      if (table_.columns[i].title == title) return &row_[i];
    }
    return nullptr;
  }

  const PanelTable& table_;
  const std::vector<PanelCell>& row_;
};

/// Findings of one kind: the worst few are told in the order of the panels, the others named.
class Told {
 public:
  explicit Told(std::string_view id) : id_(id) {}
  void add(double badness, const Metric& metric, std::string what) {
    cases_.push_back({badness, metric.id(), metric.place(), std::move(what)});
  }
  void append_to(std::vector<Finding>& findings) const {
    std::vector<std::size_t> order(cases_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, [&](std::size_t a, std::size_t b) { return cases_[a].badness > cases_[b].badness; });
    order.resize(std::min(order.size(), kMostTold));
    std::vector<std::string> others;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (!is_one_of(i, order))
        others.push_back(cases_[i].id);
      else
        findings.push_back({std::string(id_), cases_[i].place, cases_[i].what, {}});
    }
    if (others.empty()) return;
    findings.back().what += fmt::format(
        "; {}: {}", count_of(static_cast<std::int64_t>(others.size()), "more metric"),
        fmt::join(others.begin(),
                  others.begin() +
                      static_cast<std::ptrdiff_t>(std::min(others.size(), kMostNamedMetrics)),
                  ", "));
    if (others.size() > kMostNamedMetrics) findings.back().what += ", ...";
  }

 private:
  struct Case {
    double badness = 0;
    std::string id;
    std::string place;
    std::string what;
  };
  std::string_view id_;
  std::vector<Case> cases_;
};

class PanelChecks {
 public:
  explicit PanelChecks(const Recording& recording) : recording_(recording) {}

  void look_at(const PanelTable& table) {
    for (const std::vector<PanelCell>& row : table.rows) {
      const Metric metric(table, row);
      if (metric.id().empty()) continue;
      check_finite(metric);
      if (metric.is_share())
        check_share(metric);
      else
        check_peak(metric);
      check_latency(metric);
      check_active(metric);
    }
  }

  void append_to(std::vector<Finding>& findings) {
    above_peak_.append_to(findings);
    above_hbm_.append_to(findings);
    negative_.append_to(findings);
    above_100_.append_to(findings);
    latency_.append_to(findings);
    active_.append_to(findings);
    infinite_.append_to(findings);
  }

 private:
  /// Whether this value of this metric was told already: several panels show the same, the memory
  /// chart without decimals.
  bool seen(const Metric& metric, double value) {
    // Ids of MI350 are others.
    const bool usual_ids = !recording_.workload().arch.starts_with("gfx95");
    std::vector<double>& told =
        seen_[usual_ids ? std::string(family_of(metric.id())) : metric.id()];
    for (const double one : told) {
      if (std::abs(one - value) <= 0.5) return true;
    }
    told.push_back(value);
    return false;
  }

  void check_finite(const Metric& metric) {
    for (const PanelCell& cell : metric.cells()) {
      if (!cell.is_number() || !std::isinf(cell.number)) continue;
      infinite_.add(0, metric.place(), "a division by zero made it infinite");
      return;
    }
  }

  void check_share(const Metric& metric) {
    // Requests of 64 bytes, and of 128 since MI300.
    const double pieces =
        recording_.workload().arch.starts_with("gfx9") && recording_.workload().arch >= "gfx940"
            ? 4
            : 2;
    const double whole = metric.is_of_uncached_pieces() ? 100 * pieces : 100;
    const double most = whole + (metric.is_of_counts() ? kRateTolerance : kUtilizationTolerance);
    double excess = 0, worst = 0;
    std::string column;
    for (const char* title : kValueTitles) {
      const auto value = metric.number(title);
      if (!value || std::isinf(*value)) continue;
      const bool negative = *value < -kRateTolerance;
      if (!negative && (*value <= most || metric.may_exceed_100())) continue;
      const double beyond = negative ? -*value : *value - 100;
      if (beyond <= excess) continue;
      excess = beyond;
      worst = *value;
      column = lower_case(title);
    }
    if (column.empty() || seen(metric, worst)) return;
    (worst < 0 ? negative_ : above_100_)
        .add(excess, metric, fmt::format("{} % ({})", figure(worst), column));
  }

  /// What the hardware can do where that is more than the peak that is printed.
  double limit_of(const Metric& metric, double peak) const {
    if (metric.is_speed_of_light("VALU FLOPs") || metric.is_speed_of_light("VALU IOPs"))
      return 2 * peak;  // packed instructions
    const auto clock = recording_.system("max_sclk");
    const auto channels = recording_.system("total_l2_chan");
    if (metric.is_speed_of_light("L2 Cache BW") && clock && channels)
      return std::max(peak, *clock / 1000 * 128 * *channels);
    return peak;
  }

  void check_peak(const Metric& metric) {
    const auto value = metric.number("Avg");
    const auto peak = metric.number("Peak");
    if (!value || !peak || *peak <= 0 || std::isinf(*value)) return;
    const double limit = limit_of(metric, *peak);
    if (*value <= limit * kReplayTolerance || seen(metric, 100 * *value / *peak)) return;
    const bool behind_cache = recording_.is_mi300() && metric.is_speed_of_light("L2-Fabric") &&
                              *value <= kInfinityCacheGbPerS;
    const std::string figures =
        fmt::format("{} {}, {} % of the peak of {}", figure(*value), metric.text("Unit"),
                    figure(100 * *value / limit), figure(limit));
    (behind_cache ? above_hbm_ : above_peak_).add(*value / limit, metric, figures);
  }

  void check_latency(const Metric& metric) {
    if (metric.unit() != "cycles" || metric.text("Metric").find("Latency") == std::string::npos)
      return;
    const auto value = metric.number("Avg");
    if (!value || *value >= kLeastLatencyCycles || seen(metric, *value)) return;
    latency_.add(-*value, metric,
                 fmt::format("{} cycles, nothing answers in less than one", figure(*value)));
  }

  void check_active(const Metric& metric) {
    if (!metric.is_speed_of_light("Active CUs") || metric.number("Avg") != 0 ||
        recording_.dispatches().empty())
      return;
    const std::size_t ran = recording_.dispatches().size();
    active_.add(
        0, metric.place(),
        fmt::format("0 of {} CUs, though {} {} ran", figure(metric.number("Peak").value_or(0)), ran,
                    ran == 1 ? "dispatch" : "dispatches"));
  }

  const Recording& recording_;
  std::map<std::string, std::vector<double>> seen_;
  Told above_peak_{"above-peak"};
  Told above_hbm_{"above-hbm"};
  Told negative_{"negative-rate"};
  Told above_100_{"rate-above-100"};
  Told latency_{"short-latency"};
  Group active_{"no-active-cus", "metric"};
  Group infinite_{"infinite-value", "metric"};
};

}  // namespace

void check_panels(const Recording& recording, const std::vector<Panel>& panels,
                  std::vector<Finding>& findings) {
  PanelChecks checks(recording);
  for (const Panel& panel : panels) {
    for (const PanelTable& table : panel.tables) {
      if (!table.is_list) checks.look_at(table);
    }
  }
  checks.append_to(findings);
}

}  // namespace heddle::profile
