#include "results/decision.h"

#include <cmath>

namespace heddle {

Interval gained(double speedup, const Interval& exponents) {
  return {std::pow(speedup, exponents.low), std::pow(speedup, exponents.high)};
}

bool is_surely_faster(const Rival& rival, Risk risk) {
  if (rival.speedup < 1 + kWorthMeasuring) return false;
  if (risk == Risk::high) return rival.speedup >= 1 + kClearGain;
  const bool is_above = rival.interval && rival.interval->low > 1;
  return is_above && (risk == Risk::normal || rival.traffic == Traffic::less);
}

bool is_worth_measuring(const Rival& rival) {
  return rival.speedup >= 1 + kWorthMeasuring;
}

}  // namespace heddle
