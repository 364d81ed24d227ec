// What fitting the unknown numbers of a GPU to measurements has found.
//
// Sample:
//   l2.set_bits   [[7], [12], ...]  ->  [[7, 18], [12, 19], ...]     helps stencil_2d, ising
//   mean error of L2 hit rates      6.9 points -> 3.1; left-out kernels 5.2
//
// Rules
//   1. Losses are those of calibrate/objective.h; a gain is the loss that would come back if this
//      one change were undone.
//   2. Scores are of full predictions, before and after; losses and gains of the search's samples.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/validation.h"

namespace heddle {

/// A number that was fitted.
struct FittedParameter {
  std::string key;
  std::string why;     ///< it is unknown
  int values = 0;      ///< that were open to it
  std::string before;  ///< as TOML
  std::string after;   ///< the same as before where it stays
  /// Per kernel: what the change is worth to it; empty where nothing changed.
  std::vector<double> gains;
  /// A change that helped one kernel alone, and was undone for it.
  bool refused = false;

  bool changed() const { return before != after; }
};

/// A kernel predicted with numbers that were fitted to the others.
struct LeftOutKernel {
  std::string kernel;
  int points = 0;             ///< with a measured hit rate
  double file_error = 0;      ///< mean, in points, with the file's numbers
  double fitted_error = 0;    ///< with numbers fitted to all kernels
  double left_out_error = 0;  ///< with numbers fitted to the others
};

struct CalibrationReport {
  std::string gpu;  ///< "mi300x"
  std::string gpu_title;
  std::string mode;
  std::vector<std::string> tables;
  int points = 0;
  std::vector<std::string> kernels;
  std::vector<FittedParameter> parameters;
  int evaluations = 0;  ///< settings that the search looked at
  double loss_before = 0;
  double loss_after = 0;
  GpuScore before;
  std::optional<GpuScore> after;        ///< nothing where it was not reached
  std::vector<LeftOutKernel> left_out;  ///< empty for a single kernel, and where it was left undone
  bool interrupted = false;

  /// The mean of left_out_error over kernels, each as much as any other; nothing without them.
  std::optional<double> left_out_mean() const;
  bool changed() const;
};

}  // namespace heddle
