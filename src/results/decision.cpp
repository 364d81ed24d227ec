#include "results/decision.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle {

Interval gained(double speedup, const Interval& exponents) {
  return {std::pow(speedup, exponents.low), std::pow(speedup, exponents.high)};
}

Ceiling ceiling_of(const SimResult& launch) {
  const auto needed = [&](std::int64_t moved) {
    return moved > 0
               ? std::min(1.0, static_cast<double>(launch.bound_bytes) / static_cast<double>(moved))
               : 0;
  };
  Ceiling ceiling;
  for (const Utilization& one : launch.utilization) {
    double share = 0;
    if (one.resource == "compute") share = 1;
    if (one.resource == "fabric") share = needed(launch.l2.read_bytes() + launch.l2.write_bytes());
    if (one.resource == "memory") share = needed(launch.hbm_read_bytes + launch.hbm_write_bytes);
    const double busy = share * one.percent / 100;
    if (busy > ceiling.busy) ceiling = {one.resource, busy, 0};
  }
  ceiling.gain = ceiling.busy > 0 ? std::max(0.0, 1 / ceiling.busy - 1)
                                  : std::numeric_limits<double>::infinity();
  return ceiling;
}

bool is_surely_faster(const Rival& rival, Risk risk) {
  if (rival.speedup < 1 + kWorthMeasuring) return false;
  if (risk == Risk::high) return rival.speedup >= 1 + kClearGain;
  const bool is_above = rival.speedup >= 1 + kSureGain && rival.interval && rival.interval->low > 1;
  return is_above && (risk == Risk::normal || rival.traffic == Traffic::less);
}

bool is_worth_measuring(const Rival& rival) {
  return rival.speedup >= 1 + kWorthMeasuring;
}

}  // namespace heddle
