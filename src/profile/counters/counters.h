// What profilers of several makers counted, launch by launch, in heddle's words.
//
//   ncu --csv --metrics gpu__time_duration.sum,lts__t_sectors_lookup_hit.sum,... APP > counters.csv
//   read_counters("counters.csv")    {kernel, "ncu CSV", time_us 41.3, l2_hit_pct 62.1, ...} ...
//
// What can be read
//   ncu --csv                 one row for each metric, or --page raw: one row for each launch and a
//                             row of units; lines of ncu and of the program around it are passed
//   rocprofv3 CSV             ..._counter_collection.csv, with ..._kernel_trace.csv beside it where
//                             it has no times; or the trace alone; a folder with one of the former
//   rocpd                     a database of rocprofv3 (.db)
//   rocprofiler-compute       a workload folder
//
// Rules
//   1. Launches are in the order of the file. What is not known of one has a reason there.
//   2. NVIDIA: hits are lts__t_sectors_lookup_hit.sum of those and lts__t_sectors_lookup_miss.sum.
//      Where these are missing, lts__t_sector_hit_rate.pct stands for the rate, and a reason says
//      so.
//   3. AMD: hits are TCC_HIT of TCC_HIT and TCC_MISS. TCC_EA_* count what the L2 asks the fabric
//      for. Chips whose counters have that name (gfx90a and before) have no cache behind the L2, so
//      that the memory moves it, if all of it went to DRAM. TCC_EA0_* are of chips with an Infinity
//      Cache behind the L2 (gfx942, gfx950): those are not bytes of DRAM, and none are told.
//   4. Nothing in a file is trusted. A file has at most kCountersBytes and kMostLaunches launches.
//   5. A file in which ncu says that it was refused is an Error that says what to do, with
//      ExitCode::missing. So is one without a launch.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "results/counters.h"

namespace heddle::profile {

inline constexpr std::size_t kCountersBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMostLaunches = 100'000;
/// No counter of a launch gets there; what a file has beyond it is not a number.
inline constexpr double kLargestCount = 1e18;

/// What it is, its contents tell. An Error that lists what can be read for anything else.
std::vector<KernelCounters> read_counters(const std::string& path);

std::vector<KernelCounters> read_rocprofv3_csv(const std::string& path);
/// Each dispatch of a workload folder.
std::vector<KernelCounters> read_rocprofiler_compute(const std::string& path);

/// Of texts; Errors have no file yet.
std::vector<KernelCounters> parse_ncu_csv(std::string_view text);
/// `trace` is the text of a kernel trace, or empty.
std::vector<KernelCounters> parse_rocprofv3_csv(std::string text, std::string trace);

bool looks_like_ncu(std::string_view text);
bool looks_like_rocprofv3(std::string_view text);

}  // namespace heddle::profile
