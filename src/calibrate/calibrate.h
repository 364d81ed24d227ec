// Fits the unknown numbers of a GPU to measurements, and says how far the result can be trusted.
//
//   CalibrationReport report = calibrate_gpu(workloads, gpu, parameters, {});
//   config::TomlNode file = calibrated_document(config::gpu_document("mi300x"), report);
//
// Rules
//   1. The search (fit.h) works on samples of the launches; before and after are predicted in full.
//   2. One rule for all kernels: a change whose gain comes from a single kernel, the others
//   together
//      gaining less than kSharedGain, is refused and the search repeated without it. With one
//      kernel in the tables nothing can be refused.
//   3. Each kernel is also predicted with numbers fitted to the others alone, from the file's
//   values
//      on: what to expect of kernels that were never measured.
//   4. Interrupted keeps the best so far; what was not reached is missing from the report.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/fit.h"
#include "config/gpu_write.h"
#include "results/calibration.h"

namespace heddle::calibrate {

inline constexpr double kSharedGain = 0.01;

struct CalibrationOptions {
  FitOptions fit;
  sim::SimOptions search;  ///< of the search
  sim::SimOptions full;    ///< of the predictions before and after
  bool leave_out = true;
  /// What is being done, in words.
  std::function<void(const std::string&)> progress;
  /// True once the user wants to stop.
  std::function<bool()> stop;
};

CalibrationReport calibrate_gpu(const std::vector<Workload>& workloads, const config::Gpu& gpu,
                                const std::vector<Parameter>& parameters,
                                const CalibrationOptions& options);

/// The GPU's file with the numbers of the report: source "calibrated", with the error before and
/// after.
config::TomlNode calibrated_document(config::TomlNode file, const CalibrationReport& report);

}  // namespace heddle::calibrate
