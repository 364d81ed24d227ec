#include "sim/die.h"

#include <algorithm>
#include <cmath>

#include "sim/cache/widest.h"
#include "sim/die_flow.h"
#include "support/error.h"

namespace heddle::sim {
namespace {

using kernel::MemoryKind;

/// Of the requests that a sampled one stands for, those that go to its own channel.
constexpr std::int64_t kOwnChannel = 4;

/// What a block works at most before the next one has its turn.
constexpr std::int64_t kTurn = 256 * kTicks;

/// Bounds what a die remembers of sampled instructions.
constexpr std::size_t kMostSampledParts = 100'000;

/// Ticks for some bytes at a rate of bytes a cycle; 0 where the rate is no limit.
std::int64_t ticks_for(double bytes, double bytes_per_clock) {
  if (bytes_per_clock <= 0) return 0;
  return std::max<std::int64_t>(1, std::llround(bytes / bytes_per_clock * kTicks));
}

}  // namespace

/// In a sample an instruction may have no request left: it takes as long as it took lately.
std::int64_t Die::usual_end(const Shape& shape, std::int64_t at, std::int64_t done, bool is_known) {
  std::int64_t& usual = usual_ticks_[static_cast<std::size_t>(shape.site)];
  if (!is_known) return at + std::max(usual, rates_.l1_latency);
  usual += (done - at - usual) / 8;
  return done;
}

void Die::count_in_group(std::uint32_t set, const L2::Reply& reply) {
  CacheCounts& group = groups_[sample_.sets()[set] % (Sample::kGroups + 1U) - 1U];
  group.requests += reply.hits + reply.misses;
  group.hits += reply.hits;
}

Die::Die(const DieSetup& setup, int index, Dispatcher dispatcher, TraceSource traces)
    : gpu_(setup.gpu),
      map_(setup.map),
      sample_(setup.sample),
      dispatcher_(std::move(dispatcher)),
      traces_(std::move(traces)),
      amd_(setup.gpu.vendor == config::Vendor::amd),
      half_lines_(setup.l1.line_bytes < setup.gpu.l2.shape.line_bytes),
      lanes_of_request_(amd_ ? setup.gpu.compute.wave_lanes : 1),
      sites_(setup.sites),
      depth_(static_cast<std::uint32_t>(std::max(1, setup.depth))),
      share_of_rounds_(setup.share_of_rounds),
      l2_(setup.gpu, setup.map, static_cast<std::uint64_t>(index) << 32),
      distances_(setup.gpu),
      channel_free_(static_cast<std::size_t>(setup.gpu.l2.channels)),
      usual_ticks_(static_cast<std::size_t>(setup.sites)),
      groups_(Sample::kGroups) {
  const config::Gpu& gpu = setup.gpu;
  const auto factor = static_cast<double>(sample_.factor());
  rates_.l1_request = ticks_for(gpu.l1.shape.line_bytes, gpu.l1.bytes_per_clock);
  rates_.l1_latency = gpu.l1.latency_cycles * kTicks;
  rates_.scalar_latency = gpu.scalar_cache ? gpu.scalar_cache->latency_cycles * kTicks : 0;
  const std::int64_t own = std::min(sample_.factor(), kOwnChannel);
  rates_.l2_stands_for = sample_.factor() / own;
  const double own_bytes = static_cast<double>(kSectorBytes * own);
  rates_.l2_read_sector = ticks_for(own_bytes, gpu.l2.read_bytes_per_clock);
  rates_.l2_write_sector = ticks_for(own_bytes, gpu.l2.write_bytes_per_clock);
  rates_.l2_latency = gpu.l2.latency_cycles * kTicks;
  rates_.l2_miss = rates_.l2_latency + gpu.l2.fill_cycles * kTicks;
  if (gpu.l1.counted_cycles > 0)
    rates_.l1_uncounted = rates_.l1_latency - gpu.l1.counted_cycles * kTicks;
  rows_ = MemoryRows(gpu, sample_.factor());
  rates_.link_read_sector = ticks_for(kSectorBytes * factor, gpu.link.read_bytes_per_clock);
  rates_.link_write_sector = ticks_for(kSectorBytes * factor, gpu.link.write_bytes_per_clock);
  if (gpu.partitions) {
    rates_.far_latency = gpu.partitions->far_latency_cycles * kTicks;
    rates_.far_sector = ticks_for(kSectorBytes * factor, gpu.partitions->far_bytes_per_clock);
  }
  rates_.dispatch = gpu.compute.dispatch_cycles * kTicks;

  const int units = gpu.compute.compute_units;
  for (int unit = 0; unit < units; ++unit) {
    units_.emplace_back(L1(setup.l1, gpu.l1.sectored, sample_.factor(), gpu.l1.hashed_sets));
    std::vector<int>& slots = free_slots_.emplace_back();
    for (int place = setup.places - 1; place >= 0; --place)
      slots.push_back(unit * setup.places + place);
  }
  if (gpu.scalar_cache) {
    for (int cache = 0; cache < gpu.scalar_cache->caches_of(units); ++cache)
      scalar_caches_.emplace_back(gpu.scalar_cache->shape, sample_.factor());
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
    if (trace.arithmetic) {
      for (const kernel::ArithmeticCount& count : *trace.arithmetic)
        arithmetic_[{count.kind, count.type}] += count.count;
    }
    Block& block = blocks_[static_cast<std::size_t>(slot)];
    dispatch_free_ = std::max(time, dispatch_free_) + rates_.dispatch;
    block.cursor = TraceCursor(trace, share_of_rounds_);
    block.unit = start->unit;
    block.started = dispatch_free_;
    block.number = numbers_++;
    block.free_since = dispatch_free_;
    block.owed_ticks = block.cursor.at_end() ? 0 : block.cursor.shape().ticks_before;
    block.loads_done = dispatch_free_;
    block.arithmetic_ticks =
        std::llround(trace.arithmetic_cycles * static_cast<double>(kTicks) /
                     static_cast<double>(std::max<std::int64_t>(1, trace.instructions)));
    block.rounds.assign(static_cast<std::size_t>(sites_) * depth_, 0);
    block.counts.assign(static_cast<std::size_t>(sites_), 0);
    queue_.push(dispatch_free_, slot);
  }
}

/// Runs the next memory instruction of a block: when the one after it can start.
std::int64_t Die::step(Block& block, std::int64_t time) {
  const Shape& shape = block.cursor.shape();
  const std::uint32_t base = block.cursor.base();
  Times times;
  if (shape.kind != MemoryKind::read)
    times = run_writes(block, shape, base, time);
  else if (shape.uniform && !scalar_caches_.empty())
    times = run_scalar(block.unit, shape, base, time);
  else
    times = run_reads(block, shape, base, time);
  if (!times.whole) return times.issued;  // no room: the rest comes later
  block.loads_done = std::max(block.loads_done, times.done);
  if (shape.kind == MemoryKind::read) {
    std::uint32_t& count = block.counts[static_cast<std::size_t>(shape.site)];
    block.rounds[static_cast<std::size_t>(shape.site) * depth_ + count % depth_] = times.done;
    ++count;
  }
  const bool awaited = shape.awaited;
  const std::int64_t ticks_after = shape.ticks_after;
  block.cursor.advance();

  block.owed_ticks += block.arithmetic_ticks + ticks_after;
  if (!block.cursor.at_end()) block.owed_ticks += block.cursor.shape().ticks_before;
  std::int64_t next = awaited ? std::max(times.issued, times.done) : times.issued;
  const std::int64_t earliest = earliest_next(block);
  if (awaited || earliest > next) block.free_since = std::max(next, earliest);
  return std::max(next, earliest);
}

/// Does some of the work that a block owes. Blocks take turns: none holds the unit for long.
std::int64_t Die::work(Block& block, std::int64_t time) {
  Unit& unit = units_[static_cast<std::size_t>(block.unit)];
  const std::int64_t ticks = std::min(block.owed_ticks, std::max(kTurn, block.owed_ticks / 4));
  // Loads that find no room in the L1 hold up themselves, not the work beside them.
  unit.arithmetic_free = std::max(unit.arithmetic_free, std::min(time, block.free_since)) + ticks;
  busy_.arithmetic += ticks;
  block.owed_ticks -= ticks;
  block.free_since = unit.arithmetic_free;
  return std::max(time, unit.arithmetic_free);
}

bool Die::needs_l1(const Block& block) const {
  return scalar_caches_.empty() || !block.cursor.shape().uniform ||
         block.cursor.shape().kind != MemoryKind::read;
}

/// What the next instruction of a block has to wait for.
std::int64_t Die::earliest_next(const Block& block) const {
  if (block.cursor.at_end()) return block.loads_done;
  const Shape& shape = block.cursor.shape();
  if (shape.kind != MemoryKind::read) return block.loads_done;
  const auto site = static_cast<std::size_t>(shape.site);
  return block.rounds[site * depth_ + block.counts[site] % depth_];
}

/// When the L1 of a unit has room for so many more requests under way.
std::int64_t Die::room_for(Unit& unit, std::int64_t requests, std::int64_t time) const {
  const std::int64_t most = gpu_.l1.pending;
  while (!unit.under_way.empty() && unit.under_way.front().first <= time) {
    unit.pending -= unit.under_way.front().second;
    unit.under_way.pop_front();
  }
  std::int64_t left = unit.pending;
  for (const auto& [done, some] : unit.under_way) {
    if (left + requests <= most) break;
    time = done;
    left -= some;
  }
  return time;
}

/// Requests that go through the L1 together: a fraction of what it has under way. Halves of a line
/// stay together.
std::size_t Die::batch_of(std::int64_t most, std::int64_t lookups, std::int64_t requests) const {
  const std::int64_t some = most / 8 * requests / std::max<std::int64_t>(1, lookups);
  const std::int64_t least = half_lines_ ? 2 : 1;
  return static_cast<std::size_t>(std::clamp<std::int64_t>(some / least * least, least, kBatch));
}

/// Finds the places of requests in the L2 ahead of time, so that its tables are near when they are
/// needed.
void Die::look_up(std::span<const ShapeRequest> requests, std::uint32_t base) {
  std::size_t count = 0;
  for (const ShapeRequest& request : requests) {
    const std::uint32_t line = base + static_cast<std::uint32_t>(request.line);
    const LinePlace place = map_.place(half_lines_ ? line >> 1 : line);
    l2_.prefetch(place);
    batch_[count++] = {place, line, request.sectors & (half_lines_ ? 0x3U : 0xfU)};
  }
}

/// The requests of an instruction that are in the sample.
std::span<const ShapeRequest> Die::sampled_part(const Shape& shape, std::uint32_t base) {
  const std::uint32_t period = map_.index_period() << (half_lines_ ? 1 : 0);
  std::vector<ShapeRequest>* part = &scratch_;
  if (period != 0 && shape.shared && sampled_parts_.size() < kMostSampledParts) {
    const std::uint64_t key =
        reinterpret_cast<std::uintptr_t>(&shape) * std::uint64_t{period} + (base & (period - 1));
    const auto [found, is_new] = sampled_parts_.try_emplace(key);
    if (!is_new) return found->second;
    part = &found->second;
  }
  part->clear();
  for (const ShapeRequest& request : shape.requests) {
    const std::uint32_t line = base + static_cast<std::uint32_t>(request.line);
    if (sample_.sets()[map_.place(half_lines_ ? line >> 1 : line).set] != 0)
      part->push_back(request);
  }
  return *part;
}

Die::Times Die::run_reads(Block& block, const Shape& shape, std::uint32_t base, std::int64_t time) {
  Unit& unit = units_[static_cast<std::size_t>(block.unit)];
  const std::int64_t started = std::max(time, unit.l1_free);
  std::int64_t at = started;
  std::int64_t done = 0;
  std::int64_t requests = 0;
  std::int64_t misses = 0;
  std::int64_t asked = 0;
  LinePlace pending_place;  // of the L2, where its lines are longer than the L1's
  SectorMask pending = 0;
  Flow flow(*this, block.unit);
  const int side = side_of(block.unit);
  const bool amd = amd_;
  const bool half_lines = half_lines_;
  const auto ask = [&](const LinePlace& place, SectorMask sectors) {
    ++asked;
    const std::int64_t its_done = flow.ask<MemoryKind::read>(place, sectors, side, at);
    waits_.l2_ticks += its_done - at - flow.rates.l1_latency;
    ++waits_.l2_reads;
    done = std::max(done, its_done);
  };
  const std::span<const ShapeRequest> all =
      sample_.is_sampled() ? sampled_part(shape, base) : std::span(shape.requests);
  // A sampled request stands for several.
  const auto count = std::max<std::int64_t>(1, static_cast<std::int64_t>(all.size()));
  const std::int64_t lookups = static_cast<std::int64_t>(shape.requests.size()) + shape.repeats;
  const std::int64_t per_request = flow.rates.l1_request * lookups / count;
  const std::int64_t most = gpu_.l1.pending;
  const std::size_t batch = most == 0 ? kBatch : batch_of(most, lookups, count);
  std::size_t first = block.requests_done;
  while (first < all.size()) {
    const auto some = all.subspan(first, std::min(batch, all.size() - first));
    const auto its_lookups = static_cast<std::int64_t>(some.size()) * lookups / count;
    if (most > 0) {
      const std::int64_t room = room_for(unit, its_lookups, at);
      if (room > at) {
        at = room;
        break;
      }
    }
    look_up(some, base);
    for (std::size_t k = 0; k < some.size(); ++k) {
      const Lookup& request = batch_[k];
      const SectorMask missing = unit.l1.read(request.line, request.sectors);
      requests += amd ? 1 : count_sectors(request.sectors);
      at += per_request;
      if (missing == 0) continue;
      misses += amd ? 1 : count_sectors(missing);
      if (!half_lines) {
        ask(request.place, missing);
        continue;
      }
      if (pending != 0 && pending_place.physical != request.place.physical) {
        ask(pending_place, pending);
        pending = 0;
      }
      pending_place = request.place;
      pending |= missing << (request.line & 1) * 2;
    }
    first += some.size();
    if (pending != 0) ask(pending_place, std::exchange(pending, 0));
    done = std::max(done, at + flow.rates.l1_latency);
    if (most > 0) {
      unit.in_order = std::max(unit.in_order, done);
      unit.under_way.emplace_back(unit.in_order, its_lookups);
      unit.pending += its_lookups;
      done = unit.in_order;
    }
    waits_.l1_ticks += (done - at - flow.rates.l1_uncounted) * its_lookups;
    waits_.l1_lookups += its_lookups;
  }
  const auto processed = static_cast<std::int64_t>(first - block.requests_done);
  replayed_ += processed;
  block.requests_done = first < all.size() ? first : 0;
  if (all.empty()) at += per_request;
  unit.l1_free = at;
  busy_.l1 += per_request * processed;
  l1_counts_.reads_to_l2 += half_lines && amd ? misses : asked;
  l1_counts_.cache.misses += misses;
  l1_counts_.cache.hits += requests - misses;
  block.instruction_done = std::max(block.instruction_done, done);
  if (block.requests_done > 0 || first < all.size()) return {at, at, false};
  read_repeats_ += amd ? shape.repeats : shape.repeat_sectors;
  l1_counts_.read_requests += shape.waves * lanes_of_request_;
  done = std::exchange(block.instruction_done, 0);
  done = std::max(done, at + flow.rates.l1_latency);
  if (sample_.is_sampled()) done = usual_end(shape, at, done, !all.empty());
  return {at, done, true};
}

Die::Times Die::run_writes(Block& block, const Shape& shape, std::uint32_t base,
                           std::int64_t time) {
  Unit& unit = units_[static_cast<std::size_t>(block.unit)];
  const bool is_atomic = shape.kind == MemoryKind::atomic;
  const std::int64_t started = std::max(time, unit.l1_free);
  std::int64_t at = started;
  std::int64_t accepted = at;
  std::int64_t done = at;
  Flow flow(*this, block.unit);
  const std::int64_t port_ticks =
      flow.rates.l1_request * (static_cast<std::int64_t>(shape.requests.size()) + shape.repeats);
  const int side = side_of(block.unit);
  const std::span<const ShapeRequest> all =
      sample_.is_sampled() ? sampled_part(shape, base) : std::span(shape.requests);
  const std::int64_t per_request =  // a sampled one stands for several
      port_ticks / std::max<std::int64_t>(1, static_cast<std::int64_t>(all.size()));
  for (std::size_t first = 0; first < all.size(); first += kBatch) {
    const auto some = all.subspan(first, std::min(kBatch, all.size() - first));
    look_up(some, base);
    for (std::size_t k = 0; k < some.size(); ++k) {
      const Lookup& request = batch_[k];
      const SectorMask sectors =
          half_lines_ ? request.sectors << (request.line & 1) * 2 : request.sectors;
      at += per_request;
      if (is_atomic) {
        ++l1_counts_.atomics;
        l1_counts_.atomic_sectors += count_sectors(sectors);
        ++l1_counts_.atomics_to_l2;
        done = std::max(done, flow.ask<MemoryKind::atomic>(request.place, sectors, side, at));
        continue;
      }
      ++l1_counts_.writes;
      if (gpu_.l1.allocates_writes) unit.l1.read(request.line, request.sectors);
      l1_counts_.written_sectors += count_sectors(sectors);
      l1_counts_.writes_to_l2 += amd_ ? l2_.pieces(sectors) : 1;
      accepted = std::max(accepted, flow.ask<MemoryKind::write>(request.place, sectors, side, at) -
                                        flow.rates.l2_latency);
    }
  }
  replayed_ += static_cast<std::int64_t>(all.size());
  (is_atomic ? l1_counts_.atomic_requests : l1_counts_.write_requests) +=
      shape.waves * lanes_of_request_;
  if (shape.waves > 0) write_repeats_ += shape.repeats;
  at = started + port_ticks;
  unit.l1_free = at;
  busy_.l1 += at - started;
  // Writes are not waited for; but where memory is behind, they find no room.
  if (!is_atomic) done = std::max(accepted, flow.link_write_free) + memory_.backlog_ticks;
  return {at, shape.awaited || !is_atomic ? done : at, true};
}

Die::Times Die::run_scalar(int unit, const Shape& shape, std::uint32_t base, std::int64_t time) {
  ScalarCache& cache = scalar_caches_[static_cast<std::size_t>(
      gpu_.scalar_cache->cache_of(unit, gpu_.compute.compute_units))];
  const int line_bytes = gpu_.l1.shape.line_bytes;
  const int scalar_bytes = gpu_.scalar_cache->shape.line_bytes;
  std::int64_t done = time + rates_.scalar_latency;
  bool is_known = false;
  for (const ShapeRequest& request : shape.requests) {
    const std::uint32_t line = base + static_cast<std::uint32_t>(request.line);
    const LinePlace place = map_.place(half_lines_ ? line >> 1 : line);
    if (sample_.is_sampled() && sample_.sets()[place.set] == 0) continue;
    is_known = true;
    ++replayed_;
    SectorMask sectors =
        half_lines_ ? (request.sectors & 0x3U) << (line & 1) * 2 : request.sectors & 0xfU;
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
        done = std::max(
            done, Flow(*this, unit).ask<MemoryKind::read>(place, sectors, side_of(unit), time));
        *answer.ready = done;
        break;
    }
  }
  if (sample_.is_sampled()) done = usual_end(shape, time, done, is_known);
  return {time + kTicks, done, true};
}

