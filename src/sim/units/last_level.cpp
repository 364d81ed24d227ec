#include "sim/units/last_level.h"

#include <algorithm>
#include <bit>

namespace heddle::sim {
namespace {

constexpr std::int64_t kPairBytes = 128;

}  // namespace

LastLevel::LastLevel(const config::GpuLastLevel& level, std::uint64_t lines_of_memory,
                     std::int64_t divided)
    : sets_(static_cast<std::uint32_t>(std::max<std::int64_t>(
          1, level.shape.bytes / (kPairBytes * level.shape.ways) / divided))),
      sets_log_(std::countr_zero(sets_)),
      hashed_(divided > 1),
      allocates_writes_(level.allocates_writes),
      cache_(sets_, level.shape.ways, level.shape.replacement,
             hashed_ ? std::uint64_t{kCopy} : lines_of_memory / sets_ + 1, 1) {
  for (SectorMask mask = 1; mask < 16; ++mask) {
    const SectorMask low = mask & 0x3 ? 0x3 : 0;
    const SectorMask high = mask & 0xc ? 0xc : 0;
    halves_[mask] = static_cast<std::uint8_t>(low | high);
    const bool in_pairs = level.shape.line_bytes >= kPairBytes;
    lines_[mask] = static_cast<std::uint8_t>(in_pairs ? 1 : (low != 0) + (high != 0));
  }
}

}  // namespace heddle::sim
