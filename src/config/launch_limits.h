// What a GPU refuses to start, whatever the kernel does.
//
//   grid [64, 131072] on an H200      131,072 blocks along axis 1, and CUDA launches 65,535 at most
//   2048 threads a block              1,024 at most
//
// Rules
//   1. CUDA: 2^31 - 1 blocks along axis 0, 65,535 along axes 1 and 2. HIP has no such limit.
//   2. A block has at most 1,024 threads: Triton's warps times the lanes of a wave.
//   3. Shared memory that the job gives fits a compute unit. What a kernel takes besides is the
//      simulator's matter (sim/occupancy.h).
#pragma once

#include <string>

#include "config/gpu.h"
#include "config/launch.h"

namespace heddle::config {

/// Why a GPU of this vendor cannot start the launch; empty: it can.
std::string launch_refusal(const Launch& launch, const Target& target);

/// Throws Error, placed in the job.
void check_limits(const Launch& launch, const Gpu& gpu, const std::string& job_path);

}  // namespace heddle::config
