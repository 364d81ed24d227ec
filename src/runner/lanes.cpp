#include "runner/lanes.h"

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <memory>
#include <string>
#include <vector>

#include "heddle/abi.h"
#include "runner/observer.h"
#include "runner/output.h"

namespace heddle::runner {

Lane* current_lane = nullptr;

namespace {

namespace context = boost::context;

constexpr std::size_t kStackBytes = std::size_t{256} << 10;

struct State {
  std::vector<Lane> lanes;
  std::uint32_t threads[3] = {1, 1, 1};
  std::uint32_t wave_lanes = 64;
  Entry entry = nullptr;
  const void* slots = nullptr;

  std::vector<context::fiber> fibres;
  std::vector<int> idle;
  int running = -1;          ///< fibre
  context::fiber scheduler;  ///< while a fibre runs
  std::uint32_t fresh = 0;   ///< the next lane that has not begun
  std::uint32_t ended = 0;
  std::uint64_t barriers = 0;
  std::uint64_t ticks = 0;  ///< of the clock, which begins anew with every tile
};

State state;

void to_scheduler() {
  state.scheduler = std::move(state.scheduler).resume();
}

void begin_lane(std::uint32_t number) {
  current_lane = &state.lanes[number];
  current_lane->fresh = false;
  select_lane(number);
}

/// What a fibre does for ever: lanes that have not begun, then a rest.
void run_fresh_lanes() {
  while (true) {
    while (state.fresh < state.lanes.size()) {
      begin_lane(state.fresh++);
      Lane* const lane = current_lane;
      state.entry(state.slots);
      lane->done = true;
      ++state.ended;
    }
    state.idle.push_back(state.running);
    to_scheduler();
  }
}

int take_fibre() {
  if (!state.idle.empty()) {
    const int fibre = state.idle.back();
    state.idle.pop_back();
    return fibre;
  }
  state.fibres.emplace_back(std::allocator_arg, context::protected_fixedsize_stack(kStackBytes),
                            [](context::fiber&& scheduler) {
                              state.scheduler = std::move(scheduler);
                              run_fresh_lanes();
                              return std::move(state.scheduler);
                            });
  return static_cast<int>(state.fibres.size()) - 1;
}

void resume(int fibre) {
  state.running = fibre;
  auto& continuation = state.fibres[static_cast<std::size_t>(fibre)];
  context::fiber next = std::move(continuation).resume();
  state.fibres[static_cast<std::size_t>(fibre)] = std::move(next);
}

void resume_lane(std::uint32_t number) {
  Lane& lane = state.lanes[number];
  current_lane = &lane;
  select_lane(number);
  resume(lane.fibre);
}

/// The lane that runs stops here until it is released.
void wait(Wait reason) {
  Lane* const lane = current_lane;
  lane->wait = reason;
  lane->fibre = state.running;
  to_scheduler();
}

bool is_wave_operation(Wait wait) {
  return wait == Wait::exchange || wait == Wait::ballot || wait == Wait::wave_barrier;
}

/// The lanes of one wave that wait at the place where `leader` does, as bits.
struct Meeting {
  std::uint64_t there = 0;
  bool complete = true;
};

Meeting meeting_of(std::uint32_t wave, const Lane& leader) {
  Meeting meeting;
  const std::uint32_t first = wave * state.wave_lanes;
  for (std::uint32_t k = 0; k < state.wave_lanes && first + k < state.lanes.size(); ++k) {
    const Lane& other = state.lanes[first + k];
    if ((leader.mask >> k & 1) == 0 || other.done) continue;
    if (!other.fresh && other.wait == leader.wait && other.place == leader.place)
      meeting.there |= std::uint64_t{1} << k;
    else
      meeting.complete = false;
  }
  return meeting;
}

/// Lets the lanes of a meeting go on with what they asked for.
void release(std::uint32_t wave, std::uint64_t there) {
  const std::uint32_t first = wave * state.wave_lanes;
  std::vector<std::uint64_t> answers(state.wave_lanes);
  std::uint64_t votes = 0;
  for (std::uint32_t k = 0; k < state.wave_lanes; ++k)
    if ((there >> k & 1) != 0 && state.lanes[first + k].predicate != 0)
      votes |= std::uint64_t{1} << k;
  for (std::uint32_t k = 0; k < state.wave_lanes; ++k) {
    if ((there >> k & 1) == 0) continue;
    const Lane& lane = state.lanes[first + k];
    const bool has_source = lane.source < state.wave_lanes && (there >> lane.source & 1) != 0;
    answers[k] = lane.wait == Wait::ballot ? votes
                 : has_source              ? state.lanes[first + lane.source].value
                                           : lane.value;
  }
  for (std::uint32_t k = 0; k < state.wave_lanes; ++k) {
    if ((there >> k & 1) == 0) continue;
    state.lanes[first + k].value = answers[k];
    state.lanes[first + k].wait = Wait::none;
  }
  for (std::uint32_t k = 0; k < state.wave_lanes; ++k)
    if ((there >> k & 1) != 0) resume_lane(first + k);
}

/// One operation of a wave whose lanes have all come, or with `partly` one that has any.
bool release_wave_operation(bool partly) {
  for (std::uint32_t number = 0; number < state.lanes.size(); ++number) {
    const Lane& lane = state.lanes[number];
    if (lane.done || !is_wave_operation(lane.wait)) continue;
    const std::uint32_t wave = number / state.wave_lanes;
    const Meeting meeting = meeting_of(wave, lane);
    if (!meeting.complete && !partly) continue;
    release(wave, meeting.there);
    return true;
  }
  return false;
}

bool release_full_lanes() {
  bool any = false;
  for (const Lane& lane : state.lanes) any = any || lane.wait == Wait::room;
  if (!any) return false;
  group_accesses(false);
  bool released = false;
  for (const bool force : {false, true}) {
    if (force) group_accesses(true);
    for (std::uint32_t number = 0; number < state.lanes.size(); ++number) {
      Lane& lane = state.lanes[number];
      if (lane.wait != Wait::room || !has_room(number)) continue;
      lane.wait = Wait::none;
      released = true;
      resume_lane(number);
    }
    if (released) return true;
  }
  return false;
}

bool release_barrier() {
  std::uint64_t votes = 0;
  std::uint64_t waiting = 0;
  for (const Lane& lane : state.lanes) {
    if (lane.done) continue;
    if (lane.wait != Wait::barrier) return false;
    ++waiting;
    if (lane.predicate != 0) ++votes;
  }
  group_accesses(true);
  forget_loops();
  ++state.barriers;
  for (Lane& lane : state.lanes) {
    if (lane.done) continue;
    lane.value = lane.source == 0 ? votes : lane.source == 1 ? votes == waiting : votes > 0;
    lane.wait = Wait::none;
    lane.predicate = 0;
  }
  for (std::uint32_t number = 0; number < state.lanes.size(); ++number)
    if (!state.lanes[number].done && state.lanes[number].wait == Wait::none) resume_lane(number);
  return true;
}

std::uint64_t wave_operation(Wait kind, std::uint64_t value, std::uint32_t source,
                             std::uint64_t mask, const void* place) {
  Lane& lane = *current_lane;
  const std::uint32_t own = current_number() % state.wave_lanes;
  if ((mask >> own & 1) == 0)
    fail(FaultKind::stopped, "a lane takes part in an operation whose mask leaves it out");
  lane.value = value;
  lane.source = source;
  lane.mask = mask;
  lane.place = place;
  wait(kind);
  return current_lane->value;
}

}  // namespace

void set_up_lanes(const std::uint32_t threads[3], std::uint32_t wave_lanes, Entry entry,
                  const void* slots) {
  state.lanes.resize(std::size_t{threads[0]} * threads[1] * threads[2]);
  for (int axis = 0; axis < 3; ++axis) state.threads[axis] = threads[axis];
  for (std::uint32_t number = 0; number < state.lanes.size(); ++number) {
    Lane& lane = state.lanes[number];
    lane.index[0] = number % threads[0];
    lane.index[1] = number / threads[0] % threads[1];
    lane.index[2] = number / threads[0] / threads[1];
  }
  state.wave_lanes = wave_lanes;
  state.entry = entry;
  state.slots = slots;
  state.fibres.reserve(state.lanes.size() + 1);
}

void run_lanes() {
  for (Lane& lane : state.lanes) {
    lane.wait = Wait::none;
    lane.fresh = true;
    lane.done = false;
  }
  state.fresh = 0;
  state.ended = 0;
  state.barriers = 0;
  state.ticks = 0;
  while (true) {
    while (state.fresh < state.lanes.size()) resume(take_fibre());
    if (state.ended == state.lanes.size()) break;
    if (release_wave_operation(false) || release_full_lanes() || release_barrier() ||
        release_wave_operation(true))
      continue;
    fail(FaultKind::stuck,
         "some lanes wait at a __syncthreads() that others do not reach, or have left behind");
  }
  group_accesses(true);
}

std::uint64_t barriers_passed() {
  return state.barriers;
}

std::uint32_t current_number() {
  return current_lane == nullptr ? 0
                                 : static_cast<std::uint32_t>(current_lane - state.lanes.data());
}

std::uint32_t lane_count() {
  return static_cast<std::uint32_t>(state.lanes.size());
}

const Lane& lane(std::uint32_t number) {
  return state.lanes[number];
}

void wait_for_room() {
  wait(Wait::room);
}

}  // namespace heddle::runner

