// The cache in front of the memory, shared by all dies.
//
// Rules
//   1. It sees what leaves the L2s. Reads that it has not bring the sectors in from memory.
//   2. Writes go through to memory; with `allocates_writes` they leave a copy, else they only
//      update one that is there.
//   3. Requests are counted in lines of the cache: a read of 128 B is two requests of a cache with
//      lines of 64 B.
//   4. Lines of 64 B are kept in pairs under one tag: neighbours come and go together.
//
// Does not model: slices (only their sum), prefetching, and what other devices put there.
#pragma once

#include <array>
#include <cstdint>

#include "config/gpu.h"
#include "results/simulation.h"
#include "sim/cache/any_cache.h"
#include "sim/units/l2.h"

namespace heddle::sim {

class LastLevel {
 public:
  /// `divided`: of a sampled run, where a cache with this many times fewer sets stands for the
  /// whole.
  LastLevel(const config::GpuLastLevel& level, std::uint64_t lines_of_memory, std::int64_t divided);

  /// The sectors that memory has to read.
  SectorMask read(std::uint32_t line, SectorMask sectors) {
    const SectorMask brought = halves_[sectors];
    const CacheOutcome outcome = cache_.access(set_of(line), tag_of(line), state_of_read(brought));
    const SectorMask missing = brought & ~valid_sectors(outcome.before);
    requests_ += lines_[brought];
    misses_ += lines_[missing];
    return missing;
  }
  void write(std::uint32_t line, SectorMask sectors) {
    if (!allocates_writes_ && cache_.peek(set_of(line), tag_of(line)) == 0) return;
    cache_.access(set_of(line), tag_of(line), state_of_read(sectors));
  }

  void prefetch(std::uint32_t line) const { cache_.prefetch(set_of(line), tag_of(line)); }
  CacheCounts counts() const { return {requests_, requests_ - misses_, misses_}; }

 private:
  /// The lines of a sample may lie anywhere: a hash spreads them over the sets that are left.
  std::uint32_t set_of(std::uint32_t line) const {
    return (hashed_ ? line * 0x9e3779b1U >> 7 : line) & (sets_ - 1);
  }
  std::uint32_t tag_of(std::uint32_t line) const { return hashed_ ? line : line >> sets_log_; }

  std::uint32_t sets_;  ///< a power of two
  int sets_log_;
  bool hashed_;
  std::array<std::uint8_t, 16> halves_{};  ///< a mask of sectors, rounded up to halves of 128 B
  std::array<std::uint8_t, 16> lines_{};   ///< how many lines of this cache a mask lies on
  bool allocates_writes_;
  AnyCache cache_;
  std::int64_t requests_ = 0;
  std::int64_t misses_ = 0;
};

}  // namespace heddle::sim
