// What the waves of a block ask the first cache for: one request per wave instruction and line.
//
//   load a[32, 32] of fp16, row pitch 16384 B, 4 waves of 64 lanes, lines of 128 B
//     a lane holds 4 elements (8 B), 8 lanes a row of 64 B, a wave 8 rows:
//     4 wave instructions x 8 requests, each for 2 of the 4 sectors of its line
//
// Rules
//   1. A wave instruction moves one vector per lane. Its number is step * waves + wave: the waves
//   of
//      a block go through the steps together, the layout's first axis fastest.
//   2. Within a wave instruction a line is asked for once, in ascending order, with the sectors (of
//      32 B) that its active elements touch.
//   3. Lanes and waves that hold copies ask for nothing. A wave instruction without an active lane
//      makes no request.
//   4. A scalar access is one wave instruction with one lane.
//   5. Patterns by thread (C++ kernels) are those of wave_requests.h, a whole wave at a time.
//
// Does not model: that each wave of some GPUs loads scalars and copies by itself, and requests that
// are split when they cross banks.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/layout.h"
#include "trace/pattern.h"

namespace heddle::trace {

inline constexpr int kSectorBytes = 32;

struct Request {
  std::uint64_t line = 0;     ///< address of the line's first byte
  std::uint32_t sectors = 0;  ///< bit i: bytes 32 i .. 32 i + 31 of the line
  std::int32_t wave_instruction = 0;
  friend bool operator==(const Request&, const Request&) = default;
};

/// Throws Error where a request cannot be for a line of that size.
void check_line_bytes(int line_bytes);

/// Appends the requests of one memory instruction. `line_bytes` is a power of two, 32 to 1024.
void append_requests(const AccessPattern& pattern, const BlockedLayout& layout, int line_bytes,
                     std::vector<Request>& requests);

}  // namespace heddle::trace