using namespace heddle::runner;

unsigned heddle_thread_index(int axis) {
  return current_lane->index[axis];
}
unsigned heddle_block_extent(int axis) {
  return state.threads[axis];
}
unsigned heddle_lane() {
  return current_number() % state.wave_lanes;
}
unsigned heddle_wave_lanes() {
  return state.wave_lanes;
}

void heddle_barrier() {
  current_lane->predicate = 0;
  current_lane->source = 0;
  wait(Wait::barrier);
}

int heddle_barrier_vote(int predicate, int operation) {
  current_lane->predicate = predicate;
  current_lane->source = static_cast<std::uint32_t>(operation);
  wait(Wait::barrier);
  return static_cast<int>(current_lane->value);
}

void heddle_wave_barrier(unsigned long long mask) {
  wave_operation(Wait::wave_barrier, 0, 0, mask, __builtin_return_address(0));
}

unsigned long long heddle_exchange(unsigned long long value, unsigned source,
                                   unsigned long long mask) {
  return wave_operation(Wait::exchange, value, source, mask, __builtin_return_address(0));
}

unsigned long long heddle_ballot(int predicate, unsigned long long mask) {
  current_lane->predicate = predicate;
  return wave_operation(Wait::ballot, 0, 0, mask, __builtin_return_address(0));
}

unsigned long long heddle_active_mask() {
  current_lane->predicate = 1;
  return wave_operation(Wait::ballot, 0, 0, ~0ULL, __builtin_return_address(0));
}

unsigned long long heddle_clock() {
  return state.ticks += 16;
}

void heddle_stop(const char* reason) {
  fail(FaultKind::stopped, reason, last_site());
}
void heddle_stop_at_assert(const char* condition) {
  fail(FaultKind::stopped, std::string("an assert fails: ") + condition, last_site());
}
