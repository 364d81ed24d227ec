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
//      written whole.
//   3. An atomic is a read that makes its sectors dirty.
//   4. Dirty sectors leave in pieces of 64 B where both sectors of a half are dirty, else of 32 B;
//      when their line is thrown out, or at the end of the kernel.
//   5. What leaves to the fabric is written down as events, in order.
//   6. Where sectors are counted (NVIDIA): hits are sectors asked for and found, misses are sectors
//      fetched, more than were asked for where fill_bytes is larger; written sectors are hits.
//   7. With partitions, the channels are split between them: the home of a line is where its
//      channel is. A request from the other side is looked up and counted on its own side first,
//      where a read may find a copy, and if it does not, again at home. What copies there are is
//      the rule of replication (config::Replication).
//   Rules 6 and 7 are what Nsight Compute's lts__t_sectors_*_lookup_* show on an H200: a copy has
//   as many hits (all writes) as misses, and both are 1.5 times the sectors that the L1s asked for.
//
// Does not model: writes that make copies stale (the copy goes on to count as valid).
#pragma once

#include <array>
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
    fetch,  ///< sectors are read
    write,  ///< sectors are written
    touch,  ///< a miss without a fetch: nothing moves
  };
  std::uint32_t line = 0;  ///< physical
  std::uint8_t sectors = 0;
  Kind kind = Kind::fetch;
  std::uint8_t misses = 0;     ///< that were counted for it
  bool in_shadow : 1 = false;  ///< a fully associative cache would have hit
  bool held : 1 = false;       ///< the other partition has it
};

class L2 {
 public:
  L2(const config::Gpu& gpu, const LineMap& map, std::uint64_t seed);

  struct Reply {
    bool hit = true;
    bool far = false;  ///< the line's home is the other partition, and it went there
    int hits = 0;      ///< counted for it, on both sides
    int misses = 0;
    int fetched_sectors = 0;  ///< that come from behind the L2
    int crossed_sectors = 0;  ///< between partitions
    int written_sectors = 0;  ///< that go there
  };
  /// `side`: the partition that the compute unit is beside; of no meaning without partitions.
  Reply read(LinePlace place, SectorMask sectors, int side);
  /// Of a line's sectors at a time: as many requests as pieces of write_bytes that they lie in.
  Reply write(LinePlace place, SectorMask sectors, int side);
  Reply atomic(LinePlace place, SectorMask sectors, int side);

  /// The end of the kernel: what is dirty goes to memory. Nothing may be asked for after it.
  void flush(const std::vector<std::uint8_t>* sampled_sets);

  /// From now on events say whether a fully associative cache would have hit.
  void watch_conflicts();

  /// The requests that a store to these sectors of a line is.
  int pieces(SectorMask sectors) const { return pieces_[sectors]; }

  /// The request comes soon.
  void prefetch(LinePlace place) const { cache_.prefetch(place.set, place.tag); }

  bool holds(LinePlace place) const { return cache_.peek(place.set, place.tag) != 0; }
  /// The counts of each channel.
  std::vector<L2Counts> channels() const;
  std::vector<FabricEvent>& events() { return events_; }

 private:
  /// What is counted of a channel: little enough that counting costs next to nothing.
  enum Use { kReads, kWrites, kAtomics };
  struct Tally {
    std::int64_t count[3][2] = {};  ///< by use: hits, misses
    std::int64_t fetched[16] = {};  ///< fetches of each mask of sectors
    std::int64_t written[16] = {};  ///< write-backs of each mask of sectors
    std::int64_t evicted = 0;       ///< lines that made room for others
  };

