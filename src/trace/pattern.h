// One memory instruction of one tile: which addresses, which of them active.
//
//   load a[128, 64] of fp16, row pitch 16384 B, all active:
//     base 0x7f00_0000_0000   axis 0: extent 128 stride 16384   axis 1: extent 64 stride 2
//
// Rules
//   1. The address of element (i0, i1, ...) is base + sum of axis k's offset at ik, where that is
//      table[ik] if there is a table and stride * ik otherwise; or addresses[row-major index] if
//      `addresses` is set.
//   2. It is active if every axis is active at ik (first <= ik < last, and flags[ik] where there
//      are flags) and, where `active` is set, active[row-major index] is true.
//   3. Of a C++ kernel (by_thread) the axes are those of the block's threads, z, y, x, without
//   those
//      of extent 1 (of a block of one thread, one axis of extent 1); element_bytes is what a thread
//      moves: 1, 2, 4, 8 or 16.
//   4. Spans stay valid until the tracer goes on to the next instruction; a sink that wants more
//      copies it.
#pragma once

#include <array>
#include <cstdint>

namespace heddle::trace {

inline constexpr int kMaxAxes = 8;

struct PatternAxis {
  std::int64_t extent = 1;
  std::int64_t stride = 0;              ///< bytes
  const std::int64_t* table = nullptr;  ///< bytes; extent entries
  std::int64_t first = 0;               ///< active from here
  std::int64_t last = 1;                ///< to before here
  const std::uint8_t* flags = nullptr;  ///< extent entries, 0 = inactive
};

struct AccessPattern {
  std::int32_t site = 0;     ///< index into KernelProgram::sites
  std::int32_t tensor = -1;  ///< index into Launch::tensors; -1: not known
  std::int32_t element_bytes = 1;
  int axes = 0;               ///< 0: a scalar access at base, active if `scalar_active`
  bool scalar_active = true;  ///< false: nothing is active, whatever the axes say
  bool by_thread = false;     ///< element i (row-major) is what thread i of the block does
  std::int64_t entries = 0;   ///< of counted loops of a Triton kernel, so far in the tile
  std::int64_t base = 0;
  std::array<PatternAxis, kMaxAxes> axis;
  const std::int64_t* addresses = nullptr;  ///< dense: one per element, base not added
  const std::uint8_t* active = nullptr;     ///< dense: one per element, 0 = inactive

  std::int64_t elements() const {
    std::int64_t result = 1;
    for (int k = 0; k < axes; ++k) result *= axis[static_cast<std::size_t>(k)].extent;
    return result;
  }
};

/// Receives every memory instruction of a tile in program order.
class AccessSink {
 public:
  virtual ~AccessSink() = default;
  virtual void access(const AccessPattern& pattern) = 0;
};

}  // namespace heddle::trace
