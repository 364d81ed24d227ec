// The counters of an AMD chip's L2, as figures of a launch; which they are, their names tell.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "results/counters.h"

namespace heddle::profile {

/// Nothing for a counter that was not recorded. Asked for "TCC_HIT_sum".
using CounterOf = std::function<std::optional<double>(std::string_view)>;

/// Hits, lookups, bytes of DRAM, and reasons for what there is not. Time is not touched.
void fill_amd_counters(KernelCounters& counters, const CounterOf& counter);

}  // namespace heddle::profile
