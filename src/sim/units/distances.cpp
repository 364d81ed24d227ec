#include "sim/units/distances.h"

#include <cstdlib>

#include "sim/tile_trace.h"

namespace heddle::sim {

Distances::Distances(const config::Gpu& gpu) {
  const std::int64_t units = gpu.compute.compute_units;
  const std::int64_t channels = gpu.l2.channels;
  ticks_.resize(static_cast<std::size_t>(channels));
  if (gpu.l2.distance_cycles == 0) return;
  stride_ = static_cast<std::size_t>(channels);
  ticks_.resize(static_cast<std::size_t>(units * channels));
  std::int64_t sum = 0;
  for (std::int64_t unit = 0; unit < units; ++unit) {
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      // Places along the die, of 2 * units * channels.
      const std::int64_t apart = std::abs((2 * unit + 1) * channels - (2 * channel + 1) * units);
      const std::int64_t ticks = apart * gpu.l2.distance_cycles * kTicks / (2 * units * channels);
      ticks_[static_cast<std::size_t>(unit * channels + channel)] = ticks;
      sum += ticks;
    }
  }
  for (std::int64_t& ticks : ticks_) ticks -= sum / (units * channels);
}

}  // namespace heddle::sim
