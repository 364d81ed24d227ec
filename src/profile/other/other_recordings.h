// Recordings that are a file of another profiler, as a workload.
//
//   read_other_recording("gemm.csv")        ncu --csv, page raw or details
//   read_other_recording("gemm.ncu-rep")    through ncu itself, where it is installed
//   read_other_recording("own.hatchet")     Triton's Proton: kernels and times
//   read_other_recording("7_kernel_stats.csv")   rocprofv3 --stats: kernels and times
//
// Rules
//   1. What a file is, its contents tell; a name only where the contents are not text.
//   2. Nothing for a folder, for a database, and for the tables that workload folders hold.
//   3. An Error for a file that is none of these: what is not understood is not shown.
#pragma once

#include <optional>
#include <string>

#include "profile/workload/workload.h"

namespace heddle::profile {

std::optional<Workload> read_other_recording(const std::string& path);

}  // namespace heddle::profile
