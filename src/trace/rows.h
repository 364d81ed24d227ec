// The rows of a strided block: equal runs of bytes at regular distances, ascending and apart.
//
//   a[32, 128] of fp32, row pitch 8192 B: run_bytes 512, one axis {stride 8192, extent 32}
//   a[128, 64] of fp16, row pitch 128 B:  run_bytes 16384, no axes
//
// Rules
//   1. The runs are disjoint and visited in ascending order; neighbours may touch.
//   2. Broadcast axes are gone, negative strides turned round, axes that continue or overlap one
//      another merged.
//
// Does not model: blocks with tables, flags, dense addresses or masks, and rows that interleave or
// overlap in other ways; make_rows says so.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "trace/pattern.h"

namespace heddle::trace {

struct RowAxis {
  std::uint64_t stride = 0;
  std::uint64_t extent = 1;
};

struct Rows {
  std::uint64_t base = 0;
  std::uint64_t run_bytes = 0;
  std::uint64_t count = 0;  ///< runs; 0: nothing is active
  int axes = 0;
  std::array<RowAxis, kMaxAxes> axis;  ///< smallest stride first
};

/// False where the active elements are no such rows.
bool make_rows(const AccessPattern& pattern, Rows& rows);

/// Calls visit(address) for every run.
template <class Visit>
inline void for_each_row(const Rows& rows, Visit visit) {
  if (rows.count == 0) return;
  if (rows.axes == 0) return visit(rows.base);
  const RowAxis inner = rows.axis[0];
  std::array<std::uint64_t, kMaxAxes> index{};
  std::uint64_t start = rows.base;
  while (true) {
    std::uint64_t address = start;
    for (std::uint64_t i = 0; i < inner.extent; ++i, address += inner.stride) visit(address);
    int k = 1;
    for (; k < rows.axes; ++k) {
      const RowAxis& axis = rows.axis[static_cast<std::size_t>(k)];
      std::uint64_t& position = index[static_cast<std::size_t>(k)];
      start += axis.stride;
      if (++position < axis.extent) break;
      start -= axis.stride * axis.extent;
      position = 0;
    }
    if (k == rows.axes) return;
  }
}

}  // namespace heddle::trace
