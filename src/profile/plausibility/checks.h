// The checks behind find_implausible, and what they share.
//
//   Group group("zero-duration", "dispatch");
//   group.add(1, "dispatch 3, copy(int*)", "0 ns from start to end");
//   group.finding()   ->   the worst case, "and 4 more dispatches"
//
// Rules
//   1. Each check appends its findings: one for each kind and each thing that is compared (a level
//      of memory, a pair of counters, a metric).
//   2. A check whose counters, times or peaks are not known finds nothing.
//   3. Numbers that may differ because they stem from different replays have a tolerance, which
//      the explanation of the kind tells (results/finding.cpp).
#pragma once

#include <array>
#include <concepts>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/workload/selection.h"
#include "profile/workload/workload.h"
#include "results/finding.h"
#include "results/panel.h"

namespace heddle::profile {

/// Cases of one kind: the worst is told, the others are counted.
class Group {
 public:
  /// `noun` is what a case is, "dispatch".
  Group(std::string_view id, std::string_view noun) : id_(id), noun_(noun) {}
  /// The larger `badness`, the worse; the first of equals is told.
  void add(double badness, std::string where, std::string what);
  /// The same; `what` is asked only for the case that is told.
  template <class What>
  requires std::invocable<What>
  void add(double badness, const Dispatch& dispatch, const What& what);
  bool empty() const { return count_ == 0; }
  Finding finding() const;
  void append_to(std::vector<Finding>& findings) const {
    if (!empty()) findings.push_back(finding());
  }

 private:
  std::string_view id_;
  std::string_view noun_;
  std::size_t count_ = 0;
  double badness_ = 0;
  std::string where_;
  std::string what_;
};

/// Counters of the dispatches that are looked at. A column is read when it is first asked for, and
/// only once.
class Recording {
 public:
  Recording(const Workload& workload, const Selection& selection);
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  const Workload& workload() const { return workload_; }
  const std::vector<const Dispatch*>& dispatches() const { return dispatches_; }
  /// Nothing if it was not recorded for this dispatch.
  std::optional<double> counter(std::string_view name, const Dispatch& dispatch) const;
  /// Whether it was recorded for any of the dispatches.
  bool recorded(std::string_view name) const { return column(name).any; }
  /// Nothing if one of them was not recorded.
  std::optional<double> sum(std::initializer_list<std::string_view> names,
                            const Dispatch& dispatch) const;
  /// "RDREQ_sum" -> TCC_EA_RDREQ_sum, or TCC_EA0_RDREQ_sum on MI300.
  std::string fabric(std::string_view name) const;
  /// Those that every dispatch is asked for.
  struct FabricNames {
    std::string reads, short_reads, writes, long_writes;
  };
  const FabricNames& fabric_names() const { return fabric_names_; }
  /// Lines of 128 bytes, and an Infinity Cache: MI300 and later.
  bool is_mi300() const {
    return workload_.arch.starts_with("gfx94") || workload_.arch.starts_with("gfx95");
  }
  /// A field of sysinfo.csv, if it is above zero.
  std::optional<double> system(const std::string& name) const;

 private:
  struct Column {
    std::vector<double> own;                     ///< by row; NaN: it has none
    const std::vector<double>* values = &kNone;  ///< those, or the table's; none: no such column
    bool any = false;
  };
  static const std::vector<double> kNone;
  const Column& column(std::string_view name) const;
  Column read_column(std::string_view name) const;

  const Workload& workload_;
  std::vector<const Dispatch*> dispatches_;
  FabricNames fabric_names_;
  mutable std::map<std::string, Column, std::less<>> columns_;
  /// What was asked for lately, by the hash of its name: checks ask for few, a million times.
  mutable std::array<const std::pair<const std::string, Column>*, 64> lately_{};
};

/// The name, cut where it is long.
std::string short_name(const std::string& kernel);
/// "dispatch 3, copy(int*)".
std::string place_of(const Dispatch& dispatch);

template <class What>
requires std::invocable<What>
void Group::add(double badness, const Dispatch& dispatch, const What& what) {
  if (empty() || badness > badness_)
    add(badness, place_of(dispatch), what());
  else
    ++count_;
}
/// 1925.07 -> "1925", 0.3 -> "0.3", 3355180400 -> "3.355e+09".
std::string figure(double value);
/// Names of counters, not of columns that describe the dispatch.
bool is_counter(std::string_view column);

/// What one pass over all values of all counters tells.
struct CounterScan {
  Group frozen{"frozen-counters", "dispatch"};
  Group negative{"negative-counter", "value"};
  Group overflow{"counter-overflow", "value"};
  Group channels{"channel-sum", "case"};
};
CounterScan scan_counters(const Recording& recording);

void check_system(const Recording& recording, std::vector<Finding>& findings);
void check_dispatch_ids(const Recording& recording, std::vector<Finding>& findings);
void check_times(const Recording& recording, std::vector<Finding>& findings);
void check_cycles(const Recording& recording, std::vector<Finding>& findings);
void check_waves(const Recording& recording, std::vector<Finding>& findings);
void check_parts(const Recording& recording, std::vector<Finding>& findings);
void check_levels(const Recording& recording, std::vector<Finding>& findings);
void check_bandwidth(const Recording& recording, std::vector<Finding>& findings);
void check_arithmetic(const Recording& recording, std::vector<Finding>& findings);
void check_panels(const Recording& recording, const std::vector<Panel>& panels,
                  std::vector<Finding>& findings);

/// "bandwidth of the L2 (sysinfo.csv has no max_sclk)": what no check could look at, and why.
std::vector<std::string> find_unchecked(const Recording& recording,
                                        const std::vector<Panel>& panels);
/// Why cycles and durations of some kernels cannot be compared; empty where they can.
std::string untold_cycles(const Recording& recording);
/// Counters of which one is a part of another were recorded.
bool has_parts(const Recording& recording);

/// What the Infinity Cache of an MI300 delivers at most, in GB/s (AMD, CDNA 3 white paper). GPU
/// files hold what was measured, which is less: a limit has to be what nothing exceeds.
inline constexpr double kInfinityCacheGbPerS = 17'200;
/// Counters and times of different replays of a kernel differ by some per cent.
inline constexpr double kReplayTolerance = 1.1;

}  // namespace heddle::profile
