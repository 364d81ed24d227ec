#include "sim/units/l2.h"

namespace heddle::sim {

L2::L2(const config::Gpu& gpu, const LineMap& map, std::uint64_t seed)
    : map_(map),
      cache_(map.sets(), gpu.l2.shape.ways, gpu.l2.shape.replacement,
             gpu.partitions ? kCopy : map.tag_limit(), seed),
      lines_(gpu.l2.shape.lines()),
      fill_bytes_(gpu.l2.fill_bytes),
      counts_sectors_(gpu.l2.counts_sectors),
      replication_(gpu.partitions ? std::optional(gpu.partitions->replication) : std::nullopt),
      channels_(static_cast<std::size_t>(gpu.l2.channels)) {}

void L2::watch_conflicts(std::int64_t memory_lines) { shadow_.emplace(lines_, memory_lines); }

/// A read or an atomic: everything asked for must be valid.
L2::Reply L2::request(LinePlace place, SectorMask wanted, LineState bits, L2Counts& channel) {
  const bool in_shadow = shadow_ && shadow_->access(map_.physical_at(place));
  const CacheOutcome outcome = cache_.access(place.set, place.tag, bits);
  const SectorMask fetched = valid_sectors(bits) & ~valid_sectors(outcome.before);
  const SectorMask missing = wanted & fetched;
  Reply reply;
  reply.hit = missing == 0;
  const int units = counts_sectors_ ? count_sectors(wanted) : 1;
  const int misses = counts_sectors_ ? count_sectors(missing) : (missing != 0 ? 1 : 0);
  channel.cache.requests += units;
  channel.cache.misses += misses;
  channel.cache.hits += units - misses;
  if (reply.hit) return reply;
  reply.fetched_sectors = count_sectors(fetched);
  count_fetch(fetched, channel);
  events_.push_back({map_.physical_at(place), static_cast<std::uint8_t>(fetched),
                     FabricEvent::fetch, static_cast<std::uint8_t>(misses), in_shadow});
  if (outcome.victim != 0)
    reply.written_sectors = throw_out({place.set, outcome.victim_tag}, outcome.victim, channel);
  return reply;
}

L2::Reply L2::read(LinePlace place, SectorMask sectors, int side) {
  L2Counts& channel = channels_[map_.channel_of(place.set)];
  const int units = counts_sectors_ ? count_sectors(sectors) : 1;
  channel.reads += units;
  const LineState bits = state_of_read(widened(sectors));
  if (!replication_ || home_of(place.set) == side) return request(place, sectors, bits, channel);

  const LinePlace copy = copy_of(place);
  if (*replication_ != config::Replication::none &&
      (cache_.peek(copy.set, copy.tag) & sectors) == sectors) {
    cache_.access(copy.set, copy.tag, 0);
    channel.cache.requests += units;
    channel.cache.hits += units;
    return {};
  }
  Reply reply = request(place, sectors, bits, channel);
  reply.far = true;
  keep_copy(copy, bits, channel, reply);
  return reply;
}

void L2::keep_copy(LinePlace copy, LineState bits, L2Counts& channel, Reply& reply) {
  if (*replication_ == config::Replication::none) return;
  if (*replication_ == config::Replication::opportunistic) {
    cache_.offer(copy.set, copy.tag, bits);
    return;
  }
  const CacheOutcome outcome = cache_.access(copy.set, copy.tag, bits);
  if (outcome.victim != 0)
    reply.written_sectors += throw_out({copy.set, outcome.victim_tag}, outcome.victim, channel);
}

L2::Reply L2::atomic(LinePlace place, SectorMask sectors) {
  L2Counts& channel = channels_[map_.channel_of(place.set)];
  channel.atomics += counts_sectors_ ? count_sectors(sectors) : 1;
  return request(place, sectors, widened(sectors) | state_of_write(sectors), channel);
}

L2::Reply L2::write(LinePlace place, SectorMask sectors) {
  L2Counts& channel = channels_[map_.channel_of(place.set)];
  const bool in_shadow = shadow_ && shadow_->access(map_.physical_at(place));
  const CacheOutcome outcome = cache_.access(place.set, place.tag, state_of_write(sectors));
  const int units = counts_sectors_ ? count_sectors(sectors) : 1;
  channel.writes += units;
  channel.cache.requests += units;
  Reply reply;
  reply.hit = outcome.missed == 0;
  const bool counts_as_miss = !reply.hit && !counts_sectors_;
  channel.cache.misses += counts_as_miss ? units : 0;
  channel.cache.hits += counts_as_miss ? 0 : units;
  if (reply.hit) return reply;
  events_.push_back({map_.physical_at(place), static_cast<std::uint8_t>(sectors),
                     FabricEvent::touch, static_cast<std::uint8_t>(counts_as_miss ? units : 0), in_shadow});
  if (outcome.victim != 0)
    reply.written_sectors = throw_out({place.set, outcome.victim_tag}, outcome.victim, channel);
  return reply;
}

/// Writes the dirty sectors of a line back: how many.
int L2::throw_out(LinePlace place, LineState state, L2Counts& channel) {
  const SectorMask dirty = dirty_sectors(state);
  if (dirty == 0) return 0;
  ++channel.writebacks;
  for (const SectorMask half : {dirty & 3, dirty >> 2}) {
    if (half == 3)
      ++channel.fabric_writes_64;
    else if (half != 0)
      ++channel.fabric_writes_32;
  }
  events_.push_back({map_.physical_at(place), static_cast<std::uint8_t>(dirty), FabricEvent::write, 0,
                     false});
  return count_sectors(dirty);
}

void L2::count_fetch(SectorMask sectors, L2Counts& channel) const {
  if (sectors == 0xf) {
    ++channel.fabric_reads_128;
    return;
  }
  for (const SectorMask half : {sectors & 3, sectors >> 2}) {
    if (half == 3)
      ++channel.fabric_reads_64;
    else if (half != 0)
      ++channel.fabric_reads_32;
  }
}

void L2::flush(const std::vector<std::uint8_t>* sampled_sets) {
  for (std::uint32_t set = 0; set < map_.sets(); ++set) {
    if (sampled_sets != nullptr && (*sampled_sets)[set] == 0) continue;
    L2Counts& channel = channels_[map_.channel_of(set)];
    cache_.for_each(set, [&](std::uint32_t tag, LineState state) {
      throw_out({set, tag}, state, channel);
    });
  }
}

}  // namespace heddle::sim
