#include "trace/rows.h"

#include <algorithm>

namespace heddle::trace {
namespace {

// Beyond these, spans could pass 64 bits; no real block comes near.
constexpr std::uint64_t kLargestStride = std::uint64_t{1} << 40;
constexpr std::uint64_t kLargestExtent = std::uint64_t{1} << 20;

/// Keeps the axes sorted by stride while they are gathered: there are few of them.
void insert_axis(Rows& rows, RowAxis added) {
  int at = rows.axes++;
  for (; at > 0 && rows.axis[static_cast<std::size_t>(at - 1)].stride > added.stride; --at)
    rows.axis[static_cast<std::size_t>(at)] = rows.axis[static_cast<std::size_t>(at - 1)];
  rows.axis[static_cast<std::size_t>(at)] = added;
}

/// The active part of every axis, sorted, broadcast axes dropped; false if not strided.
bool gather_axes(const AccessPattern& pattern, Rows& rows) {
  rows.base = static_cast<std::uint64_t>(pattern.base);
  for (int k = 0; k < pattern.axes; ++k) {
    const PatternAxis& axis = pattern.axis[static_cast<std::size_t>(k)];
    if (axis.table != nullptr || axis.flags != nullptr) return false;
    const std::int64_t first = std::max<std::int64_t>(axis.first, 0);
    const std::int64_t last = std::min(axis.last, axis.extent);
    if (first >= last) {
      rows.count = 0;
      rows.axes = 0;
      return true;
    }
    const auto stride = static_cast<std::uint64_t>(axis.stride);
    const auto extent = static_cast<std::uint64_t>(last - first);
    rows.base += stride * static_cast<std::uint64_t>(first);
    if (axis.stride == 0 || extent == 1) continue;
    const std::uint64_t distance = axis.stride < 0 ? std::uint64_t{0} - stride : stride;
    if (distance > kLargestStride || extent > kLargestExtent) return false;
    if (axis.stride < 0) rows.base += stride * (extent - 1);
    insert_axis(rows, {distance, extent});
  }
  return true;
}

/// Merges sorted axes into the run, then into one another; false if what is left overlaps.
bool merge_axes(Rows& rows) {
  const int gathered = rows.axes;
  rows.axes = 0;
  std::uint64_t span = rows.run_bytes;
  for (int k = 0; k < gathered; ++k) {
    const RowAxis next = rows.axis[static_cast<std::size_t>(k)];
    if (rows.axes == 0) {
      if (next.stride <= rows.run_bytes) {
        rows.run_bytes += next.stride * (next.extent - 1);
        span = rows.run_bytes;
        continue;
      }
    } else {
      RowAxis& last = rows.axis[static_cast<std::size_t>(rows.axes - 1)];
      if (next.stride <= last.stride * last.extent && next.stride % last.stride == 0) {
        const std::uint64_t steps = next.stride / last.stride * (next.extent - 1);
        last.extent += steps;
        span += last.stride * steps;
        continue;
      }
      if (next.stride < span) return false;
    }
    rows.axis[static_cast<std::size_t>(rows.axes++)] = next;
    span += next.stride * (next.extent - 1);
  }
  for (int k = 0; k < rows.axes; ++k) rows.count *= rows.axis[static_cast<std::size_t>(k)].extent;
  return true;
}

}  // namespace

bool make_rows(const AccessPattern& pattern, Rows& rows) {
  rows.axes = 0;
  rows.count = pattern.scalar_active ? 1 : 0;
  if (rows.count == 0) return true;
  if (pattern.addresses != nullptr || pattern.active != nullptr) return false;
  rows.run_bytes = static_cast<std::uint64_t>(pattern.element_bytes);
  return gather_axes(pattern, rows) && (rows.count == 0 || merge_axes(rows));
}

}  // namespace heddle::trace
