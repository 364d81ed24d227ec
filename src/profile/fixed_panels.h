// The panels that are not computed from metrics: 0 top statistics, 1 the system, 4 ceilings.
#pragma once

#include <cstddef>
#include <string>

#include "profile/workload/selection.h"
#include "profile/workload/workload.h"
#include "results/panel.h"

namespace heddle::profile {

struct TopOptions {
  std::string time_unit = "ns";  ///< "s", "ms", "us", "ns"
  std::size_t most_rows = 10;    ///< 0: all
  bool compat = false;
};

/// Cuts a list and says so below it; 0: all rows stay.
void cut_rows(PanelTable& table, std::size_t most_rows);

Panel top_statistics(const Workload& workload, const Selection& selection,
                     const TopOptions& options);
Panel system_info(const Workload& workload);
/// No tables where roofline.csv is missing.
Panel ceilings(const Workload& workload, bool compat);

}  // namespace heddle::profile
