// The lanes of a block: each runs the kernel until it ends or has to wait for others.
//
//   256 lanes without a barrier    one fibre runs them all, one after the other
//   64 lanes, one __syncthreads    64 fibres: each lane keeps its stack while it waits
//
// Rules
//   1. A fibre runs fresh lanes one after the other. A lane that has to wait keeps the fibre, and
//      another one goes on with the lanes that are left.
//   2. A barrier opens when every lane that has not ended has come to one. An operation of a wave
//      goes on when the lanes of its mask have come to the same place of the code; where nothing
//      else can run, with those that have come.
//   3. Lanes run in the order of their numbers: the same block gives the same stream.
//   4. If no lane can go on, the trace stops with the reason.
#pragma once

#include <cstdint>

namespace heddle::runner {

/// Why a lane waits.
enum class Wait : std::uint8_t { none, room, barrier, exchange, ballot, wave_barrier };

struct Lane {
  std::uint32_t index[3] = {};
  Wait wait = Wait::none;
  bool fresh = true;
  bool done = false;
  int fibre = -1;               ///< while it waits, and when it may go on
  const void* place = nullptr;  ///< of the operation that it waits at
  std::uint64_t mask = 0;
  std::uint64_t value = 0;  ///< given, then received
  std::uint32_t source = 0;
  int predicate = 0;
};

/// Calls the kernel with the arguments of the launch.
using Entry = void (*)(const void* slots);

void set_up_lanes(const std::uint32_t threads[3], std::uint32_t wave_lanes, Entry entry,
                  const void* slots);

/// Runs all lanes of a block.
void run_lanes();

std::uint64_t barriers_passed();

/// The lane that runs, and its number.
extern Lane* current_lane;
std::uint32_t current_number();
std::uint32_t lane_count();
const Lane& lane(std::uint32_t number);

/// The lane that runs has no room for more accesses: it waits until there is.
void wait_for_room();

}  // namespace heddle::runner
