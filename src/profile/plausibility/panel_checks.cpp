// Metrics as they are printed: beyond their peak, beyond 0 to 100 %, infinite.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "profile/plausibility/checks.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

constexpr std::size_t kMostTold = 3;
/// Hits, misses and requests of different replays.
constexpr double kRateTolerance = 1;
/// Cycles and times of different replays differ more.
constexpr double kUtilizationTolerance = 10;
constexpr double kLeastLatencyCycles = 1;

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
  bool is_share() const { return unit().starts_with("pct") || unit().starts_with("%"); }
  /// "2.1.22 L2-Fabric Read BW"
  std::string place() const { return fmt::format("{} {}", id(), text("Metric")); }
  const std::vector<PanelCell>& cells() const { return row_; }

 private:
  const PanelCell* cell(std::string_view title) const {
    for (std::size_t i = 0; i < row_.size() && i < table_.columns.size(); ++i) {
      if (table_.columns[i].title == title) return &row_[i];
    }
    return nullptr;
  }

  const PanelTable& table_;
  const std::vector<PanelCell>& row_;
};

/// Findings of one kind: the first few are told, the others counted.
class Told {
 public:
  explicit Told(std::string_view id) : id_(id) {}
  void add(std::string where, std::string what) {
    if (++count_ <= kMostTold) findings_.push_back({std::string(id_), where, what, {}});
  }
  void append_to(std::vector<Finding>& findings) {
    if (count_ > kMostTold)
      findings_.back().what += fmt::format(
          "; {}", count_of(static_cast<std::int64_t>(count_ - kMostTold), "more metric"));
    findings.insert(findings.end(), findings_.begin(), findings_.end());
  }

 private:
  std::string_view id_;
  std::size_t count_ = 0;
  std::vector<Finding> findings_;
};

/// Rates whose formula has no firm 100 %: blocks that wait are counted once per resource,
/// coalescing assumes waves with all lanes at work, an LDS instruction is active in several places,
/// and stalls of three kinds may happen at once.
bool may_exceed_100(const std::string& id) {
  return id.starts_with("6.2.") || id == "16.1.3" || id == "12.1.1" || id == "17.2.12" ||
         id == "17.2.13";
}

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
  /// Whether this share of a peak was told already: several panels show the same.
  bool seen(double percent) { return !seen_.insert(std::round(percent * 1e4)).second; }

  void check_finite(const Metric& metric) {
    for (const PanelCell& cell : metric.cells()) {
      if (!cell.is_number() || !std::isinf(cell.number)) continue;
      infinite_.add(0, metric.place(), "a division by zero made it infinite");
      return;
    }
  }

  void check_share(const Metric& metric) {
    const std::string name = lower_case(metric.text("Metric"));
    const bool of_counts =
        name.find("hit") != std::string::npos || name.find("traffic") != std::string::npos;
    const double most = 100 + (of_counts ? kRateTolerance : kUtilizationTolerance);
    for (const char* title : {"Avg", "Min", "Max"}) {
      const auto value = metric.number(title);
      if (!value || std::isinf(*value)) continue;
      const bool negative = *value < -kRateTolerance;
      if (!negative && (*value <= most || may_exceed_100(metric.id()))) continue;
      if (seen(*value)) return;
      (negative ? negative_ : above_100_)
          .add(metric.place(), fmt::format("{} % ({})", figure(*value), lower_case(title)));
      return;
    }
  }

  /// What the hardware can do where that is more than the peak that is printed.
  double limit_of(const std::string& id, double peak) const {
    if (id == "2.1.0" || id == "2.1.1") return 2 * peak;  // packed instructions
    const auto clock = recording_.system("max_sclk");
    const auto channels = recording_.system("total_l2_chan");
    if (id == "2.1.21" && clock && channels) return std::max(peak, *clock / 1000 * 128 * *channels);
    return peak;
  }

  void check_peak(const Metric& metric) {
    const auto value = metric.number("Avg");
    const auto peak = metric.number("Peak");
    if (!value || !peak || *peak <= 0 || std::isinf(*value)) return;
    const double limit = limit_of(metric.id(), *peak);
    if (*value <= limit * kReplayTolerance || seen(100 * *value / *peak)) return;
    const bool behind_cache = recording_.is_mi300() &&
                              (metric.id() == "2.1.22" || metric.id() == "2.1.23") &&
                              *value <= kInfinityCacheGbPerS;
    const std::string figures =
        fmt::format("{} {}, {} % of the peak of {}", figure(*value), metric.text("Unit"),
                    figure(100 * *value / limit), figure(limit));
    (behind_cache ? above_hbm_ : above_peak_).add(metric.place(), figures);
  }

  void check_latency(const Metric& metric) {
    if (metric.unit() != "cycles" || metric.text("Metric").find("Latency") == std::string::npos)
      return;
    const auto value = metric.number("Avg");
    if (!value || *value >= kLeastLatencyCycles || seen(*value)) return;
    latency_.add(metric.place(),
                 fmt::format("{} cycles, nothing answers in less than one", figure(*value)));
  }

  void check_active(const Metric& metric) {
    if (metric.id() != "2.1.7" || metric.number("Avg") != 0 || recording_.dispatches().empty())
      return;
    const std::size_t ran = recording_.dispatches().size();
    active_.add(
        0, metric.place(),
        fmt::format("0 of {} CUs, though {} {} ran", figure(metric.number("Peak").value_or(0)), ran,
                    ran == 1 ? "dispatch" : "dispatches"));
  }

  const Recording& recording_;
  std::set<double> seen_;
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
