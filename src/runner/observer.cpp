#include "runner/observer.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "heddle/abi.h"
#include "runner/lanes.h"
#include "runner/loops.h"
#include "runner/output.h"
#include "runner/regular.h"
#include "runner/shared.h"

namespace heddle::runner {
namespace {

constexpr std::size_t kMostUndo = std::size_t{16} << 20;  ///< writes of a tile
constexpr std::size_t kAllEntries = std::size_t{64} << 10;
constexpr std::size_t kMostEntries = 1024;  ///< of a lane
constexpr std::size_t kLeastEntries = 64;
constexpr int kSiteShift = kMostAddressBits;
constexpr std::uint64_t kOffsetBits = (std::uint64_t{1} << kSiteShift) - 1;

/// A lane's accesses that are not grouped yet: site and offset in the window.
struct LaneList {
  std::uint64_t* entries = nullptr;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t count() const { return last - first; }
  std::uint32_t site(std::uint32_t k) const {
    return static_cast<std::uint32_t>(entries[first + k] >> kSiteShift);
  }
};

struct Undo {
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint64_t old[2];
};

struct State {
  std::vector<LaneList> lists;
  std::vector<std::uint64_t> entries;
  std::uint32_t capacity = 0;
  Loops loops;
  Regular regular;
  std::unique_ptr<Undo[]> undo;
  std::size_t undos = 0;
  std::size_t undo_room = 0;
  std::vector<std::uint32_t> players;  ///< lanes with accesses to group
  std::vector<std::uint64_t> addresses;
  std::vector<std::uint32_t> chosen;
  std::vector<char> variables;  ///< as they were at first
  std::uint64_t shared_begin = 0;
  std::uint64_t shared_end = 0;
  std::uint64_t variables_begin = 0;
  std::uint64_t variables_end = 0;
  TileEnd counts;
};

State state;

// What every access touches, apart from the rest.
/// Reads that are reported, where not all are.
struct Watched {
  std::uint64_t first;  ///< offset in the window
  std::uint64_t bytes;
};

std::uint64_t window_bytes = 0;
bool all_reads = true;
std::vector<Watched> watched;
LaneList* list = nullptr;
bool traced = false;
std::uint32_t other_site = kMostSites;
bool last_was_other = false;

void put_access(std::uint32_t site, std::span<const std::uint32_t> lanes) {
  const Regular::Found found = state.regular.find(lanes, state.addresses);
  Access access;
  access.site = site;
  access.regular = found.is_regular ? 1 : 0;
  access.active = static_cast<std::uint32_t>(lanes.size());
  const std::uint32_t all = lane_count();
  if (lanes.size() == all) {
    access.mask = Mask::all;
  } else if (lanes.back() - lanes.front() + 1 == lanes.size()) {
    access.mask = Mask::range;
    access.first = static_cast<std::uint16_t>(lanes.front());
    access.last = static_cast<std::uint16_t>(lanes.back() + 1);
  } else {
    access.mask = Mask::bits;
  }
  access.base = found.base + static_cast<std::int64_t>(kWindow);
  std::copy(std::begin(found.stride), std::end(found.stride), std::begin(access.stride));
  std::uint64_t words[kMostThreads / 64] = {};
  const std::size_t word_count = access.mask == Mask::bits ? (all + 63) / 64 : 0;
  if (word_count > 0)
    for (const std::uint32_t lane : lanes) words[lane / 64] |= std::uint64_t{1} << lane % 64;
  const std::size_t address_count = found.is_regular ? 0 : lanes.size();
  access.bytes = static_cast<std::uint32_t>(8 * (word_count + address_count));
  put(&access, sizeof access);
  put(words, 8 * word_count);
  for (std::size_t k = 0; k < address_count; ++k) {
    const std::uint64_t address = state.addresses[k] + kWindow;
    put(&address, sizeof address);
  }
}

/// The accesses that all players make in step; how many it grouped.
std::uint32_t group_in_step(std::uint32_t most) {
  for (std::uint32_t k = 0; k < most; ++k) {
    const std::uint32_t site = state.lists[state.players.front()].site(k);
    std::size_t player = 0;
    for (; player < state.players.size(); ++player) {
      const LaneList& one = state.lists[state.players[player]];
      const std::uint64_t entry = one.entries[one.first + k];
      if (entry >> kSiteShift != site) break;
      state.addresses[player] = entry & kOffsetBits;
    }
    if (player < state.players.size()) return k;
    state.loops.advance_together(state.players, site);
    put_access(site, state.players);
  }
  return most;
}

/// The access of the lanes that are furthest behind.
void group_one() {
  std::uint32_t behind = state.players.front();
  for (const std::uint32_t lane : state.players)
    if (state.loops.is_behind(lane, state.lists[lane].site(0), behind, state.lists[behind].site(0)))
      behind = lane;
  const std::uint32_t site = state.lists[behind].site(0);
  state.chosen.clear();
  for (const std::uint32_t lane : state.players) {
    if (state.lists[lane].site(0) != site ||
        state.loops.is_behind(behind, site, lane, state.lists[lane].site(0)))
      continue;
    LaneList& one = state.lists[lane];
    state.addresses[state.chosen.size()] = one.entries[one.first++] & kOffsetBits;
    state.chosen.push_back(lane);
  }
  for (const std::uint32_t lane : state.chosen) state.loops.advance(lane, site);
  put_access(site, state.chosen);
}

/// A lane that may still do something before the others can be grouped past it.
bool is_open(const Lane& lane) {
  return !lane.done && lane.wait != Wait::barrier;
}

inline bool note(const volatile void* pointer, std::uint32_t site) {
  const std::uint64_t offset = reinterpret_cast<std::uint64_t>(pointer) - kWindow;
  if (offset >= window_bytes) [[unlikely]] {
    other_site = site;
    last_was_other = true;
    ++state.counts.other_accesses;
    return false;
  }
  if (!traced) return true;
  last_was_other = false;
  if (list->last == state.capacity) [[unlikely]]
    wait_for_room();
  list->entries[list->last++] = offset | std::uint64_t{site} << kSiteShift;
  return true;
}

[[gnu::noinline]] void note_other(SharedUse use, const volatile void* pointer, std::uint64_t bytes,
                                  std::uint32_t site) {
  note_shared(use, reinterpret_cast<std::uint64_t>(pointer), bytes, site, current_number());
}

[[gnu::noinline]] void make_undo_room() {
  if (state.undo_room == kMostUndo)
    fail(FaultKind::too_much, "a tile writes more than 16 million times", last_site());
  state.undo_room = std::max<std::size_t>(1024, 2 * state.undo_room);
  std::unique_ptr<Undo[]> larger(new Undo[state.undo_room]);
  std::copy_n(state.undo.get(), state.undos, larger.get());
  state.undo = std::move(larger);
}

template <unsigned kBytes>
inline void keep_old(const volatile void* pointer) {
  if (!traced) return;
  if (state.undos == state.undo_room) [[unlikely]]
    make_undo_room();
  Undo& undo = state.undo[state.undos++];
  undo.address = reinterpret_cast<std::uint64_t>(pointer);
  undo.bytes = kBytes;
  std::memcpy(undo.old, const_cast<const void*>(pointer), kBytes);
}

template <unsigned kBytes>
inline void note_read(const volatile void* pointer, std::uint32_t site) {
  if (is_shared_watched) [[unlikely]]
    note_other(SharedUse::read, pointer, kBytes, site);
  if (all_reads) [[likely]] {
    note(pointer, site);
    return;
  }
  const std::uint64_t offset = reinterpret_cast<std::uint64_t>(pointer) - kWindow;
  for (const Watched& range : watched) {
    if (offset - range.first >= range.bytes) continue;
    note(pointer, site);
    return;
  }
}

template <unsigned kBytes, SharedUse kUse = SharedUse::write>
inline void note_write(const volatile void* pointer, std::uint32_t site) {
  if (note(pointer, site)) return keep_old<kBytes>(pointer);
  if (is_shared_watched) [[unlikely]]
    note_other(kUse, pointer, kBytes, site);
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  if (address >= state.variables_begin && address < state.variables_end)
    ++state.counts.variable_writes;
}

}  // namespace

void set_up_observer(const ObserverSetup& setup) {
  window_bytes = setup.window_bytes;
  const std::size_t lanes = lane_count();
  state.capacity =
      static_cast<std::uint32_t>(std::clamp(kAllEntries / lanes, kLeastEntries, kMostEntries));
  const std::size_t pitch = state.capacity + 8;  // lists do not all begin in one set of a cache
  state.entries.resize(lanes * pitch);
  state.lists.resize(lanes);
  for (std::size_t k = 0; k < lanes; ++k) state.lists[k].entries = &state.entries[k * pitch];
  state.addresses.resize(lanes);
  state.loops.set_up(setup.loops, setup.sites.size(), lanes);
  state.regular.set_up(setup.threads);
}

void set_up_sections(std::uint64_t shared_begin, std::uint64_t shared_end,
                     std::uint64_t variables_begin, std::uint64_t variables_end) {
  state.shared_begin = shared_begin;
  state.shared_end = shared_end;
  state.variables_begin = variables_begin;
  state.variables_end = variables_end;
  const auto* const begin = reinterpret_cast<const char*>(variables_begin);
  state.variables.assign(begin, begin + (variables_end - variables_begin));
}

void watch_all_reads() {
  all_reads = true;
  watched.clear();
}

void watch_no_reads() {
  all_reads = false;
  watched.clear();
}

void watch_reads(std::uint64_t begin, std::uint64_t end) {
  all_reads = false;
  watched.push_back({begin - kWindow, end - begin});
}

void begin_tile(bool is_traced, bool watches_shared) {
  traced = is_traced;
  begin_shared(watches_shared);
  state.counts = {};
  for (LaneList& one : state.lists) one.first = one.last = 0;
  state.loops.forget();
  // Shared memory holds nothing in particular when a block begins.
  std::memset(reinterpret_cast<void*>(state.shared_begin), 0xff,
              state.shared_end - state.shared_begin);
}

TileEnd end_tile() {
  for (std::size_t k = state.undos; k-- > 0;) {
    const Undo& undo = state.undo[k];
    std::memcpy(reinterpret_cast<void*>(undo.address), undo.old, undo.bytes);
  }
  state.undos = 0;
  if (traced && state.counts.variable_writes > 0)
    std::memcpy(reinterpret_cast<void*>(state.variables_begin), state.variables.data(),
                state.variables.size());
  state.counts.barriers = barriers_passed();
  end_shared(state.counts);
  return state.counts;
}

void group_accesses(bool all) {
  while (true) {
    state.players.clear();
    std::uint32_t most = ~0U;
    for (std::uint32_t lane = 0; lane < state.lists.size(); ++lane) {
      const std::uint32_t count = state.lists[lane].count();
      if (count == 0) {
        if (!all && is_open(runner::lane(lane))) return;
        continue;
      }
      state.players.push_back(lane);
      most = std::min(most, count);
    }
    if (state.players.empty()) return;
    const std::uint32_t grouped = group_in_step(most);
    for (const std::uint32_t lane : state.players) state.lists[lane].first += grouped;
    state.counts.accesses += std::uint64_t{grouped} * state.players.size();
    if (grouped == most) continue;
    group_one();
    state.counts.accesses += state.chosen.size();
  }
}

void select_lane(std::uint32_t number) {
  list = &state.lists[number];
}

bool has_room(std::uint32_t number) {
  LaneList& one = state.lists[number];
  if (one.first == 0) return one.last < state.capacity;
  std::memmove(one.entries, one.entries + one.first, one.count() * sizeof one.entries[0]);
  one.last -= one.first;
  one.first = 0;
  return true;
}

void forget_loops() {
  state.loops.forget();
  pass_shared_barrier();
}

std::uint32_t last_site() {
  if (last_was_other || list == nullptr || list->last == 0) return other_site;
  return static_cast<std::uint32_t>(list->entries[list->last - 1] >> kSiteShift);
}

}  // namespace heddle::runner

