// How badly a GPU with some setting of its parameters explains the measurements.
//
//   loss = mean over kernels of (hit-rate error / 8 points)^2
//        + mean over kernels of (log of speedup error / 0.1)^2
//        + 0.02 for each parameter that leaves the file's value
//
// Rules
//   1. A kernel is a job, whatever its sizes. Its own mean over its points is taken first, so that
//      all kernels weigh the same however many points they have. Hit rates of the last level count
//      like those of the L2; speedups of permutations alone.
//   2. A setting is one place in `Parameter::values` for each parameter. Each (setting, kernel) is
//      simulated once and remembered; settings with which no GPU can be built have no loss.
//   3. `before` is called before each replay, and may throw Interrupted to end the work.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/parameters.h"
#include "calibrate/workload.h"

namespace heddle::calibrate {

inline constexpr double kHitScale = 8;      ///< points
inline constexpr double kSpeedScale = 0.1;  ///< of the natural logarithm
inline constexpr double kChangeCost = 0.02;

/// The user wants the best so far.
struct Interrupted {};

using Setting = std::vector<std::size_t>;

/// What a kernel adds to the loss.
struct KernelError {
  std::optional<double> hit;    ///< mean square of the scaled errors
  std::optional<double> speed;  ///< likewise

  double loss() const { return hit.value_or(0) + speed.value_or(0); }
};

class Objective {
 public:
  /// The arguments must outlive this. Workloads are all of `gpu`.
  Objective(const std::vector<Workload>& workloads, const config::Gpu& gpu,
            const std::vector<Parameter>& parameters, const sim::SimOptions& options,
            BeforeReplay before);

  /// The jobs, in the order of the workloads.
  const std::vector<std::string>& kernels() const { return kernels_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }

  /// The GPU with a setting; nothing if it cannot be built.
  std::optional<config::Gpu> gpu_of(const Setting& setting) const;
  /// Nothing if the GPU cannot be built.
  std::optional<KernelError> error_of(const Setting& setting, std::size_t kernel);
  /// Over some of the kernels.
  std::optional<double> loss_of(const Setting& setting, const std::vector<std::size_t>& kernels);

 private:
  const std::vector<Workload>& workloads_;
  const config::Gpu& gpu_;
  const std::vector<Parameter>& parameters_;
  sim::SimOptions options_;
  BeforeReplay before_;
  std::vector<std::string> kernels_;
  std::map<std::pair<Setting, std::size_t>, std::optional<KernelError>> known_;
};

}  // namespace heddle::calibrate
