#include <algorithm>
#include <bit>
#include <utility>

#include "sim/cache/widest.h"
#include "sim/die.h"
#include "sim/die_flow.h"

// The requests of one memory instruction: through the L1, or the scalar cache, to the L2.
namespace heddle::sim {
namespace {

using kernel::MemoryKind;

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
void Die::look_up(std::span<const ShapeRequest> requests, std::uint32_t base,
                  const Coalescer* coalescer) {
  std::size_t count = 0;
  for (const ShapeRequest& request : requests) {
    const std::uint32_t line = base + static_cast<std::uint32_t>(request.line);
    const LinePlace place = map_.place(half_lines_ ? line >> 1 : line);
    l2_.prefetch(place);
    if (coalescer != nullptr) coalescer->prefetch(place.physical);
    batch_[count++] = {place, line, request.sectors & (half_lines_ ? 0x3U : 0xfU)};
  }
}

/// The requests of an instruction that are in the sample.
std::span<const ShapeRequest> Die::sampled_part(const Shape& shape, std::uint32_t base) {
  if (sampled_parts_ == nullptr || !shape.shared ||
      shape.requests.size() < SampledParts::kLeastRequests)
    return find_sampled_part(shape, base);
  const std::uint32_t period = map_.index_period() << (half_lines_ ? 1 : 0);
  const std::uint32_t place = period > 0 ? base & (period - 1) : base;
  return sampled_parts_->get(shape, place, [&] { return find_sampled_part(shape, base); });
}

/// Apart from the rest and without a branch for each request: a sampled replay is here for long.
[[gnu::noinline]] std::span<const ShapeRequest> Die::find_sampled_part(const Shape& shape,
                                                                       std::uint32_t base) {
  if (scratch_.size() < shape.requests.size()) scratch_.resize(shape.requests.size());
  const std::uint8_t* const sets = sample_.sets().data();
  const int shift = half_lines_ ? 1 : 0;
  ShapeRequest* next = scratch_.data();
  for (const ShapeRequest& request : shape.requests) {
    const std::uint32_t line = base + static_cast<std::uint32_t>(request.line);
    *next = request;
    next += sets[map_.place(line >> shift).set] != 0 ? 1 : 0;
  }
  return {scratch_.data(), next};
}

/// The reads of one instruction on their way through the L1.
struct Die::Reads {
  Reads(Die& its_die, Unit& its_unit, int number, std::int64_t time)
      : die(its_die),
        unit(its_unit),
        flow(its_die, number),
        side(its_die.side_of(number)),
        at(std::max(time, its_unit.l1_free)) {}

  void ask(const LinePlace& place, SectorMask sectors) {
    ++asked;
    const std::int64_t its_done = flow.ask<MemoryKind::read>(place, sectors, side, at);
    die.waits_.l2_ticks += its_done - at - flow.rates.l1_latency;
    ++die.waits_.l2_reads;
    done = std::max(done, its_done);
  }

  /// Reads the first `count` lookups of the batch; `ticks` each.
  void read(std::size_t count, std::int64_t ticks) {
    const bool amd = die.amd_;
    const bool half_lines = die.half_lines_;
    for (std::size_t k = 0; k < count; ++k) {
      const Lookup& request = die.batch_[k];
      const SectorMask missing = unit.l1.read(request.line, request.sectors);
      requests += amd ? 1 : count_sectors(request.sectors);
      at += ticks;
      if (missing == 0) continue;
      misses += amd ? 1 : count_sectors(missing);
      if (!half_lines) {
        ask(request.place, missing);
        continue;
      }
      if (pending != 0 && pending_place.physical != request.place.physical)
        ask(pending_place, std::exchange(pending, 0));
      pending_place = request.place;
      pending |= missing << (request.line & 1) * 2;
    }
    if (pending != 0) ask(pending_place, std::exchange(pending, 0));
    done = std::max(done, at + flow.rates.l1_latency);
  }

  /// `lookups` were read: data come back in order where the L1 has a limited number under way.
  void note(std::int64_t lookups) {
    if (die.gpu_.l1.pending > 0) {
      unit.in_order = std::max(unit.in_order, done);
      unit.under_way.emplace_back(unit.in_order, lookups);
      unit.pending += lookups;
      done = unit.in_order;
    }
    die.waits_.l1_ticks += (done - at - flow.rates.l1_uncounted) * lookups;
    die.waits_.l1_lookups += lookups;
  }

