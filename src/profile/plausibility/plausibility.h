// Values that cannot be: what a profile says against itself and against the hardware.
//
//   find_implausible(workload, selection, panels)
//     -> above-peak   2.1.22 L2-Fabric Read BW: 1925 GB/s, 117 % of the peak of 1638
//
// Rules
//   1. Only what the folder holds is used; nothing is measured or simulated.
//   2. The same value is reported once, in the first panel that shows it.
//   3. A finding is about the data, not about the kernel: slow is not implausible.
//   4. Cases of one kind are one finding: the worst of them with its figures, and how many more.
//   5. What differs between replays only as replays do is no finding; explanations tell how much
//      that is. Only the dispatches of `selection.measured` count.
#pragma once

#include <vector>

#include "profile/workload/selection.h"
#include "profile/workload/workload.h"
#include "results/finding.h"
#include "results/panel.h"

namespace heddle::profile {

/// `panels` are all panels of the workload, not only those that are shown.
std::vector<Finding> find_implausible(const Workload& workload, const Selection& selection,
                                      const std::vector<Panel>& panels);

}  // namespace heddle::profile
