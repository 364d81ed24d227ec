// The first cache of a compute unit: reads only fill it, writes go through.
//
// Rules
//   1. A read of a line that is there, or whose fill is on its way, is a hit.
//   2. A miss brings the whole line, or with `sectored` the 32 B sectors asked for.
//   3. A write neither brings a line in nor takes one out.
//   4. Sets are address bits above the line (where their number is not a power of two, a remainder);
//      with `hashed`, moved on by a hash of the bits above those.
//
// Does not model: invalidation by acquires inside a kernel.
#pragma once

#include <algorithm>
#include <cstdint>

#include "config/gpu.h"
#include "sim/cache/any_cache.h"
#include "sim/units/divider.h"

namespace heddle::sim {

class L1 {
 public:
  /// `divided`: of a sampled run, where a cache about so many times smaller stands for the whole.
  L1(const config::CacheShape& shape, bool sectored, std::int64_t divided, bool hashed = false)
      : hashed_(hashed),
        by_sets_(static_cast<std::uint32_t>(shape.sets())),
        whole_(sectored                 ? 0
               : shape.line_bytes == 64 ? 0x3U
                                        : 0xfU),
        cache_(shape.sets(), ways_of_sample(shape.ways, divided), shape.replacement,
               std::uint64_t{1} << 32, 0) {}

  /// The sectors that have to come from the L2; 0: a hit.
  SectorMask read(std::uint32_t line, SectorMask sectors) {
    const SectorMask wanted = sectors | whole_;
    const std::uint32_t tag = by_sets_.quotient(line);
    std::uint32_t set = by_sets_.remainder(line, tag);
    if (hashed_) {
      const std::uint32_t mixed = tag * 0x9e3779b1U >> 8;
      set += by_sets_.remainder(mixed, by_sets_.quotient(mixed));
      if (set >= by_sets_.divisor()) set -= by_sets_.divisor();
    }
    const CacheOutcome outcome = cache_.access(set, tag, state_of_read(wanted));
    return wanted & ~valid_sectors(outcome.before);
  }

 private:
  /// A tile's lines do not fall evenly into the sample: some ways more than the share.
  static int ways_of_sample(int ways, std::int64_t divided) {
    if (divided == 1) return ways;
    return static_cast<int>(std::min<std::int64_t>(ways, ways / divided + kSpareWays));
  }

  static constexpr std::int64_t kSpareWays = 3;

  bool hashed_;
  Divider by_sets_;
  SectorMask whole_;
  AnyCache cache_;
};

}  // namespace heddle::sim
