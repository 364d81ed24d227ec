// What lanes do to the shared memory of their block: beyond its arrays, before anything was written,
// between the same two barriers as others.
//
//   thread 40 reads byte 4 of 'tile', which thread 3 writes with no barrier between them
//
// Rules
//   1. Every shared variable has a gap behind it that belong to none: an index that goes
//      beyond ends there, and does no harm.
//   2. A read is unwritten if no lane has written any of its bytes in this tile.
//   3. Two lanes of different waves that touch a byte between the same two barriers, one of them
//      writing, are a race. Lanes of one wave run in step on a GPU: they are not looked at, and
//      neither are atomics or two writes.
//   4. The first of each kind is kept, and how many there are.
//
// Does not model: barriers of part of a block; what lies further beyond an array than the gap.
#pragma once

#include <cstdint>

#include "runner/protocol.h"

namespace heddle::runner {

/// A shared variable, as the compiled kernel lists them; the last one has no address.
struct SharedArray {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  const char* name = nullptr;
};

/// `watched` is the byte that compiled loads look at.
void set_up_shared(std::uint64_t begin, std::uint64_t end, const SharedArray* arrays, char* watched,
                   std::uint32_t wave_lanes);
void begin_shared(bool is_watched);
/// The faults of the tile go into its end.
void end_shared(TileEnd& end);
void pass_shared_barrier();

extern bool is_shared_watched;
enum class SharedUse { read, write, change };
/// Any address outside the window.
void note_shared(SharedUse use, std::uint64_t address, std::uint64_t bytes, std::uint32_t site,
                 std::uint32_t lane);

}  // namespace heddle::runner