  Reply request(LinePlace place, SectorMask wanted, LineState bits, Tally& tally, Use use);
  Reply read_from_far(LinePlace place, SectorMask sectors, LineState bits, Tally& tally);
  FabricEvent& last_fetch();
  void keep_copy(LinePlace copy, LineState bits, Tally& tally, Reply& reply);
  int throw_out(LinePlace place, LineState state, Tally& tally);
  int home_of(std::uint32_t set) const { return set < map_.sets() / 2 ? 0 : 1; }
  /// Of copies that do not give way to any other line (opportunistic ones do).
  static constexpr std::uint32_t kEqualCopy = kCopy >> 1;
  /// Where the other partition keeps its copy of a line.
  LinePlace copy_of(LinePlace place) const {
    const std::uint32_t half = map_.sets() / 2;
    const std::uint32_t mark =
        *replication_ == config::Replication::opportunistic ? kCopy : kEqualCopy;
    return {place.set < half ? place.set + half : place.set - half, place.tag | mark};
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
  std::array<std::int8_t, 16> pieces_{};  ///< requests of a write, by its mask of sectors
  bool counts_sectors_;
  bool reads_lines_;  ///< the fabric has reads of 128 B (from gfx942 on)
  std::optional<config::Replication> replication_;  ///< where there are partitions
  std::optional<Shadow> shadow_;
  std::vector<Tally> tallies_;  ///< per channel
  std::vector<FabricEvent> events_;
};

/// A read or an atomic: everything asked for must be valid.
[[gnu::always_inline]] inline L2::Reply L2::request(LinePlace place, SectorMask wanted,
                                                    LineState bits, Tally& tally, Use use) {
  const bool in_shadow =
      shadow_ && (wanted & ~shadow_->access(place.physical, valid_sectors(bits))) == 0;
  const CacheOutcome outcome = cache_.access(place.set, place.tag, bits);
  const SectorMask fetched = valid_sectors(bits) & ~valid_sectors(outcome.before);
  const SectorMask missing = wanted & fetched;
  Reply reply;
  reply.hit = missing == 0;
  reply.fetched_sectors = reply.hit ? 0 : count_sectors(fetched);
  reply.misses = counts_sectors_ ? reply.fetched_sectors : (reply.hit ? 0 : 1);
  reply.hits = counts_sectors_ ? count_sectors(wanted & ~missing) : 1 - reply.misses;
  tally.count[use][0] += reply.hits;
  tally.count[use][1] += reply.misses;
  if (reply.hit) return reply;
  ++tally.fetched[fetched];
  tally.evicted += outcome.victim != 0 ? 1 : 0;
  events_.push_back({place.physical, static_cast<std::uint8_t>(fetched), FabricEvent::fetch,
                     static_cast<std::uint8_t>(reply.misses), in_shadow});
  if (dirty_sectors(outcome.victim) != 0)
    reply.written_sectors = throw_out({place.set, outcome.victim_tag}, outcome.victim, tally);
  return reply;
}

[[gnu::always_inline]] inline L2::Reply L2::read(LinePlace place, SectorMask sectors, int side) {
  Tally& tally = tallies_[map_.channel_of(place.set)];
  const LineState bits = state_of_read(widened(sectors));
  if (!replication_ || home_of(place.set) == side)
    return request(place, sectors, bits, tally, kReads);
  return read_from_far(place, sectors, bits, tally);
}

inline L2::Reply L2::atomic(LinePlace place, SectorMask sectors, int side) {
  Tally& tally = tallies_[map_.channel_of(place.set)];
  Reply reply =
      request(place, sectors, widened(sectors) | state_of_write(sectors), tally, kAtomics);
  if (replication_ && home_of(place.set) != side) {
    reply.far = true;
    reply.crossed_sectors = count_sectors(sectors);
  }
  return reply;
}

[[gnu::always_inline]] inline L2::Reply L2::write(LinePlace place, SectorMask sectors, int side) {
  Tally& tally = tallies_[map_.channel_of(place.set)];
  const bool in_shadow = shadow_ && shadow_->access(place.physical, sectors) != 0;
  const CacheOutcome outcome = cache_.access(place.set, place.tag, state_of_write(sectors));
  const int units = pieces_[sectors];
  Reply reply;
  reply.hit = outcome.missed == 0;
  reply.misses = reply.hit || counts_sectors_ ? 0 : 1;
  reply.hits = units - reply.misses;
  tally.count[kWrites][0] += reply.hits;
  tally.count[kWrites][1] += reply.misses;
  if (replication_ && home_of(place.set) != side) {
    reply.far = true;
    reply.hits += units;
    reply.crossed_sectors = count_sectors(sectors);
    tallies_[map_.channel_of(copy_of(place).set)].count[kWrites][0] += units;
  }
  const bool is_new = counts_sectors_ && (sectors & ~valid_sectors(outcome.before)) != 0;
  if (reply.hit && !is_new) return reply;
  tally.evicted += outcome.victim != 0 ? 1 : 0;
  events_.push_back({place.physical, static_cast<std::uint8_t>(sectors), FabricEvent::touch,
                     static_cast<std::uint8_t>(reply.misses), in_shadow});
  if (dirty_sectors(outcome.victim) != 0)
    reply.written_sectors = throw_out({place.set, outcome.victim_tag}, outcome.victim, tally);
  return reply;
}

/// Writes the dirty sectors of a line back: how many.
inline int L2::throw_out(LinePlace place, LineState state, Tally& tally) {
  const SectorMask dirty = dirty_sectors(state);
  ++tally.written[dirty];
  events_.push_back(
      {map_.physical_at(place), static_cast<std::uint8_t>(dirty), FabricEvent::write, 0, false});
  return count_sectors(dirty);
}

}  // namespace heddle::sim
