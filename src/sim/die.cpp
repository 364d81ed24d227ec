#include "sim/die.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "support/error.h"

namespace heddle::sim {
namespace {

using kernel::MemoryKind;

/// Of the requests that a sampled one stands for, those that go to its own channel.
constexpr std::int64_t kOwnChannel = 4;

/// What a block works at most before the next one has its turn.
constexpr std::int64_t kTurn = 256 * kTicks;

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
      lanes_of_request_(amd_ ? setup.gpu.compute.wave_lanes : 1),
      sites_(setup.sites),
      depth_(static_cast<std::uint32_t>(std::max(1, setup.depth))),
      share_of_rounds_(setup.share_of_rounds),
      start_(setup.start),
      in_turn_(setup.in_turn),
      turns_(setup.turns),
      l2_(setup.gpu, setup.map, static_cast<std::uint64_t>(index) << 32),
      distances_(setup.gpu),
      channel_free_(static_cast<std::size_t>(setup.gpu.l2.channels)),
      sampled_parts_(setup.sampled_parts),
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

  coalescers_.resize(static_cast<std::size_t>(gpu.l2.coalescers));
  const int units = gpu.compute.compute_units;
  units_.reserve(static_cast<std::size_t>(units));
  free_slots_.reserve(static_cast<std::size_t>(units));
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
    dispatch_free_ = std::max(time, dispatch_free_) + rates_.dispatch;
    Block& block = blocks_[static_cast<std::size_t>(slot)];
    block.started = dispatch_free_;
    block.number = numbers_++;
    begin_tile(*start, slot, dispatch_free_);
  }
}

/// A block begins with a tile: its first, or of a persistent launch the next one.
void Die::begin_tile(const Dispatcher::Start& start, int slot, std::int64_t time) {
  const TileTrace trace = traces_(start.tile, slot);
  units_[static_cast<std::size_t>(start.unit)].used = true;
  if (trace.arithmetic) {
    for (const kernel::ArithmeticCount& count : *trace.arithmetic)
      arithmetic_[{count.kind, count.type}] += count.count;
  }
  Block& block = blocks_[static_cast<std::size_t>(slot)];
  block.cursor = TraceCursor(trace, share_of_rounds_);
  block.unit = start.unit;
  block.turn = start.turn;
  if (!turns_.empty()) turns_[static_cast<std::size_t>(start.turn)].start = time;
  block.free_since = time;
  block.owed_ticks = start_.work;
  block.owed_wait = start_.wait;
  if (!block.cursor.at_end()) {
    block.owed_ticks += block.cursor.shape().ticks_before;
    block.owed_wait += block.cursor.shape().wait_before;
  }
  block.loads_done = time;
  block.alone_done = 0;
  block.arithmetic_ticks =
      std::llround(trace.arithmetic_cycles * static_cast<double>(kTicks) /
                   static_cast<double>(std::max<std::int64_t>(1, trace.instructions)));
  block.rounds.assign(static_cast<std::size_t>(sites_) * depth_, 0);
  block.counts.assign(static_cast<std::size_t>(sites_), 0);
  queue_.push(time, slot);
}

void Die::record_misses(const Block& block, std::size_t first_event) {
  std::int64_t& misses = turns_[static_cast<std::size_t>(block.turn)].l2_misses;
  const std::vector<FabricEvent>& events = l2_.events();
  for (std::size_t i = first_event; i < events.size(); ++i)
    if (events[i].kind != FabricEvent::write) misses += events[i].misses;
  if (watches_event_turns_)
    event_turns_.resize(events.size(), static_cast<std::uint32_t>(block.turn));
}

/// Runs the next memory instruction of a block: when the one after it can start.
std::int64_t Die::step(Block& block, std::int64_t time) {
  const Shape& shape = block.cursor.shape();
  const std::uint32_t base = block.cursor.base();
  const std::size_t first_event = l2_.events().size();
  const Times times = run(block, shape, base, time);
  if (!turns_.empty()) record_misses(block, first_event);
  if (!times.whole) return times.issued;  // no room: the rest comes later
  block.loads_done = std::max(block.loads_done, times.done);
  if (shape.kind == MemoryKind::read) {
    std::uint32_t& count = block.counts[static_cast<std::size_t>(shape.site)];
    block.rounds[round_of(shape, count)] = times.done;
    if (shape.alone) block.alone_done = std::max(block.alone_done, times.done);
    ++count;
  }
  const bool awaited = shape.awaited;
  block.owed_ticks += block.arithmetic_ticks + shape.ticks_after;
  block.owed_wait += shape.wait_after;
  block.cursor.advance();
  if (!block.cursor.at_end()) {
    block.owed_ticks += block.cursor.shape().ticks_before;
    block.owed_wait += block.cursor.shape().wait_before;
  }
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
  if (block.owed_ticks == 0) block.free_since += std::exchange(block.owed_wait, 0);
  return std::max(time, block.free_since);
}

bool Die::needs_l1(const Block& block) const {
  return scalar_caches_.empty() || !block.cursor.shape().uniform ||
         block.cursor.shape().kind != MemoryKind::read;
}

/// What the next instruction of a block has to wait for.
std::int64_t Die::earliest_next(const Block& block) const {
  if (block.cursor.at_end()) return block.loads_done;
  const Shape& shape = block.cursor.shape();
  if (shape.kind != MemoryKind::read || shape.enters) return block.loads_done;
  const std::int64_t before =
      block.rounds[round_of(shape, block.counts[static_cast<std::size_t>(shape.site)])];
  return block.owed_ticks > 0 ? std::max(before, block.alone_done) : before;
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

/// The first event is that of a unit whose L1, or whose arithmetic, is free: the next block that
/// waits for it goes on.
void Die::serve(int event) {
  const auto units = static_cast<int>(units_.size());
  const bool works = event >= units;
  Unit& unit = units_[static_cast<std::size_t>(works ? event - units : event)];
  std::vector<int>& waiting = works ? unit.working : unit.waiting;
  const std::int64_t& free = works ? unit.arithmetic_free : unit.l1_free;
  const int slot = take_next(waiting, works ? in_turn_ : gpu_.l1.serves_in_order);
  Block& block = blocks_[static_cast<std::size_t>(slot)];
  const std::int64_t next = works ? work(block, free) : step(block, free);
  if (waiting.empty())
    queue_.pop();
  else
    queue_.replace_top(free);
  queue_.push(next, slot);
}

void Die::run_until(std::int64_t end, MemoryDelay memory) {
  memory_ = memory;
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
    if (!works && block.owed_wait > 0) {
      block.free_since = time + std::exchange(block.owed_wait, 0);
      queue_.replace_top(block.free_since);
      continue;
    }
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
    if (!turns_.empty()) turns_[static_cast<std::size_t>(block.turn)].end = time;
    if (const auto next = dispatcher_.after(block.turn, block.unit)) {
      begin_tile(*next, slot, time);
      continue;
    }
    busy_.places += time - block.started;
    free_slots_[static_cast<std::size_t>(block.unit)].push_back(slot);
    dispatcher_.free(block.unit);
    start_blocks(time);
  }
}

void Die::flush() {
  l2_.flush(sample_.is_sampled() ? &sample_.sets() : nullptr);
}

int Die::scalar_caches_used() const {
  if (!gpu_.scalar_cache) return 0;
  std::vector<bool> used(scalar_caches_.size());
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    const int cache =
        gpu_.scalar_cache->cache_of(static_cast<int>(unit), gpu_.compute.compute_units);
    if (units_[unit].used) used[static_cast<std::size_t>(cache)] = true;
  }
  return static_cast<int>(std::ranges::count(used, true));
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
