// What fitting the unknown numbers of a GPU to measurements has found.
//
// Sample:
//   l2.set_bits   [[7], [12], ...]  ->  [[7, 18], [12, 19], ...]     helps stencil_2d, ising
//   mean error of L2 hit rates      6.9 points -> 3.1; left-out kernels 5.2
//
// Rules
//   1. Losses are those of calibrate/objective.h; a gain is the loss that would come back if this
//      one change were undone.
//   2. Scores and errors of left-out kernels are of full predictions; losses and gains of the
//      search's samples. A gain is of one kernel's own loss, not of the mean over kernels.
//   3. Interrupted before the one-rule check, changes are not `checked`: some may help one kernel
//      alone.
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
  /// Values that helped one kernel alone, and were given up for it.
  std::vector<std::string> refused;

  bool changed() const { return before != after; }
};

/// Mean errors of a kernel's points.
struct LeftOutErrors {
  int count = 0;      ///< of points
  double file = 0;    ///< with the file's numbers
  double fitted = 0;  ///< with numbers fitted to all kernels
  double others = 0;  ///< with numbers fitted to the others
};

/// A kernel predicted with numbers that were fitted to the others.
struct LeftOutKernel {
  std::string kernel;
  LeftOutErrors l2;       ///< in points of a hit rate
  LeftOutErrors speedup;  ///< in per cent, of permutations
};

struct CalibrationReport {
  std::string gpu;  ///< "mi300x"
  std::string gpu_title;
  std::string mode;
  std::vector<std::string> tables;
  int points = 0;
  std::vector<std::string> kernels;
  std::vector<FittedParameter> parameters;
  int evaluations = 0;                ///< settings that the search looked at
  std::optional<double> loss_before;  ///< nothing where it was not reached
  std::optional<double> loss_after;
  GpuScore before;
  std::optional<GpuScore> after;        ///< nothing where it was not reached
  std::vector<LeftOutKernel> left_out;  ///< empty for a single kernel, and where it was left undone
  bool interrupted = false;
  bool checked = true;  ///< no change helps one kernel alone

  /// The mean over kernels of the error by the others' numbers, each as much as any other; nothing
  /// without such points.
  std::optional<double> left_out_mean(LeftOutErrors LeftOutKernel::*errors) const;
  bool changed() const;
};

}  // namespace heddle
