// heddle validate and heddle calibrate: whole tables of measurements in, reports out.
//
//   validate_tables({{"validation/mi300x.csv"}}, load_kernel)    every point beside its prediction
//   calibrate_tables({{"mine.csv"}, "mi300x"}, load_kernel)   a GPU that explains the points of it
//
// Rules
//   1. A substitute that no point asks for is an Error, and so is a limit that no point can exceed:
//      both would pass unnoticed.
//   2. The points of a GPU are those that name it. A GPU file takes the points with its name, or
//   all
//      if the tables name one GPU only. In another mode than the usual one, `points_of` has to say
//      whose points those are, unless the tables name the mode.
//   3. Kernels are loaded by `load`, possibly by several threads at once.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/calibrate.h"
#include "calibrate/workload.h"
#include "kernel/source.h"
#include "results/calibration.h"
#include "results/decision.h"
#include "results/validation.h"
#include "sim/simulate.h"

namespace heddle::calibrate {

/// Loads the kernel of a job with overrides, for a GPU.
using LoadKernel = std::function<kernel::LoadedKernel(
    const std::string& job, const std::vector<std::string>& overrides, const config::Target&)>;

/// A GPU in place of one that tables name: {"mi300x", "my.toml"}; an empty name stands for all.
struct GpuSubstitute {
  std::string name;
  std::string gpu;
};

struct ValidationRequest {
  std::vector<std::string> tables;
  std::vector<GpuSubstitute> gpus;  ///< the first that fits decides
  ValidationLimits limits;
  sim::SimOptions options;
  BeforeReplay before;       ///< may be called by several threads at once
  Risk risk = Risk::normal;  ///< of decisions
};

/// Predicts every point of the tables and compares.
ValidationReport validate_tables(const ValidationRequest& request, const LoadKernel& load);

struct CalibrationRequest {
  std::vector<std::string> tables;
  std::string gpu;                      ///< where to start: a known name or a file
  std::string points_of;                ///< the GPU that tables name; empty: the same
  std::vector<std::string> parameters;  ///< keys of a GPU file; empty: what is estimated
  CalibrationOptions options;
};

/// Fits a GPU to the points of the tables that are of it.
CalibrationReport calibrate_tables(const CalibrationRequest& request, const LoadKernel& load);

}  // namespace heddle::calibrate
