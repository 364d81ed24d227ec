// Values that cannot be: what a profile says against itself and against the hardware.
//
//   check_plausibility(workload, selection, panels)
//     findings      above-peak   2.1.22 L2-Fabric Read BW: 1925 GB/s, 117 % of the peak of 1638
//     not_checked   "bandwidth of the L2 (sysinfo.csv has no total_l2_chan)"
//
// Rules
//   1. Only what the folder holds is used; nothing is measured or simulated.
//   2. A metric that several panels show with the same value is reported once, in the first.
//   3. A finding is about the data, not about the kernel: slow is not implausible.
//   4. Dispatches with the same trouble are one finding: the worst of them with its figures, and
//      how many more. So there is one for each kind and level of memory or unit. Pairs of counters
//      have one each, two at most; metrics one each, the three worst of a kind.
//   5. What differs between replays only as replays do is no finding; explanations tell how much
//      that is. Only the dispatches of `selection.measured` count.
//   6. What a check needs and no dispatch has is named in `not_checked`. A check that could look
//      at one dispatch is not named there.
#pragma once

#include <vector>

#include "profile/workload/selection.h"
#include "profile/workload/workload.h"
#include "results/finding.h"
#include "results/panel.h"

namespace heddle::profile {

/// `panels` are all panels of the workload, not only those that are shown.
PlausibilityReport check_plausibility(const Workload& workload, const Selection& selection,
                                      const std::vector<Panel>& panels);

/// The findings of it.
std::vector<Finding> find_implausible(const Workload& workload, const Selection& selection,
                                      const std::vector<Panel>& panels);

}  // namespace heddle::profile
