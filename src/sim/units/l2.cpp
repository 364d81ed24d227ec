#include "sim/units/l2.h"

namespace heddle::sim {
namespace {

/// Pieces of 128, 64 and 32 B that a mask of sectors moves in.
struct Pieces {
  int of_128 = 0;
  int of_64 = 0;
  int of_32 = 0;
};

Pieces pieces_of(SectorMask sectors, bool in_lines) {
  if (sectors == 0xf && in_lines) return {1, 0, 0};
  Pieces pieces;
  for (const SectorMask half : {sectors & 3, sectors >> 2}) {
    pieces.of_64 += half == 3 ? 1 : 0;
    pieces.of_32 += half == 1 || half == 2 ? 1 : 0;
  }
  return pieces;
}

}  // namespace

L2::L2(const config::Gpu& gpu, const LineMap& map, std::uint64_t seed)
    : map_(map),
      cache_(map.sets(), gpu.l2.shape.ways, gpu.l2.shape.replacement,
             gpu.partitions ? kCopy : map.tag_limit(), seed),
      lines_(gpu.l2.shape.lines()),
      fill_bytes_(gpu.l2.fill_bytes),
      counts_sectors_(gpu.l2.counts_sectors),
      reads_lines_(gpu.target != "gfx90a"),
      replication_(gpu.partitions ? std::optional(gpu.partitions->replication) : std::nullopt),
      tallies_(static_cast<std::size_t>(gpu.l2.channels)) {
  for (SectorMask mask = 0; mask < 16; ++mask) {
    const Pieces pieces = pieces_of(mask, false);
    const int halves = pieces.of_64 + pieces.of_32;
    const bool by_sectors = counts_sectors_ || gpu.l2.write_bytes == 32;
    pieces_[mask] = static_cast<std::int8_t>(by_sectors                 ? count_sectors(mask)
                                             : gpu.l2.write_bytes == 64 ? halves
                                                                        : (mask != 0 ? 1 : 0));
  }
}

void L2::watch_conflicts() {
  shadow_.emplace(lines_);
}

L2::Reply L2::read_from_far(LinePlace place, SectorMask sectors, LineState bits, Tally& tally) {
  const LinePlace copy = copy_of(place);
  Tally& near = tallies_[map_.channel_of(copy.set)];
  const SectorMask found = *replication_ == config::Replication::none
                               ? 0
                               : valid_sectors(cache_.peek(copy.set, copy.tag));
  if ((found & sectors) == sectors) {
    cache_.access(copy.set, copy.tag, 0);
    Reply near_hit;
    near_hit.hits = counts_sectors_ ? count_sectors(sectors) : 1;
    near.count[kReads][0] += near_hit.hits;
    return near_hit;
  }
  // What is fetched from home is what would be fetched from memory.
  const SectorMask brought = valid_sectors(bits) & ~found;
  const int misses = counts_sectors_ ? count_sectors(brought) : 1;
  const int hits = counts_sectors_ ? count_sectors(sectors & found) : 0;
  near.count[kReads][0] += hits;
  near.count[kReads][1] += misses;
  Reply reply = request(place, brought, bits, tally, kReads);
  reply.far = true;
  reply.hits += hits;
  reply.misses += misses;
  reply.crossed_sectors = count_sectors(brought);
  if (reply.hit)
    events_.push_back({place.physical, static_cast<std::uint8_t>(brought), FabricEvent::touch,
                       static_cast<std::uint8_t>(misses), false, true});
  else
    last_fetch().misses = static_cast<std::uint8_t>(last_fetch().misses + misses);
  keep_copy(copy, bits, tally, reply);
  return reply;
}

/// The event of the request that just missed: a write-back may stand behind it.
FabricEvent& L2::last_fetch() {
  return events_.back().kind == FabricEvent::fetch ? events_.back() : events_[events_.size() - 2];
}

void L2::keep_copy(LinePlace copy, LineState bits, Tally& tally, Reply& reply) {
  if (*replication_ == config::Replication::none) return;
  if (*replication_ == config::Replication::opportunistic) {
    cache_.offer(copy.set, copy.tag, bits);
    return;
  }
  const CacheOutcome outcome = *replication_ == config::Replication::probation
                                   ? cache_.access_on_probation(copy.set, copy.tag, bits)
                                   : cache_.access(copy.set, copy.tag, bits);
  if (dirty_sectors(outcome.victim) != 0)
    reply.written_sectors += throw_out({copy.set, outcome.victim_tag}, outcome.victim, tally);
}

void L2::flush(const std::vector<std::uint8_t>* sampled_sets) {
  for (std::uint32_t set = 0; set < map_.sets(); ++set) {
    if (sampled_sets != nullptr && (*sampled_sets)[set] == 0) continue;
    Tally& tally = tallies_[map_.channel_of(set)];
    cache_.for_each(set, [&](std::uint32_t tag, LineState state) {
      if (dirty_sectors(state) != 0) throw_out({set, tag}, state, tally);
    });
  }
}

std::vector<L2Counts> L2::channels() const {
  std::vector<L2Counts> channels;
  for (const Tally& tally : tallies_) {
    L2Counts& channel = channels.emplace_back();
    const auto both = [&](Use use) { return tally.count[use][0] + tally.count[use][1]; };
    channel.reads = both(kReads);
    channel.writes = both(kWrites);
    channel.atomics = both(kAtomics);
    for (const Use use : {kReads, kWrites, kAtomics}) {
      channel.cache.hits += tally.count[use][0];
      channel.cache.misses += tally.count[use][1];
    }
    channel.cache.requests = channel.cache.hits + channel.cache.misses;
    channel.evictions = tally.evicted;
    for (SectorMask mask = 1; mask < 16; ++mask) {
      const Pieces in = pieces_of(mask, reads_lines_);
      channel.fabric_reads_128 += in.of_128 * tally.fetched[mask];
      channel.fabric_reads_64 += in.of_64 * tally.fetched[mask];
      channel.fabric_reads_32 += in.of_32 * tally.fetched[mask];
      const Pieces out = pieces_of(mask, false);
      channel.fabric_writes_64 += out.of_64 * tally.written[mask];
      channel.fabric_writes_32 += out.of_32 * tally.written[mask];
      channel.writebacks += tally.written[mask];
    }
  }
  return channels;
}

}  // namespace heddle::sim
