// A recording of several nodes, or ranks: a folder with a workload folder of each.
//
//   workloads/app/   node1/   pmc_perf.csv, sysinfo.csv, ...
//                    node2/   pmc_perf.csv, sysinfo.csv, ...
//
// Rules
//   1. The dispatches of all nodes follow one another in the order of `nodes`, by name if none is
//      named. Each keeps its Dispatch_ID, so that one id is that of a dispatch on every node.
//   2. The chip, its clocks and its ceilings are those of the first node. Nodes of different chips
//      are an Error; other fields that peaks are made of and that differ are a note.
//   3. A folder in it that holds no workload, or one that cannot be read, is left out, and a note says
//      why; an Error if it is named.
#pragma once

#include <string>
#include <vector>

#include "profile/workload/workload.h"

namespace heddle::profile {

Workload read_nodes(const std::string& path, std::vector<std::string> nodes);

}  // namespace heddle::profile