  void add_counts() const {
    die.l1_counts_.reads_to_l2 += die.half_lines_ && die.amd_ ? misses : asked;
    die.l1_counts_.cache.misses += misses;
    die.l1_counts_.cache.hits += requests - misses;
  }

  Die& die;
  Unit& unit;
  Flow flow;
  int side;
  std::int64_t at;  ///< when the L1 takes the next one
  std::int64_t done = 0;
  std::int64_t requests = 0;
  std::int64_t misses = 0;
  std::int64_t asked = 0;
  LinePlace pending_place;  ///< of the L2, where its lines are longer than the L1's
  SectorMask pending = 0;
};

Die::Times Die::run_reads(Block& block, const Shape& shape, std::uint32_t base, std::int64_t time) {
  Unit& unit = units_[static_cast<std::size_t>(block.unit)];
  Reads reads(*this, unit, block.unit, time);
  const Rates& rates = reads.flow.rates;
  const std::span<const ShapeRequest> all =
      sample_.is_sampled() ? sampled_part(shape, base) : std::span(shape.requests);
  // A sampled request stands for several.
  const auto count = std::max<std::int64_t>(1, static_cast<std::int64_t>(all.size()));
  const std::int64_t lookups = static_cast<std::int64_t>(shape.requests.size()) + shape.repeats;
  const std::int64_t per_request = rates.l1_request * lookups / count;
  const std::int64_t most = gpu_.l1.pending;
  const std::size_t batch = most == 0 ? kBatch : batch_of(most, lookups, count);
  std::size_t first = block.requests_done;
  while (first < all.size()) {
    const auto some = all.subspan(first, std::min(batch, all.size() - first));
    const auto its_lookups = static_cast<std::int64_t>(some.size()) * lookups / count;
    if (most > 0) {
      const std::int64_t room = room_for(unit, its_lookups, reads.at);
      if (room > reads.at) {
        reads.at = room;
        break;
      }
    }
    look_up(some, base, reads.flow.coalescer);
    reads.read(some.size(), per_request);
    reads.note(its_lookups);
    first += some.size();
  }
  const auto processed = static_cast<std::int64_t>(first - block.requests_done);
  replayed_ += processed;
  block.requests_done = first < all.size() ? first : 0;
  if (all.empty()) reads.at += per_request;
  const std::int64_t at = reads.at;
  unit.l1_free = at;
  busy_.l1 += per_request * processed;
  reads.add_counts();
  block.instruction_done = std::max(block.instruction_done, reads.done);
  if (first < all.size()) return {at, at, false};
  read_repeats_ += amd_ ? shape.repeats : shape.repeat_sectors;
  l1_counts_.read_requests += shape.waves * lanes_of_request_;
  std::int64_t done = std::max(std::exchange(block.instruction_done, 0), at + rates.l1_latency);
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
    look_up(some, base, nullptr);
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

[[gnu::always_inline]] inline Die::Times Die::run_any(Block& block, const Shape& shape,
                                                      std::uint32_t base, std::int64_t time) {
  if (shape.kind != MemoryKind::read) return run_writes(block, shape, base, time);
  if (shape.uniform && !scalar_caches_.empty()) return run_scalar(block.unit, shape, base, time);
  return run_reads(block, shape, base, time);
}

HEDDLE_AVX2 Die::Times Die::run_avx2(Block& block, const Shape& shape, std::uint32_t base,
                                     std::int64_t time) {
  return run_any(block, shape, base, time);
}
HEDDLE_AVX512 Die::Times Die::run_avx512(Block& block, const Shape& shape, std::uint32_t base,
                                         std::int64_t time) {
  return run_any(block, shape, base, time);
}

Die::Times Die::run(Block& block, const Shape& shape, std::uint32_t base, std::int64_t time) {
  switch (width_) {
    case Width::avx512:
      return run_avx512(block, shape, base, time);
    case Width::avx2:
      return run_avx2(block, shape, base, time);
    case Width::usual:
      break;
  }
  return run_any(block, shape, base, time);
}

}  // namespace heddle::sim
