// What the chosen dispatches of a run did, for comparing it with another run or with a job.
//
//   read_figures(workload, selection)
//     duration 12,280,317 ns    read_bytes 8,591,555,338    lane_requests 1,073,905,664    ...
//
// Rules
//   1. A figure is there if every dispatch has its counters.
//   2. Several kernels are an Error: figures of one kernel say nothing about another.
#pragma once

#include "profile/workload/selection.h"
#include "profile/workload/workload.h"
#include "results/profile_audit.h"

namespace heddle::profile {

RunFigures read_figures(const Workload& workload, const Selection& selection);

}  // namespace heddle::profile
