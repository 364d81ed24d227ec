// What the waves of a C++ kernel's block ask the first cache for: thread i of the block does
// element i, so no layout has to be found.
//
//   a[i] of 256 threads, fp64, lines of 64 B, 64 lanes, 4 lanes at once
//     4 wave instructions x 8 requests, one for each line
//     64 accesses: a lookup takes 4 lanes, 32 B, so every line is looked up twice
//
// Rules
//   1. Wave w is threads w * lanes to (w + 1) * lanes - 1, and wave instruction w. One without an
//      active lane asks for nothing.
//   2. A wave instruction asks for a line once, lines in ascending order, with the sectors that its
//      active lanes touch. A lane whose bytes lie on two lines asks for both.
//   3. A lookup takes lanes_at_once neighbouring lanes and one line. Accesses are lookups: those of
//      a line beyond the first of its wave instruction find it there.
//   4. With one_by_one a line is asked for as often as the most lanes on one of its addresses:
//      lanes on other addresses of it go along. The same holds for lookups.
//
// Does not model: a line that is thrown out between two lookups of one wave instruction.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/coalesce.h"
#include "trace/pattern.h"

namespace heddle::trace {

struct WaveOptions {
  int lanes = 64;  ///< of a wave
  int line_bytes = 128;
  int lanes_at_once = 0;    ///< that a lookup takes; 0: a whole wave
  bool one_by_one = false;  ///< lanes on one address take turns: atomics of AMD
};

struct WaveTotals {
  std::int64_t instructions = 0;  ///< waves with an active lane
  std::int64_t accesses = 0;
  bool uniform = true;  ///< the active lanes of every wave have one address
};

/// Appends the requests of one memory instruction. `line_bytes` is a power of two, 32 to 1024.
WaveTotals append_wave_requests(const AccessPattern& pattern, const WaveOptions& options,
                                std::vector<Request>& requests);

}  // namespace heddle::trace
