// What lanes access, and the accesses of a block that are made of it.
//
// Rules
//   1. Accesses to tensors are noted per lane, in order; others are counted only.
//   2. Lanes are grouped by instruction and occurrence, as a GPU's lanes are that run in step: the
//      lane that is furthest behind goes first. Behind is who has gone round fewer times in the
//      outermost loop that two lanes share, then in the next one, then who is at the earlier
//      instruction.
//   3. What a traced tile writes is undone at its end.
//   4. Memory is bounded: a lane whose list is full waits until some of it has been grouped.
#pragma once

#include <cstdint>
#include <span>

#include "runner/protocol.h"

namespace heddle::runner {

struct ObserverSetup {
  std::span<const Site> sites;
  std::span<const Loop> loops;
  std::uint64_t window_bytes = 0;
  std::uint32_t threads[3] = {1, 1, 1};
};

void set_up_observer(const ObserverSetup& setup);
void set_up_sections(std::uint64_t shared_begin, std::uint64_t shared_end,
                     std::uint64_t variables_begin, std::uint64_t variables_end);

/// Which reads are reported: all, or those between some addresses.
void watch_all_reads();
void watch_no_reads();
void watch_reads(std::uint64_t begin, std::uint64_t end);

/// Before and after a tile. `traced`: its accesses are reported, what it writes is undone;
/// `watches_shared`: what it does to shared memory is looked at (shared.h).
void begin_tile(bool traced, bool watches_shared = false);
TileEnd end_tile();

/// Groups what can be grouped while lanes go on; `all`: to the end, because none goes on before.
void group_accesses(bool all);

/// The lane that runs from now on.
void select_lane(std::uint32_t number);
bool has_room(std::uint32_t number);
/// After a barrier: all lanes are at one place.
void forget_loops();

/// The last access, for faults.
std::uint32_t last_site();

}  // namespace heddle::runner
