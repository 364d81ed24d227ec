#include "sim/sample.h"

#include <algorithm>

namespace heddle::sim {
namespace {

std::uint32_t mixed(std::uint32_t value) {
  value = (value ^ value >> 15) * 0x2c1b3c6dU;
  value = (value ^ value >> 12) * 0x297a2d39U;
  return value ^ value >> 15;
}

}  // namespace

Sample::Sample(const LineMap& map, std::int64_t factor) : factor_(factor), sets_(map.sets()) {
  // Both halves alike: a set of one partition holds copies for the same set of the other.
  const std::uint32_t half = map.sets() / 2;
  std::vector<std::vector<std::uint32_t>> by_channel(map.channel_of(map.sets() - 1) + 1U);
  for (std::uint32_t set = 0; set < map.sets(); ++set)
    by_channel[map.channel_of(set)].push_back(set);
  for (std::vector<std::uint32_t>& sets : by_channel) {
    // By a hash that is not linear: one that is could undo the hash of the addresses.
    std::ranges::sort(sets, [&](std::uint32_t a, std::uint32_t b) {
      return mixed(a < half ? a : a - half) < mixed(b < half ? b : b - half);
    });
    const std::size_t some = sets.size() / static_cast<std::size_t>(factor);
    for (std::size_t k = 0; k < some; ++k)
      sets_[sets[k]] = static_cast<std::uint8_t>(1 + mixed(sets[k] + map.sets()) % kGroups);
  }
}

}  // namespace heddle::sim
