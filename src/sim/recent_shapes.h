// Shapes that patterns by thread had lately, found without making a key.
//
//   for (j = 0; j < n; ++j) sum += a[j * n + i];      one pattern a round, another base each time
//     the same place of a line as before: the shape of the round before
//
// Rules
//   1. Per site there is one place for each element of a line that the base can lie at.
//   2. Only strided patterns are kept: no tables, flags or dense addresses.
//   3. Dense masks are compared byte by byte.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "sim/tile_trace.h"
#include "trace/pattern.h"

namespace heddle::sim {

class RecentShapes {
 public:
  RecentShapes(std::size_t sites, int line_bytes) : line_mask_(line_bytes - 1), sites_(sites) {}

  static bool keeps(const trace::AccessPattern& pattern) {
    if (!pattern.by_thread || pattern.addresses != nullptr) return false;
    for (int k = 0; k < pattern.axes; ++k) {
      const trace::PatternAxis& axis = pattern.axis[static_cast<std::size_t>(k)];
      if (axis.table != nullptr || axis.flags != nullptr) return false;
    }
    return true;
  }

  /// Null if there is none. `pattern` is one that is kept, with `elements` elements.
  const Shape* find(const trace::AccessPattern& pattern, std::int64_t elements) const {
    const std::vector<Recent>& places = sites_[static_cast<std::size_t>(pattern.site)];
    const std::size_t at = place_of(pattern);
    if (at >= places.size() || !is_alike(places[at], pattern, elements)) return nullptr;
    return places[at].shape;
  }

  void keep(const trace::AccessPattern& pattern, std::int64_t elements, const Shape* shape) {
    std::vector<Recent>& places = sites_[static_cast<std::size_t>(pattern.site)];
    const std::size_t at = place_of(pattern);
    if (at >= places.size()) places.resize(at + 1);
    Recent& recent = places[at];
    recent.shape = shape;
    recent.pattern = pattern;
    recent.mask.clear();
    if (pattern.active != nullptr) recent.mask.assign(pattern.active, pattern.active + elements);
  }

 private:
  struct Recent {
    const Shape* shape = nullptr;
    trace::AccessPattern pattern;    ///< its pointers are not followed
    std::vector<std::uint8_t> mask;  ///< empty: none
  };

  std::size_t place_of(const trace::AccessPattern& pattern) const {
    const auto within = static_cast<std::uint64_t>(pattern.base & line_mask_);
    return within >> std::countr_zero(static_cast<unsigned>(pattern.element_bytes));
  }

  bool is_alike(const Recent& recent, const trace::AccessPattern& pattern,
                std::int64_t elements) const {
    const trace::AccessPattern& known = recent.pattern;
    if (recent.shape == nullptr || known.axes != pattern.axes ||
        known.element_bytes != pattern.element_bytes ||
        ((known.base ^ pattern.base) & line_mask_) != 0 ||
        recent.mask.empty() != (pattern.active == nullptr))
      return false;
    for (std::size_t k = 0; k < static_cast<std::size_t>(pattern.axes); ++k) {
      const trace::PatternAxis& a = known.axis[k];
      const trace::PatternAxis& b = pattern.axis[k];
      if (a.extent != b.extent || a.stride != b.stride || a.first != b.first || a.last != b.last)
        return false;
    }
    return pattern.active == nullptr ||
           std::memcmp(recent.mask.data(), pattern.active, static_cast<std::size_t>(elements)) == 0;
  }

  std::int64_t line_mask_;
  std::vector<std::vector<Recent>> sites_;
};

}  // namespace heddle::sim
