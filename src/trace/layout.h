// Which lane of which wave holds which element of a block, as Triton's default layout has it.
//
//   load a[128, 64] of fp16, row pitch 16384 B, 4 waves of 64 lanes
//     order     1 0          axis 1 is contiguous: it comes first
//     elements  1 8          16 bytes a lane
//     lanes     8 8          8 lanes fill a row, 8 rows a wave
//     waves     4 1          one instruction of all waves covers 32 x 64; 4 of them the block
//
// Rules
//   1. Axes are ordered by contiguity, the largest first, ties by index.
//   2. A lane holds min(alignment in elements, contiguity, 16 bytes, elements / lanes of the block)
//      neighbours along the first axis: one vector. Contiguity is that of aligned groups, whose
//      size is a power of two; alignment is the largest power of two that divides the address of
//      every group.
//   3. Lanes fill the first axis, then the next; what is left over goes to the last axis. Then the
//      waves likewise.
//   4. Where lanes or waves are more than there are elements, the rest hold copies.
//   5. A pattern by thread has no layout to be found: only wave_lanes is set.
//
// Does not model: that Triton knows alignment at compile time only (here it is that of the block as
// it is; contiguity.h has what is known of contiguity), and the layouts of matrix units and of
// asynchronous copies.
#pragma once

#include <array>
#include <cstdint>

#include "trace/contiguity.h"
#include "trace/pattern.h"

namespace heddle::trace {

struct LayoutOptions {
  int waves = 4;                           ///< of a block: Triton's num_warps
  int wave_lanes = 32;                     ///< 32 or 64
  int vector_bytes = 16;                   ///< the widest load of one lane
  const ContiguityBound* bound = nullptr;  ///< what the compiler knows; null: all there is
  int lane_elements =
      1;  ///< neighbours that a lane holds at least, though it loads fewer at a time
  const ContiguityBound* mask = nullptr;  ///< neighbours that a mask treats alike; null: all
  /// Neighbours that a lane loads at a time, at most: what the compiler knows of alignment.
  std::int64_t most_elements = std::int64_t{1} << 40;
};

struct BlockedLayout {
  int axes = 0;
  std::array<int, kMaxAxes> order{};              ///< axes, fastest first
  std::array<std::int64_t, kMaxAxes> elements{};  ///< of one lane, per axis
  std::array<std::int64_t, kMaxAxes> lanes{};     ///< of one wave, per axis
  std::array<std::int64_t, kMaxAxes> waves{};     ///< of the block, per axis
  int wave_lanes = 32;
  int parts = 1;  ///< instructions that a lane needs for its neighbours: vectors may be narrower
};

/// Throws Error unless waves and lanes are powers of two (by thread: any number of waves).
BlockedLayout blocked_layout(const AccessPattern& pattern, const LayoutOptions& options);

}  // namespace heddle::trace
