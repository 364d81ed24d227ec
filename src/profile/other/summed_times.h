// Kernels and how long they took, from files that add up the launches of a kernel.
//
//   own.hatchet             Triton's Proton: a tree of scopes and kernels, each with count and time
//   7_kernel_stats.csv      rocprofv3 --stats: Name, Calls, TotalDurationNs, ...
//
// Rules
//   1. A kernel that ran N times is N dispatches, each of the mean time; a note says so.
//   2. A file whose times are in no unit that is known is an Error, and so is one without a kernel,
//      and one of more than kMostSummedLaunches launches.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/workload/counter_table.h"
#include "profile/workload/recorded_names.h"

namespace heddle::profile {

inline constexpr std::int64_t kMostSummedLaunches = 1'000'000;

struct SummedTime {
  std::string kernel;
  std::string gpu;
  std::int64_t count = 0;
  double total_ns = 0;
};

struct SummedTimes {
  std::vector<SummedTime> kernels;
  SystemFields system;  ///< under the names of sysinfo.csv, as far as the file tells
};

bool looks_like_proton(std::string_view text);
SummedTimes parse_proton(std::string_view text);

bool is_kernel_stats(const CounterTable& table);
SummedTimes read_kernel_stats(const CounterTable& table);

}  // namespace heddle::profile
