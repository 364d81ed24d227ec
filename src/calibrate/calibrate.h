// Fits the unknown numbers of a GPU to measurements, and says how far the result can be trusted.
//
//   CalibrationReport report = calibrate_gpu(workloads, gpu, parameters, {});
//   config::TomlNode file = calibrated_document(config::gpu_document("mi300x"), report);
//
// Rules
//   1. The search (fit.h) and its losses work on samples of the launches; what is said about
//      before, after and left-out kernels is predicted in full.
//   2. One rule for all kernels: a change whose gain comes from a single kernel, the others
//   together
//      gaining less than kSharedGain of their losses, is refused: the search is repeated without
//      that value, and after kMostRefused refused values without the parameter. With one kernel in
//      the tables nothing can be refused.
//   3. Each kernel is also predicted with numbers fitted to the others alone, from the file's
//   values
//      on and with nothing refused yet: what to expect of kernels that were never measured.
//   4. Interrupted keeps the best so far; what was not reached is missing from the report. Changes
//      that rule 2 was not applied to are marked as not checked, and make no GPU calibrated.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/fit.h"
#include "config/gpu_write.h"
#include "results/calibration.h"

namespace heddle::calibrate {

inline constexpr double kSharedGain = 0.01;
inline constexpr int kMostRefused = 3;

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

/// The GPU's file with the numbers of the report, with the error before and after. Their source is
/// "calibrated"; "calibrated_2" and so on where the file has such numbers from before.
config::TomlNode calibrated_document(config::TomlNode file, const CalibrationReport& report);

}  // namespace heddle::calibrate
