// The recipe: what every verb does, one named step after the other.
//
//   load_kernel("examples/gemm.toml", {"M=4096"})   job -> config, heuristics -> launch -> program
//   simulate_job({"examples/gemm.toml", ...})       job, GPU, order -> map -> counters and time
#pragma once

#include <string>
#include <vector>

#include "config/launch.h"
#include "kernel/program.h"
#include "order/bindings.h"
#include "order/order.h"
#include "results/simulation.h"
#include "sim/simulate.h"

namespace heddle {

/// A kernel ready to be traced. `program` is whole: remove_unneeded is the tracer's choice.
struct LoadedKernel {
  config::Launch launch;
  kernel::KernelProgram program;
};

/// Reads a job and the kernel it names. Each override is "NAME=EXPRESSION".
LoadedKernel load_kernel(const std::string& job_path, const std::vector<std::string>& overrides);

/// A kernel, an order of its tiles and the GPU to run them on.
struct SimulationRequest {
  std::string job_path;
  std::vector<std::string> overrides;
  std::string gpu;  ///< a known name or a file (config/gpu.h)
  order::Order order;
  order::Bindings bindings;
  std::string tiles;  ///< as --tiles gives it; empty: the kernel's grid
  sim::SimOptions options;
};

/// An order that is no permutation is simulated as it is; blocks without a tile do nothing, and
/// the result's notes say how many those are.
SimResult simulate_job(const SimulationRequest& request);

}  // namespace heddle
