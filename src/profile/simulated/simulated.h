// A simulated run as a workload folder, in the form that rocprofiler-compute records.
//
//   SimResult of yax_slow on mi210 ──▶ MI200/pmc_perf.csv   SQ_WAVES 2048, TCC_HIT_sum 350659, ...
//                                      MI200/sysinfo.csv    gpu_arch gfx90a, cu_per_gpu 104, ...
//                                      MI200/roofline.csv   HBMBw 1638.4, ...
//
// Rules
//   1. A counter is there if the model counts it, with the hardware's name and meaning. What the
//      model does not count is absent, never zero.
//   2. There is one dispatch, with the Dispatch_ID 1.
//   3. Tensors are device memory: requests are of the kind RW, atomics are done in the L2, and all
//      traffic is with the chip's own memory.
//   4. sysinfo.csv has the field simulated_by; readers say "the model does not count" by it.
//   5. The format is that of rocprofiler-compute 3.0 (csv: a row per dispatch), or of 3.3 and later
//      (rocpd: a row per counter, profiling_config.yaml, memory channels instead of hbm_bw).
//   6. Only AMD's GPUs have such folders: an Error for others.
#pragma once

#include <string>
#include <vector>

#include "config/gpu.h"
#include "results/simulation.h"

namespace heddle::profile {

struct WorkloadFile {
  std::string name;  ///< "pmc_perf.csv"
  std::string text;
};

struct SimulatedWorkload {
  std::string folder;  ///< "MI200": as the profiler calls the chip
  std::vector<WorkloadFile> files;
};

/// Of pmc_perf.csv, by rule 5.
enum class SimulatedFormat { csv, rocpd };

/// How the profiler calls the chip: "MI200". By rule 6.
std::string simulated_folder(const config::Gpu& gpu);

/// `name` is that of the workload, `command` what was run.
SimulatedWorkload simulated_workload(const SimResult& result, const config::Gpu& gpu,
                                     const std::string& name, const std::string& command,
                                     SimulatedFormat format = SimulatedFormat::csv);

}  // namespace heddle::profile
