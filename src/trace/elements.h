// Walks the active elements of a pattern one by one: the slow way, for tables, dense addresses and
// masks.
//
// Rules
//   1. visit(address) is called for every active element in row-major order.
//   2. Only indices within every axis' first..last are looked at.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "trace/pattern.h"

namespace heddle::trace {

/// The active elements of an axis lie in [first, last); empty where first >= last.
struct ActiveRange {
  std::int64_t first = 0;
  std::int64_t last = 1;
};

inline ActiveRange active_range(const PatternAxis& axis) {
  return {std::max<std::int64_t>(axis.first, 0), std::min(axis.last, axis.extent)};
}

/// Byte offset of index i along an axis. Unsigned: a wild stride wraps instead of overflowing.
inline std::uint64_t axis_offset(const PatternAxis& axis, std::int64_t i) {
  return axis.table != nullptr
             ? static_cast<std::uint64_t>(axis.table[i])
             : static_cast<std::uint64_t>(axis.stride) * static_cast<std::uint64_t>(i);
}

template <class Visit>
void for_each_active(const AccessPattern& pattern, Visit visit) {
  if (!pattern.scalar_active) return;
  struct Walk {
    const AccessPattern& pattern;
    Visit& visit;

    void step(int k, std::int64_t index, std::uint64_t address) {
      if (k == pattern.axes) {
        if (pattern.active != nullptr && pattern.active[index] == 0) return;
        visit(pattern.addresses != nullptr ? static_cast<std::uint64_t>(pattern.addresses[index])
                                           : address);
        return;
      }
      const PatternAxis& axis = pattern.axis[static_cast<std::size_t>(k)];
      const ActiveRange range = active_range(axis);
      for (std::int64_t i = range.first; i < range.last; ++i) {
        if (axis.flags != nullptr && axis.flags[i] == 0) continue;
        step(k + 1, index * axis.extent + i, address + axis_offset(axis, i));
      }
    }
  };
  Walk{pattern, visit}.step(0, 0, static_cast<std::uint64_t>(pattern.base));
}

}  // namespace heddle::trace