/// Takes the first, or the oldest, of the blocks that wait for something.
int Die::take_next(std::vector<int>& waiting, bool in_order) {
  if (in_order) {
    const int first = waiting.front();
    waiting.erase(waiting.begin());
    return first;
  }
  const auto oldest = std::min_element(waiting.begin(), waiting.end(), [&](int a, int b) {
    return blocks_[static_cast<std::size_t>(a)].number <
           blocks_[static_cast<std::size_t>(b)].number;
  });
  const int slot = *oldest;
  *oldest = waiting.back();
  waiting.pop_back();
  return slot;
}

/// The first event is that of a unit whose L1, or whose arithmetic, is free: the oldest block that
/// waits for it goes on.
void Die::serve(int event) {
  const auto units = static_cast<int>(units_.size());
  const bool works = event >= units;
  Unit& unit = units_[static_cast<std::size_t>(works ? event - units : event)];
  std::vector<int>& waiting = works ? unit.working : unit.waiting;
  const std::int64_t& free = works ? unit.arithmetic_free : unit.l1_free;
  const int slot = take_next(waiting, !works && gpu_.l1.serves_in_order);
  Block& block = blocks_[static_cast<std::size_t>(slot)];
  const std::int64_t next = works ? work(block, free) : step(block, free);
  if (waiting.empty())
    queue_.pop();
  else
    queue_.replace_top(free);
  queue_.push(next, slot);
}

