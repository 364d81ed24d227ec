#include "results/calibration.h"

#include <algorithm>

namespace heddle {

std::optional<double> CalibrationReport::left_out_mean() const {
  if (left_out.empty()) return std::nullopt;
  double total = 0;
  for (const LeftOutKernel& kernel : left_out) total += kernel.left_out_error;
  return total / static_cast<double>(left_out.size());
}

bool CalibrationReport::changed() const {
  return std::any_of(parameters.begin(), parameters.end(),
                     [](const FittedParameter& parameter) { return parameter.changed(); });
}

}  // namespace heddle
