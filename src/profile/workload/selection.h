// Which dispatches of a workload count: -d, -k and --gpu-id.
//
//   select(workload, {.dispatches = {"1", "3-5"}, .kernels = {"0"}})
//
// Rules
//   1. Dispatches are chosen by Dispatch_ID: "3", "3-5", "3:5", ">3", ">=3", "<3", "<=3".
//   2. Kernels are chosen by their place in the list of kernels, the longest first, or by a part of
//      their name.
//   3. With `by_row` selection is that of rocprofiler-compute 3.0: metrics take dispatches by row,
//      lists by Dispatch_ID, and of several GPUs the first one counts.
//   4. A choice that matches nothing is an Error that says what there is.
//   5. The list of kernels, hence their numbers, and the top statistics heed dispatches and GPUs,
//      not kernels.
#pragma once

#include <string>
#include <vector>

#include "profile/workload/workload.h"

namespace heddle::profile {

struct Choice {
  std::vector<std::string> dispatches;
  std::vector<std::string> kernels;
  std::vector<std::string> gpus;
  bool by_row = false;
};

/// Durations of all dispatches of a name.
struct KernelTime {
  std::string name;
  std::size_t count = 0;
  double sum_ns = 0;
  double mean_ns = 0;
  double median_ns = 0;
  double share = 0;     ///< of all durations, 0 to 1; 0 where they sum up to nothing
  bool chosen = false;  ///< by -k
};

struct Selection {
  std::vector<std::size_t> listed;  ///< places in Workload::dispatches: GPUs and dispatches heeded
  std::vector<std::size_t> measured;  ///< those that metrics are made of: kernels heeded as well
  std::vector<KernelTime> kernels;    ///< of `listed`, the longest sum first
};

Selection select(const Workload& workload, const Choice& choice);

}  // namespace heddle::profile
