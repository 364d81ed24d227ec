// One panel of one workload: every row's expression, summed up over the dispatches.
//
//   "Avg" mean · "Min" · "Max" · "Q1" "Median" "Q3" with linear interpolation · "Std Dev" of a
//   sample · "Value" the mean as a whole number, halves to even · "Peak" · "Pct of Peak"
//
// Rules
//   1. Dispatches without a value do not count; where none has one the cell is blank.
//   2. With `compat` and a version from 3.7 on means are ratios of sums (expression.h).
//   3. A table per channel has a row for each channel of the L2.
#pragma once

#include <functional>
#include <string>

#include "profile/compat.h"
#include "profile/metric/definition.h"
#include "profile/metric/expression.h"
#include "results/panel.h"

namespace heddle::profile {

struct EvaluationOptions {
  std::string per;  ///< "wave", "cycle", "second", "kernel"
  bool compat = false;
  CompatVersion version;  ///< where `compat` is set
  /// Whether a table ("16.3") or a metric ("16.3.5") is wanted.
  std::function<bool(const std::string& table, const std::string& metric)> wanted;
};

/// Tables without a wanted row are left out.
Panel evaluate_panel(const PanelDefinition& definition, MetricSource& source,
                     const EvaluationOptions& options);

/// The metric's name, of ours or of the original.
std::string metric_name(const MetricDefinition& row, bool compat);

}  // namespace heddle::profile
