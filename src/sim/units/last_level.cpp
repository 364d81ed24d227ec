#include "sim/units/last_level.h"

#include <algorithm>

namespace heddle::sim {
namespace {

constexpr std::int64_t kPairBytes = 128;

}  // namespace

LastLevel::LastLevel(const config::GpuLastLevel& level, std::uint64_t lines_of_memory,
                     std::int64_t divided)
    : sets_(static_cast<std::uint32_t>(level.shape.bytes / (kPairBytes * level.shape.ways))),
      sectors_of_line_(level.shape.line_bytes / kSectorBytes),
      allocates_writes_(level.allocates_writes),
      cache_(sets_, static_cast<int>(std::max<std::int64_t>(1, level.shape.ways / divided)),
             level.shape.replacement, lines_of_memory / sets_ + 1, 1) {}

/// How many lines of the cache these sectors lie on.
std::int64_t LastLevel::in_lines(SectorMask sectors) const {
  if (sectors_of_line_ >= 4) return sectors != 0 ? 1 : 0;
  return (sectors & 3 ? 1 : 0) + (sectors & 0xc ? 1 : 0);
}

SectorMask LastLevel::read(std::uint32_t line, SectorMask sectors) {
  const SectorMask brought = (sectors & 3 ? 3U : 0U) | (sectors & 0xc ? 0xcU : 0U);
  const CacheOutcome outcome = cache_.access(line % sets_, line / sets_, state_of_read(brought));
  const SectorMask missing = brought & ~valid_sectors(outcome.before);
  const std::int64_t requests = in_lines(sectors);
  const std::int64_t misses = in_lines(missing);
  counts_.requests += requests;
  counts_.misses += misses;
  counts_.hits += requests - misses;
  return missing;
}

void LastLevel::write(std::uint32_t line, SectorMask sectors) {
  if (!allocates_writes_ && cache_.peek(line % sets_, line / sets_) == 0) return;
  cache_.access(line % sets_, line / sets_, state_of_read(sectors));
}

}  // namespace heddle::sim
