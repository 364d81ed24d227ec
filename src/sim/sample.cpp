#include "sim/sample.h"

#include <algorithm>
#include <numeric>

namespace heddle::sim {
namespace {

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ value >> 31) * 0x7fb5d329728ea185;
  value = (value ^ value >> 27) * 0x81dadef4bc2dd44d;
  return value ^ value >> 33;
}

}  // namespace

Sample::Sample(const LineMap& map, std::int64_t factor) : factor_(factor), sets_(map.sets()) {
  const std::uint32_t sets = map.sets();
  const std::uint32_t channels = map.channel_of(sets - 1) + 1;
  const std::uint32_t per_channel = sets / channels;
  const std::uint32_t kept = std::max<std::uint32_t>(1, per_channel / static_cast<std::uint32_t>(factor));
  std::vector<std::uint32_t> order(per_channel);
  std::uint32_t ordinal = 0;
  for (std::uint32_t channel = 0; channel < channels; ++channel) {
    std::iota(order.begin(), order.end(), channel * per_channel);
    std::sort(order.begin(), order.end(), [](std::uint32_t a, std::uint32_t b) {
      return mixed(a + 1) != mixed(b + 1) ? mixed(a + 1) < mixed(b + 1) : a < b;
    });
    for (std::uint32_t k = 0; k < kept; ++k)
      sets_[order[k]] = static_cast<std::uint8_t>(1 + ordinal++ % kGroups);
  }
}

}  // namespace heddle::sim
