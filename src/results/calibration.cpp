#include "results/calibration.h"

#include <algorithm>

namespace heddle {

std::optional<double> CalibrationReport::left_out_mean(LeftOutErrors LeftOutKernel::*errors) const {
  double total = 0;
  int count = 0;
  for (const LeftOutKernel& kernel : left_out) {
    if ((kernel.*errors).count == 0) continue;
    total += (kernel.*errors).others;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return total / count;
}

bool CalibrationReport::changed() const {
  return std::ranges::any_of(parameters,
                             [](const FittedParameter& parameter) { return parameter.changed(); });
}

}  // namespace heddle
