// Counts of a simulation under the names that the vendor's profiler gives them.
//
//   AMD      TCC_REQ 25165824, TCC_HIT 8388608, ..., TCC_EA0_WRREQ_64B 16777216
//   NVIDIA   lts__t_sectors.sum 4194304, lts__t_sectors_lookup_hit.sum 2097152, ...
//
// Rules
//   1. A name stands here only if the model counts what the hardware's counter of that name counts;
//      docs/simulate.md says where they differ.
//   2. Names come in the order in which requests go: first cache, L2, memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/simulation.h"

namespace heddle::report {

struct NamedCounter {
  std::string name;
  std::int64_t value = 0;
};

/// Of the whole launch.
std::vector<NamedCounter> launch_counters(const SimResult& result);
/// Of one die.
std::vector<NamedCounter> die_counters(const DieResult& die, CounterNames names);
/// Of one channel of an L2, or of its sum.
std::vector<NamedCounter> l2_counters(const L2Counts& counts, CounterNames names);

/// The largest over the mean; 1 is balanced, and so is nothing at all.
double die_time_imbalance(const SimResult& result);
/// By requests, over the channels of all dies.
double channel_imbalance(const SimResult& result);

}  // namespace heddle::report
