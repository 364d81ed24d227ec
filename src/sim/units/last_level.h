// The cache in front of the memory, shared by all dies.
//
// Rules
//   1. It sees what leaves the L2s. Reads that it has not bring the sectors in from memory.
//   2. Writes go through to memory; with `allocates_writes` they leave a copy, else they only update
//      one that is there.
//   3. Requests are counted in lines of the cache: a read of 128 B is two requests of a cache with
//      lines of 64 B.
//   4. Lines of 64 B are kept in pairs under one tag: neighbours come and go together.
//
// Does not model: slices (only their sum), prefetching, and what other devices put there.
#pragma once

#include <cstdint>

#include "config/gpu.h"
#include "results/simulation.h"
#include "sim/cache/any_cache.h"
#include "sim/units/l2.h"

namespace heddle::sim {

class LastLevel {
 public:
  /// `divided`: of a sampled run, where this share of the lines is seen.
  LastLevel(const config::GpuLastLevel& level, std::uint64_t lines_of_memory,
            std::int64_t divided);

  /// The sectors of the event that memory has to read.
  SectorMask read(std::uint32_t line, SectorMask sectors);
  void write(std::uint32_t line, SectorMask sectors);

  const CacheCounts& counts() const { return counts_; }

 private:
  std::int64_t in_lines(SectorMask sectors) const;

  std::uint32_t sets_;
  int sectors_of_line_;
  bool allocates_writes_;
  AnyCache cache_;
  CacheCounts counts_;
};

}  // namespace heddle::sim
