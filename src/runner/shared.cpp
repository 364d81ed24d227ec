#include "runner/shared.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace heddle::runner {

bool is_shared_watched = false;

namespace {

constexpr std::uint16_t kNobody = 0xffff;
constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 20;  ///< no chip has more

/// Of a byte. Times are numbers of barriers since the process began.
struct Byte {
  std::uint32_t written = 0;
  std::uint32_t read = 0;
  std::uint16_t writer = kNobody;  ///< of plain writes
  std::uint16_t reader = kNobody;
  bool is_of_array = false;
};

struct State {
  std::vector<Byte> bytes;
  std::vector<SharedArray> arrays;
  std::uint64_t begin = 0;
  std::uint32_t wave_lanes = 64;
  char* watched = nullptr;
  std::uint32_t now = 1;
  std::uint32_t tile_began = 1;
  SharedFault faults[kSharedFaults];
};

State state;

/// The array that an address lies in or behind.
const SharedArray* array_at(std::uint64_t address) {
  const SharedArray* found = nullptr;
  for (const SharedArray& one : state.arrays)
    if (one.address <= address && (found == nullptr || one.address > found->address)) found = &one;
  return found;
}

void record(SharedFaultKind kind, SharedUse use, std::uint64_t address, std::uint32_t site,
            std::uint32_t lane, std::uint32_t other) {
  SharedFault& fault = state.faults[static_cast<std::size_t>(kind)];
  if (fault.count++ > 0) return;
  fault.site = site;
  fault.is_write = use == SharedUse::read ? 0 : 1;
  fault.lane = lane;
  fault.other = other;
  const SharedArray* const array = array_at(address);
  if (array == nullptr) return;
  fault.byte = address - array->address;
  fault.array_bytes = array->bytes;
  std::strncpy(fault.name, array->name, sizeof fault.name - 1);
}

bool is_of_other_wave(std::uint16_t one, std::uint32_t lane) {
  return one != kNobody && one / state.wave_lanes != lane / state.wave_lanes;
}

}  // namespace

void set_up_shared(std::uint64_t begin, std::uint64_t end, const SharedArray* arrays, char* watched,
                   std::uint32_t wave_lanes) {
  state.begin = begin;
  state.watched = watched;
  state.wave_lanes = std::max<std::uint32_t>(1, wave_lanes);
  const bool is_usual = arrays != nullptr && watched != nullptr && end - begin <= kMostBytes;
  state.bytes.resize(is_usual ? end - begin : 0);
  if (state.bytes.empty()) return;
  for (; arrays->address != 0; ++arrays) {
    if (arrays->address < begin || arrays->bytes > end - arrays->address) continue;
    state.arrays.push_back(*arrays);
    for (std::uint64_t k = 0; k < arrays->bytes; ++k)
      state.bytes[arrays->address - begin + k].is_of_array = true;
  }
}

void begin_shared(bool is_watched) {
  is_shared_watched = is_watched && !state.arrays.empty();
  if (state.watched != nullptr) *state.watched = is_shared_watched ? 1 : 0;
  state.tile_began = ++state.now;
  for (SharedFault& fault : state.faults) fault = {};
}

void end_shared(TileEnd& end) {
  std::copy(std::begin(state.faults), std::end(state.faults), std::begin(end.shared));
}

void pass_shared_barrier() {
  ++state.now;
}

void note_shared(SharedUse use, std::uint64_t address, std::uint64_t bytes, std::uint32_t site,
                 std::uint32_t lane) {
  const std::uint64_t first = address - state.begin;
  if (first >= state.bytes.size()) return;
  const std::uint64_t last = std::min<std::uint64_t>(first + bytes, state.bytes.size());
  bool is_inside = last == first + bytes;
  bool is_written = false;
  std::uint32_t other = kNobody;
  for (std::uint64_t k = first; k < last; ++k) {
    Byte& byte = state.bytes[k];
    is_inside = is_inside && byte.is_of_array;
    is_written = is_written || byte.written >= state.tile_began;
    if (use == SharedUse::read) {
      if (byte.written == state.now && is_of_other_wave(byte.writer, lane)) other = byte.writer;
      byte.read = state.now;
      byte.reader = static_cast<std::uint16_t>(lane);
    } else {
      if (use == SharedUse::write && byte.read == state.now && is_of_other_wave(byte.reader, lane))
        other = byte.reader;
      byte.written = state.now;
      byte.writer = use == SharedUse::write ? static_cast<std::uint16_t>(lane) : kNobody;
    }
  }
  if (!is_inside) return record(SharedFaultKind::beyond, use, address, site, lane, kNobody);
  if (use == SharedUse::read && !is_written)
    record(SharedFaultKind::unwritten, use, address, site, lane, kNobody);
  if (other != kNobody) record(SharedFaultKind::race, use, address, site, lane, other);
}

}  // namespace heddle::runner
