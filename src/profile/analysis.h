// The panels of a workload: definitions × counters → tables.
//
//   analyze(workload, selection, definition, {.blocks = {"16.3", "2.1.19"}})
//
// Rules
//   1. A metric is computed for every dispatch and then summed up: Avg is the mean of the
//      dispatches' values, not a ratio of sums.
//   2. A cell whose counters were not recorded is blank and says which.
//   3. Blocks are panels (16), tables (16.3) or metrics (16.3.5). Panel 0 is always shown; 1, 4 and
//      21 are shown where they are named, or where no block is, if there is anything to show.
//   4. Panel 40 has what GPUs of both vendors are compared by. It is shown where it is named.
//   5. With `compat` formulas, names and numbers are those of rocprofiler-compute 3.0.0, or of a
//      later version as far as compat.h tells them apart; without it they are corrected where
//      docs/analyze.md says so.
#pragma once

#include <string>
#include <vector>

#include "profile/compat.h"
#include "profile/metric/definition.h"
#include "profile/workload/selection.h"
#include "profile/workload/workload.h"
#include "results/panel.h"

namespace heddle::profile {

/// Compares GPUs of both vendors.
inline constexpr int kSideBySidePanel = 40;

struct AnalysisOptions {
  std::vector<std::string> blocks;  ///< empty: all
  std::string normal_unit = "per_wave";
  std::string time_unit = "ns";  ///< of panel 0
  std::size_t most_rows = 10;    ///< of the lists of panel 0; 0: all
  bool compat = false;
  CompatVersion version;  ///< where `compat` is set
};

/// `notes` gets what is missing of single dispatches.
std::vector<Panel> analyze(const Workload& workload, const Selection& selection,
                           const ArchitectureDefinition* definition, const AnalysisOptions& options,
                           std::vector<ProfileNote>* notes = nullptr);

/// Several runs side by side: the first is the baseline, others show their difference to it.
std::vector<Panel> compare(const std::vector<std::vector<Panel>>& runs, int decimals, bool compat);

struct MetricLine {
  int depth = 0;
  std::string id;
  std::string title;
  std::string note;  ///< how it differs from the original; empty if it does not
};
/// Panels, tables and metrics, one after the other.
std::vector<MetricLine> list_metrics(const ArchitectureDefinition& definition, bool compat);

}  // namespace heddle::profile
