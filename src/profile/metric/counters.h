// What expressions of a workload can ask for: counters of the chosen dispatches, and built-ins.
//
//   duration       ns                        denom        waves, cycles, seconds or 1: -n
//   gui_active     busy cycles of an XCD     active_cus   compute units that worked
//   cus, xcds, max_sclk, hbm_bw, ...         from sysinfo.csv
//   empirical_HBMBw, ...                     the column of roofline.csv, of its first device
//
// Rules
//   1. A counter that a dispatch has no number for is NaN there; a column that is not recorded is
//      not found, and the reason names it.
//   2. Prefixes that an architecture renames are looked up under both names.
//   3. Level files have the rows of pmc_perf.csv. Where the kernels of a row differ, there is no
//      value; with `compat` it is taken all the same. Where there is no such file, SQ_LEVEL_WAVES's
//      SQ_ACCUM_PREV_HIRES is the counter SQ_LEVEL_WAVES_ACCUM.
//   4. hbm_bw is that of the whole chip where a device is the whole chip, in any NPS mode; with
//      `compat` it is what sysinfo.csv says.
//   5. What is divided by zero has no value; with `compat` it is infinite, unless `infinite` is not.
//   6. Only chips of several dies have to say how many they have.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profile/metric/definition.h"
#include "profile/metric/expression.h"
#include "profile/workload/workload.h"

namespace heddle::profile {

class WorkloadCounters : public MetricSource {
 public:
  /// `places` are places in workload.dispatches.
  WorkloadCounters(const Workload& workload, std::vector<std::size_t> places,
                   std::vector<std::pair<std::string, std::string>> renamed,
                   std::string normal_unit, bool compat, bool infinite = true);

  std::size_t dispatches() const override { return places_.size(); }
  const std::vector<double>* find(const std::string& file, const std::string& name,
                                  std::string& why) override;
  int channels() const override { return channels_; }
  void trim() override;
  bool wants_infinite() const override { return compat_ && infinite_; }
  /// Counters that have a number for some dispatches and not for others: a line for each.
  const std::vector<std::string>& gaps() const { return gaps_; }

 private:
  struct Known {
    std::vector<double> values;                 ///< one per dispatch, or one that all have
    std::string why;                            ///< not empty: there are no values
    const std::vector<double>* lent = nullptr;  ///< instead of `values`
  };

  Known compute(const std::string& file, const std::string& name);
  Known counter(const CounterTable& table, const std::string& file, const std::string& name);
  Known level(const std::string& file, const std::string& name);
  bool built_in(const std::string& name, Known& known);
  Known active_cus();
  Known denom();
  /// A counter divided by the number of XCDs.
  Known per_xcd(const std::string& counter);
  Known system_value(const std::string& field) const;
  Known durations() const;
  /// A column of roofline.csv.
  Known empirical(const std::string& column) const;
  static Known same_for_all(double value);

  const Workload& workload_;
  std::vector<std::size_t> places_;
  std::vector<std::pair<std::string, std::string>> renamed_;
  std::string normal_unit_;
  bool compat_;
  bool infinite_;
  int channels_ = 0;
  bool all_rows_ = false;          ///< dispatch i is row i, and no row is left
  std::vector<std::string> gaps_;  ///< each once
  std::map<std::pair<std::string, std::string>, Known> known_;
  std::size_t copied_ = 0;  ///< numbers in known_ that are not lent
};

}  // namespace heddle::profile
