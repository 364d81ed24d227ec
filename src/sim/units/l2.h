// The L2 of a die: what requests hit, what they fetch, what they throw out.
//
//   cold store of a whole line        two requests of 64 B: a miss, then a hit; no fetch
//   cold load of a line               one request, a miss, one fetch of 128 B
//   load of a line half written       one request, a miss, one fetch of the other 64 B
//
// Rules
//   1. A read hits if every sector it asks for is valid; a request to a line whose fill is on its
//      way is a hit. Otherwise it is a miss and fetches what is not valid, at least fill_bytes.
//   2. A write hits if the line is there, whatever its sectors. It never fetches: sectors are
//      written whole. Where sectors are counted (NVIDIA), every written sector is a hit.
//   3. An atomic is a read that makes its sectors dirty.
//   4. Dirty sectors leave in pieces of 64 B where both sectors of a half are dirty, else of 32 B;
//      when their line is thrown out, or at the end of the kernel.
//   5. What leaves to the fabric is written down as events, in order.
//   6. With partitions, the channels are split between them: the home of a line is where its channel
//      is. A read from the other side looks for a copy on its own side first. What copies there are
//      is the rule of replication (config::Replication). A request counts once, wherever it hits.
//
// Does not model: writes that make copies stale (the copy goes on to count as valid).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "config/gpu.h"
#include "results/simulation.h"
#include "sim/cache/any_cache.h"
#include "sim/causes.h"
#include "sim/units/line_map.h"

namespace heddle::sim {

/// Something that the parts behind the L2s get to see.
struct FabricEvent {
  enum Kind : std::uint8_t {
    fetch,      ///< sectors are read
    write,      ///< sectors are written
    touch,      ///< a miss without a fetch: nothing moves
  };
  std::uint32_t line = 0;  ///< physical
  std::uint8_t sectors = 0;
  Kind kind = Kind::fetch;
  std::uint8_t misses = 0;  ///< that were counted for it
  bool in_shadow = false;   ///< a fully associative cache would have had the line
};

class L2 {
 public:
  L2(const config::Gpu& gpu, const LineMap& map, std::uint64_t seed);

  struct Reply {
    bool hit = true;
    bool far = false;         ///< the line's home is the other partition, and it went there
    int fetched_sectors = 0;  ///< that come from behind the L2
    int written_sectors = 0;  ///< that go there
  };
  /// `side`: the partition that the compute unit is beside; of no meaning without partitions.
  Reply read(LinePlace place, SectorMask sectors, int side);
  Reply write(LinePlace place, SectorMask sectors);
  Reply atomic(LinePlace place, SectorMask sectors);

  /// The end of the kernel: dirty lines go to memory and stay, clean.
  void flush(const std::vector<std::uint8_t>* sampled_sets);

  /// From now on events say whether a fully associative cache would have had the line.
  void watch_conflicts(std::int64_t memory_lines);

  bool holds(LinePlace place) const { return cache_.peek(place.set, place.tag) != 0; }
  const std::vector<L2Counts>& channels() const { return channels_; }
  std::vector<FabricEvent>& events() { return events_; }
  bool runs_in_vectors() const { return cache_.runs_in_vectors(); }

 private:
  Reply request(LinePlace place, SectorMask wanted, LineState bits, L2Counts& channel);
  void keep_copy(LinePlace place, LineState bits, L2Counts& channel, Reply& reply);
  int throw_out(LinePlace place, LineState state, L2Counts& channel);
  void count_fetch(SectorMask sectors, L2Counts& channel) const;
  int home_of(std::uint32_t set) const { return set < map_.sets() / 2 ? 0 : 1; }
  /// Where the other partition keeps its copy of a line.
  LinePlace copy_of(LinePlace place) const {
    const std::uint32_t half = map_.sets() / 2;
    return {place.set < half ? place.set + half : place.set - half, place.tag | kCopy};
  }
  SectorMask widened(SectorMask sectors) const {
    if (fill_bytes_ == 128) return 0xf;
    if (fill_bytes_ == 64) return (sectors & 3 ? 3U : 0U) | (sectors & 0xc ? 0xcU : 0U);
    return sectors;
  }

  const LineMap& map_;
  AnyCache cache_;
  std::int64_t lines_;
  int fill_bytes_;
  bool counts_sectors_;
  std::optional<config::Replication> replication_;  ///< where there are partitions
  std::optional<Shadow> shadow_;
  std::vector<L2Counts> channels_;
  std::vector<FabricEvent> events_;
};

}  // namespace heddle::sim