using namespace heddle::runner;

// The calls that the compiler step puts in front of every access; see kernel/cxx/assembly.h.
#define HEDDLE_OBSERVE(bytes)                                                              \
  extern "C" void heddle_load##bytes(const volatile void* pointer, std::uint32_t site) {   \
    note_read<bytes>(pointer, site);                                                       \
  }                                                                                        \
  extern "C" void heddle_store##bytes(const volatile void* pointer, std::uint32_t site) {  \
    note_write<bytes>(pointer, site);                                                      \
  }                                                                                        \
  extern "C" void heddle_change##bytes(const volatile void* pointer, std::uint32_t site) { \
    note_write<bytes, SharedUse::change>(pointer, site);                                   \
  }
HEDDLE_OBSERVE(1)
HEDDLE_OBSERVE(2)
HEDDLE_OBSERVE(4)
HEDDLE_OBSERVE(8)
HEDDLE_OBSERVE(16)
#undef HEDDLE_OBSERVE

namespace {

/// Notes the pieces of 16, 4 and 1 B that a copy moves.
template <bool kWrites>
void note_pieces(const void* pointer, std::size_t count, std::uint32_t site) {
  const auto* at = static_cast<const char*>(pointer);
  for (; count >= 16; count -= 16, at += 16)
    kWrites ? note_write<16>(at, site) : note_read<16>(at, site);
  for (; count >= 4; count -= 4, at += 4)
    kWrites ? note_write<4>(at, site + 1) : note_read<4>(at, site + 1);
  for (; count >= 1; --count, ++at)
    kWrites ? note_write<1>(at, site + 2) : note_read<1>(at, site + 2);
}

}  // namespace

extern "C" void* heddle_memmove(void* to, const void* from, std::size_t count, std::uint32_t site) {
  note_pieces<false>(from, count, site);
  note_pieces<true>(to, count, site + 3);
  return std::memmove(to, from, count);
}
extern "C" void* heddle_memcpy(void* to, const void* from, std::size_t count, std::uint32_t site) {
  return heddle_memmove(to, from, count, site);
}
extern "C" void* heddle_memset(void* to, int value, std::size_t count, std::uint32_t site) {
  note_pieces<true>(to, count, site + 3);
  return std::memset(to, value, count);
}
extern "C" void __asan_handle_no_return() {}
