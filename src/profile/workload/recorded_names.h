// One name for what versions of the profiler call differently, from Omniperf 1.0 of 2022 on.
//
//   column   KernelName, Index, BeginNs, grd   Kernel_Name, Dispatch_ID, Start_Timestamp, Grid_Size
//   sysinfo  gpu_soc, numCU, sclk, hbmBW       gpu_arch, cu_per_gpu, max_sclk, hbm_bw
//
// Rules
//   1. A name of today wins over an old one beside it.
//   2. From rocprofiler-compute 3.1 on hbm_bw is not recorded; it is 32 bytes a clock of max_mclk
//      and channel of the memory.
//   3. The architecture is what sysinfo.csv says: gpu_arch, else the chip's name. Failing both,
//      counters tell it only where no other architecture has them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profile/workload/counter_table.h"

namespace heddle::profile {

using SystemFields = std::vector<std::pair<std::string, std::string>>;

void rename_columns(CounterTable& table);

/// Keeps the order, and what has no other name.
void rename_fields(SystemFields& fields);

/// "gfx908"; empty if the fields do not tell.
std::string recorded_arch(const SystemFields& fields);

/// What the counters' names alone tell; empty if several architectures have them.
std::string guessed_arch(const CounterTable& counters);

/// hbm_bw in GB/s by rule 2; nothing where a field is missing or 0.
std::optional<double> derived_bandwidth(const SystemFields& fields);

}  // namespace heddle::profile
