// The queues that an instruction of a die goes through: channels of the L2, the way between its
// halves, the link to what lies behind. For die_requests.cpp alone.
//
// Rules
//   1. Held apart while one instruction runs, and written back when it ends.
//   2. A request waits for its channel; what it fetches or throws out waits for the link as well,
//      and, where the memory has rows, for its part of the memory.
//   3. The way to a channel is longer or shorter by where the compute unit lies (distances.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/die.h"

namespace heddle::sim {

/// The queues that an instruction goes through, held apart while it runs.
struct Die::Flow {
  Flow(Die& die, int unit)
      : die_(die),
        rates(die.rates_),
        memory(die.memory_),
        channel_free(die.channel_free_.data()),
        way(die.distances_.from(unit)),
        all_channels_free(die.all_channels_free_),
        link_free(die.link_free_),
        link_write_free(die.link_write_free_),
        far_free(die.far_free_),
        coalescer(die.coalescer_of(unit)) {}
  ~Flow() {
    die_.all_channels_free_ = all_channels_free;
    die_.link_free_ = link_free;
    die_.link_write_free_ = link_write_free;
    die_.far_free_ = far_free;
    die_.busy_.l2 += l2_busy;
    die_.busy_.link += link_busy;
    die_.busy_.link_write += link_write_busy;
    die_.far_sectors_ += far_sectors;
    die_.waits_.fabric_ticks += fabric_ticks;
    die_.waits_.fabric_reads += fabric_reads;
  }
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  /// One request to the L2: when its data are there.
  template <kernel::MemoryKind kKind>
  [[gnu::always_inline]] std::int64_t ask(const LinePlace& place, SectorMask sectors, int side,
                                          std::int64_t time) {
    Coalescer::Entry* entry = nullptr;
    if constexpr (kKind == kernel::MemoryKind::read) {
      if (coalescer != nullptr) {
        entry = &coalescer->entry(place.physical);
        if (entry->holds(place.physical, sectors, time)) return entry->ready;
      }
    }
    const std::size_t channel = die_.map_.channel_of(place.set);
    std::int64_t& free = channel_free[channel];
    const int count = count_sectors(sectors);
    std::int64_t start = std::max(time, free);
    const std::int64_t ticks =
        count * (kKind == kernel::MemoryKind::read ? rates.l2_read_sector : rates.l2_write_sector);
    free = start + ticks;
    l2_busy += ticks * rates.l2_stands_for;
    if (rates.l2_stands_for > 1) {
      // The others that a sampled request stands for go to other channels as well.
      start = std::max(start, all_channels_free);
      all_channels_free =
          std::max(time, all_channels_free) + ticks * rates.l2_stands_for / die_.gpu_.l2.channels;
    }
    L2::Reply reply;
    if constexpr (kKind == kernel::MemoryKind::read) reply = die_.l2_.read(place, sectors, side);
    if constexpr (kKind == kernel::MemoryKind::write) reply = die_.l2_.write(place, sectors, side);
    if constexpr (kKind == kernel::MemoryKind::atomic)
      reply = die_.l2_.atomic(place, sectors, side);
    if (die_.sample_.is_sampled()) die_.count_in_group(place.set, reply);
    std::int64_t done = start + rates.l2_latency + way[channel];
    if (reply.far) {
      far_free = std::max(start, far_free) + rates.far_sector * reply.crossed_sectors;
      far_sectors += reply.crossed_sectors;
      done = far_free + rates.l2_latency + way[channel] + rates.far_latency;
    }
    if (reply.fetched_sectors > 0) {
      const std::int64_t link = rates.link_read_sector * reply.fetched_sectors;
      link_free = std::max(start, link_free) + link;
      link_busy += link;
      std::int64_t sent = link_free;
      if (die_.rows_.exist())
        sent =
            std::max(sent, die_.rows_.fetch(channel, place.physical, reply.fetched_sectors, start));
      done = sent + memory.miss_ticks + way[channel];
      fabric_ticks += sent + memory.miss_ticks - start - rates.l2_miss;
      ++fabric_reads;
    }
    if (reply.written_sectors > 0) {
      const std::int64_t link = rates.link_write_sector * reply.written_sectors;
      link_write_free = std::max(start, link_write_free) + link;
      link_write_busy += link;
    }
    if (entry != nullptr) *entry = {place.physical, sectors, done};
    return done;
  }

 private:
  Die& die_;

 public:
  const Rates rates;
  const MemoryDelay memory;
  std::int64_t* const channel_free;
  const std::int64_t* const way;  ///< per channel: more latency than usual
  std::int64_t all_channels_free;
  std::int64_t link_free;
  std::int64_t link_write_free;
  std::int64_t far_free;
  Coalescer* const coalescer;  ///< of the unit's group; nullptr: there is none
  std::int64_t l2_busy = 0;
  std::int64_t link_busy = 0;
  std::int64_t link_write_busy = 0;
  std::int64_t far_sectors = 0;
  std::int64_t fabric_ticks = 0;
  std::int64_t fabric_reads = 0;
};

}  // namespace heddle::sim
