// The recipe: what every verb does, one named step after the other.
//
//   load_kernel("examples/gemm.toml", {"M=4096"})   job -> config, heuristics -> launch -> program
#pragma once

#include <string>
#include <vector>

#include "config/launch.h"
#include "kernel/program.h"

namespace heddle {

/// A kernel ready to be traced. `program` is whole: remove_unneeded is the tracer's choice.
struct LoadedKernel {
  config::Launch launch;
  kernel::KernelProgram program;
};

/// Reads a job and the kernel it names. Each override is "NAME=EXPRESSION".
LoadedKernel load_kernel(const std::string& job_path, const std::vector<std::string>& overrides);

}  // namespace heddle