inline void Die::advance_until(std::int64_t end) {
  const int slots = static_cast<int>(blocks_.size());
  const auto units = static_cast<int>(units_.size());
  while (!queue_.empty() && queue_.top_time() < end) {
    const std::int64_t time = queue_.top_time();
    const int slot = queue_.top_slot();
    if (slot >= slots) {
      serve(slot - slots);
      continue;
    }
    Block& block = blocks_[static_cast<std::size_t>(slot)];
    const bool works = block.owed_ticks > 0;
    if (works || !block.cursor.at_end()) {
      Unit& unit = units_[static_cast<std::size_t>(block.unit)];
      std::vector<int>& waiting = works ? unit.working : unit.waiting;
      const std::int64_t free = works ? unit.arithmetic_free : unit.l1_free;
      if ((free > time || !waiting.empty()) && (works || needs_l1(block))) {
        queue_.pop();
        if (waiting.empty()) queue_.push(free, slots + (works ? units : 0) + block.unit);
        waiting.push_back(slot);
        continue;
      }
      queue_.replace_top(works ? work(block, time) : step(block, time));
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

HEDDLE_AVX2 void Die::advance_until_avx2(std::int64_t end) {
  advance_until(end);
}
HEDDLE_AVX512 void Die::advance_until_avx512(std::int64_t end) {
  advance_until(end);
}

void Die::run_until(std::int64_t end, MemoryDelay memory) {
  memory_ = memory;
  switch (widest()) {
    case Width::avx512:
      return advance_until_avx512(end);
    case Width::avx2:
      return advance_until_avx2(end);
    case Width::usual:
      return advance_until(end);
  }
}

void Die::flush() {
  l2_.flush(sample_.is_sampled() ? &sample_.sets() : nullptr);
}

DieResult Die::result() const {
  DieResult result;
  result.blocks = dispatcher_.started();
  result.l1 = l1_counts_;
  result.l1.cache.hits += read_repeats_ / sample_.factor();
  result.l1.cache.requests = result.l1.cache.hits + result.l1.cache.misses;
  result.l1.repeats = write_repeats_ / sample_.factor();
  if (!scalar_caches_.empty()) result.scalar = scalar_counts_;
  result.channels = l2_.channels();
  for (const L2Counts& channel : result.channels) result.l2 += channel;
  return result;
}

}  // namespace heddle::sim
