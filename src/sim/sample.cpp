#include "sim/sample.h"

#include <bit>

namespace heddle::sim {
namespace {

std::uint32_t mixed(std::uint32_t value) {
  value = (value ^ value >> 15) * 0x2c1b3c6dU;
  value = (value ^ value >> 12) * 0x297a2d39U;
  return value ^ value >> 15;
}

/// The exclusive or of the pieces of `bits` bits that a number is made of.
std::uint32_t folded(std::uint32_t value, int bits) {
  std::uint32_t result = 0;
  for (; value != 0; value >>= bits) result ^= value & ((1U << bits) - 1);
  return result;
}

}  // namespace

Sample::Sample(const LineMap& map, std::int64_t factor) : factor_(factor), sets_(map.sets()) {
  const int bits = std::countr_zero(static_cast<std::uint64_t>(factor));
  // Both halves alike: a set of one partition holds copies for the same set of the other.
  const std::uint32_t half = map.sets() / 2;
  for (std::uint32_t set = 0; set < map.sets(); ++set)
    if (folded(set < half ? set : set - half, bits) == 0)
      sets_[set] = static_cast<std::uint8_t>(1 + mixed(set) % kGroups);
}

}  // namespace heddle::sim
