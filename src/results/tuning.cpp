#include "results/tuning.h"

#include <cmath>

namespace heddle {

double Tuning::speedup() const {
  const TunedVariant& as_it_is = variants.front();
  if (measured && as_it_is.measured_written_us && best().measured_us)
    return *as_it_is.measured_written_us / *best().measured_us;
  return best().speedup.value_or(1);
}

double mean_speedup(const std::vector<OrderedShape>& shapes) {
  double sum = 0;
  for (const OrderedShape& shape : shapes) sum += std::log(shape.speedup());
  return shapes.empty() ? 1 : std::exp(sum / static_cast<double>(shapes.size()));
}

}  // namespace heddle
