#include "sim/die.h"

#include <algorithm>
#include <cmath>

namespace heddle::sim {
namespace {

using kernel::MemoryKind;

/// Ticks for some bytes at a rate of bytes a cycle; 0 where the rate is no limit.
std::int64_t ticks_for(double bytes, double bytes_per_clock) {
  if (bytes_per_clock <= 0) return 0;
  return std::max<std::int64_t>(1, std::llround(bytes / bytes_per_clock * kTicks));
}

}  // namespace

Die::Die(const DieSetup& setup, int index, Dispatcher dispatcher, TraceSource traces)
    : gpu_(setup.gpu),
      map_(setup.map),
      sample_(setup.sample),
      dispatcher_(std::move(dispatcher)),
      traces_(std::move(traces)),
      amd_(setup.gpu.vendor == config::Vendor::amd),
      half_lines_(setup.l1.line_bytes < setup.gpu.l2.shape.line_bytes),
      sites_(setup.sites),
      depth_(static_cast<std::uint32_t>(std::max(1, setup.depth))),
      share_of_rounds_(setup.share_of_rounds),
      l2_(setup.gpu, setup.map, static_cast<std::uint64_t>(index) << 32),
      channel_free_(static_cast<std::size_t>(setup.gpu.l2.channels)),
      groups_(Sample::kGroups) {
  const config::Gpu& gpu = setup.gpu;
  const auto factor = static_cast<double>(sample_.factor());
  rates_.l1_request = ticks_for(gpu.l1.shape.line_bytes, gpu.l1.bytes_per_clock);
  rates_.l1_latency = gpu.l1.latency_cycles * kTicks;
  rates_.scalar_latency = gpu.scalar_cache ? gpu.scalar_cache->latency_cycles * kTicks : 0;
  rates_.l2_read_sector = ticks_for(kSectorBytes * factor, gpu.l2.read_bytes_per_clock);
  rates_.l2_write_sector = ticks_for(kSectorBytes * factor, gpu.l2.write_bytes_per_clock);
  rates_.l2_latency = gpu.l2.latency_cycles * kTicks;
  rates_.link_read_sector = ticks_for(kSectorBytes * factor, gpu.link.read_bytes_per_clock);
  rates_.link_write_sector = ticks_for(kSectorBytes * factor, gpu.link.write_bytes_per_clock);
  if (gpu.partitions) {
    rates_.far_latency = gpu.partitions->far_latency_cycles * kTicks;
    rates_.far_sector = ticks_for(kSectorBytes * factor, gpu.partitions->far_bytes_per_clock);
  }
  rates_.dispatch = gpu.compute.dispatch_cycles * kTicks;

  const int units = gpu.compute.compute_units;
  for (int unit = 0; unit < units; ++unit) {
    units_.push_back({L1(setup.l1, gpu.l1.sectored, sample_.factor()), 0, 0});
    std::vector<int>& slots = free_slots_.emplace_back();
    for (int place = setup.places - 1; place >= 0; --place) slots.push_back(unit * setup.places + place);
  }
  if (gpu.scalar_cache) {
    const int shared_by = gpu.scalar_cache->compute_units;
    for (int unit = 0; unit < units; unit += shared_by)
      scalar_caches_.emplace_back(gpu.scalar_cache->shape);
  }
  blocks_.resize(static_cast<std::size_t>(units) * static_cast<std::size_t>(setup.places));
  start_blocks(0);
}

void Die::start_blocks(std::int64_t time) {
  while (const auto start = dispatcher_.next()) {
    std::vector<int>& slots = free_slots_[static_cast<std::size_t>(start->unit)];
    const int slot = slots.back();
    slots.pop_back();
    const TileTrace trace = traces_(start->tile, slot);
    Block& block = blocks_[static_cast<std::size_t>(slot)];
    dispatch_free_ = std::max(time, dispatch_free_) + rates_.dispatch;
    block.cursor = TraceCursor(trace, share_of_rounds_);
    block.unit = start->unit;
    block.started = dispatch_free_;
    block.loads_done = dispatch_free_;
    block.arithmetic_ticks =
        std::llround(trace.arithmetic_cycles * static_cast<double>(kTicks) /
                     static_cast<double>(std::max<std::int64_t>(1, trace.instructions)));
    block.rounds.assign(static_cast<std::size_t>(sites_) * depth_, 0);
    block.counts.assign(static_cast<std::size_t>(sites_), 0);
    queue_.push(dispatch_free_, slot);
  }
}

void Die::run_until(std::int64_t end, MemoryDelay memory) {
  memory_ = memory;
  while (!queue_.empty() && queue_.top_time() < end) {
    const std::int64_t time = queue_.top_time();
    const int slot = queue_.top_slot();
    Block& block = blocks_[static_cast<std::size_t>(slot)];
    if (!block.cursor.at_end()) {
      queue_.replace_top(step(block, time));
      continue;
    }
    queue_.pop();
    last_time_ = std::max(last_time_, time);
    busy_.places += time - block.started;
    free_slots_[static_cast<std::size_t>(block.unit)].push_back(slot);
    dispatcher_.free(block.unit);
    start_blocks(time);
  }
}

/// Runs the next memory instruction of a block: when the one after it can start.
std::int64_t Die::step(Block& block, std::int64_t time) {
  const Shape& shape = block.cursor.shape();
  const std::uint32_t base = block.cursor.base();
  Unit& unit = units_[static_cast<std::size_t>(block.unit)];
  Times times;
  if (shape.kind != MemoryKind::read)
    times = sample_.is_sampled() ? run_writes<true>(block, shape, base, time)
                                 : run_writes<false>(block, shape, base, time);
  else if (shape.uniform && !scalar_caches_.empty())
    times = run_scalar(block.unit, shape, base, time);
  else
    times = sample_.is_sampled() ? run_reads<true>(block, shape, base, time)
                                 : run_reads<false>(block, shape, base, time);
  block.loads_done = std::max(block.loads_done, times.done);
  if (shape.kind == MemoryKind::read) {
    std::uint32_t& count = block.counts[static_cast<std::size_t>(shape.site)];
    block.rounds[static_cast<std::size_t>(shape.site) * depth_ + count % depth_] = times.done;
    ++count;
  }
  const bool awaited = shape.awaited;
  block.cursor.advance();

  std::int64_t next = awaited ? std::max(times.issued, times.done) : times.issued;
  next = std::max(next, earliest_next(block));
  if (block.arithmetic_ticks > 0) {
    unit.arithmetic_free = std::max(unit.arithmetic_free, next) + block.arithmetic_ticks;
    busy_.arithmetic += block.arithmetic_ticks;
    next = unit.arithmetic_free;
  }
  return next;
}

/// What the next instruction of a block has to wait for.
std::int64_t Die::earliest_next(const Block& block) const {
  if (block.cursor.at_end()) return block.loads_done;
  const Shape& shape = block.cursor.shape();
  if (shape.kind != MemoryKind::read) return block.loads_done;
  const auto site = static_cast<std::size_t>(shape.site);
  return block.rounds[site * depth_ + block.counts[site] % depth_];
}

/// One request to the L2: when its data are there.
std::int64_t Die::ask_l2(LinePlace place, SectorMask sectors, int unit, std::int64_t time,
                         MemoryKind kind) {
  std::int64_t& free = channel_free_[map_.channel_of(place.set)];
  const std::int64_t start = std::max(time, free);
  const std::int64_t per_sector =
      kind == MemoryKind::read ? rates_.l2_read_sector : rates_.l2_write_sector;
  const std::int64_t ticks = per_sector * count_sectors(sectors);
  free = start + ticks;
  busy_.l2 += ticks;
  const L2::Reply reply = kind == MemoryKind::read    ? l2_.read(place, sectors, side_of(unit))
                          : kind == MemoryKind::write ? l2_.write(place, sectors)
                                                      : l2_.atomic(place, sectors);
  if (sample_.is_sampled()) {
    CacheCounts& group = groups_[sample_.sets()[place.set] - 1U];
    ++group.requests;
    group.hits += reply.hit ? 1 : 0;
  }
  std::int64_t done = start + rates_.l2_latency;
  if (reply.far) {
    far_free_ = std::max(start, far_free_) + rates_.far_sector * count_sectors(sectors);
    far_sectors_ += count_sectors(sectors);
    done = far_free_ + rates_.l2_latency + rates_.far_latency;
  }
  if (reply.fetched_sectors > 0) {
    const std::int64_t link = rates_.link_read_sector * reply.fetched_sectors;
    link_free_ = std::max(start, link_free_) + link;
    busy_.link += link;
    done = link_free_ + memory_.miss_ticks;
  }
  if (reply.written_sectors > 0) {
    const std::int64_t link = rates_.link_write_sector * reply.written_sectors;
    link_write_free_ = std::max(start, link_write_free_) + link;
    busy_.link_write += link;
  }
  return done;
}

template <bool kSampled>
Die::Times Die::run_reads(Block& block, const Shape& shape, std::uint32_t base, std::int64_t time) {
  Unit& unit = units_[static_cast<std::size_t>(block.unit)];
  const std::uint8_t* const sampled = kSampled ? sample_.sets().data() : nullptr;
  std::int64_t at = std::max(time, unit.l1_free);
  const std::int64_t started = at;
  std::int64_t done = 0;
  std::int64_t requests = 0;
  std::int64_t misses = 0;
  std::uint32_t pending_line = 0;  // of the L2, where its lines are longer than the L1's
  SectorMask pending = 0;
  const auto ask = [&](std::uint32_t line, SectorMask sectors) {
    ++l1_counts_.reads_to_l2;
    done = std::max(done, ask_l2(map_.place(line), sectors, block.unit, at, MemoryKind::read));
  };
  for (const ShapeRequest& request : shape.requests) {
    const std::uint32_t line = base + static_cast<std::uint32_t>(request.line);
    const std::uint32_t l2_line = half_lines_ ? line >> 1 : line;
    if constexpr (kSampled) {
      if (sampled[map_.place(l2_line).set] == 0) {
        at += rates_.l1_request;
        continue;
      }
    }
    const SectorMask missing = unit.l1.read(line, request.sectors);
    if (amd_) {
      ++requests;
      misses += missing != 0 ? 1 : 0;
    } else {
      requests += count_sectors(request.sectors);
      misses += count_sectors(missing);
    }
    if (missing != 0) {
      if (!half_lines_) {
        ask(line, missing);
      } else {
        if (pending != 0 && pending_line != l2_line) {
          ask(pending_line, pending);
          pending = 0;
        }
        pending_line = l2_line;
        pending |= missing << (line & 1) * 2;
      }
    }
    at += rates_.l1_request;
  }
  if (pending != 0) ask(pending_line, pending);
  unit.l1_free = at;
  busy_.l1 += at - started;
  replayed_ += requests;
  l1_counts_.cache.requests += requests;
  l1_counts_.cache.misses += misses;
  l1_counts_.cache.hits += requests - misses;
  return {at, std::max(done, at + rates_.l1_latency)};
}

template <bool kSampled>
Die::Times Die::run_writes(Block& block, const Shape& shape, std::uint32_t base,
                           std::int64_t time) {
  Unit& unit = units_[static_cast<std::size_t>(block.unit)];
  const std::uint8_t* const sampled = kSampled ? sample_.sets().data() : nullptr;
  const bool is_atomic = shape.kind == MemoryKind::atomic;
  std::int64_t at = std::max(time, unit.l1_free);
  const std::int64_t started = at;
  std::int64_t accepted = at;
  std::int64_t done = at;
  for (const ShapeRequest& request : shape.requests) {
    const std::uint32_t line = base + static_cast<std::uint32_t>(request.line);
    const LinePlace place = map_.place(half_lines_ ? line >> 1 : line);
    at += rates_.l1_request;
    if constexpr (kSampled)
      if (sampled[place.set] == 0) continue;
    ++replayed_;
    const SectorMask sectors =
        half_lines_ ? request.sectors << (line & 1) * 2 : request.sectors;
    if (is_atomic) {
      ++l1_counts_.atomics;
      ++l1_counts_.atomics_to_l2;
      done = std::max(done, ask_l2(place, sectors, block.unit, at, MemoryKind::atomic));
      continue;
    }
    ++l1_counts_.writes;
    for (const SectorMask part : parts_of_write(sectors)) {
      if (part == 0) continue;
      ++l1_counts_.writes_to_l2;
      accepted = std::max(accepted, ask_l2(place, part, block.unit, at, MemoryKind::write) -
                                        rates_.l2_latency);
    }
  }
  unit.l1_free = at;
  busy_.l1 += at - started;
  // Writes are not waited for; but where memory is behind, they find no room.
  if (!is_atomic) done = std::max(accepted, link_write_free_) + memory_.backlog_ticks;
  return {at, shape.awaited || !is_atomic ? done : at};
}

Die::Times Die::run_scalar(int unit, const Shape& shape, std::uint32_t base, std::int64_t time) {
  ScalarCache& cache =
      scalar_caches_[static_cast<std::size_t>(unit / gpu_.scalar_cache->compute_units)];
  const int line_bytes = gpu_.l1.shape.line_bytes;
  const int scalar_bytes = gpu_.scalar_cache->shape.line_bytes;
  std::int64_t done = time + rates_.scalar_latency;
  for (const ShapeRequest& request : shape.requests) {
    const std::uint32_t line = base + static_cast<std::uint32_t>(request.line);
    const LinePlace place = map_.place(half_lines_ ? line >> 1 : line);
    if (sample_.is_sampled() && sample_.sets()[place.set] == 0) continue;
    ++replayed_;
    SectorMask sectors = half_lines_ ? request.sectors << (line & 1) * 2 : request.sectors;
    // The line of this cache that holds the first sector asked for.
    const auto first = static_cast<std::uint32_t>(std::countr_zero(sectors)) * kSectorBytes;
    const std::uint64_t byte =
        static_cast<std::uint64_t>(half_lines_ ? line >> 1 : line) *
            static_cast<std::uint64_t>(half_lines_ ? 2 * line_bytes : line_bytes) +
        first;
    const ScalarCache::Answer answer = cache.read(
        static_cast<std::uint32_t>(byte / static_cast<std::uint64_t>(scalar_bytes)), time);
    switch (answer.reply) {
      case ScalarCache::Reply::hit:
        ++scalar_counts_.cache.requests;
        ++scalar_counts_.cache.hits;
        break;
      case ScalarCache::Reply::duplicate:
        ++scalar_counts_.duplicate_misses;
        done = std::max(done, *answer.ready);
        break;
      case ScalarCache::Reply::miss:
        ++scalar_counts_.cache.requests;
        ++scalar_counts_.cache.misses;
        sectors = scalar_bytes >= 128 ? 0xfU : first >= 64 ? 0xcU : 0x3U;
        done = std::max(done, ask_l2(place, sectors, unit, time, MemoryKind::read));
        *answer.ready = done;
        break;
    }
  }
  return {time + kTicks, done};
}

void Die::flush() { l2_.flush(sample_.is_sampled() ? &sample_.sets() : nullptr); }

DieResult Die::result() const {
  DieResult result;
  result.blocks = dispatcher_.started();
  result.l1 = l1_counts_;
  if (!scalar_caches_.empty()) result.scalar = scalar_counts_;
  result.channels = l2_.channels();
  for (const L2Counts& channel : result.channels) result.l2 += channel;
  return result;
}

}  // namespace heddle::sim
