#include "trace/layout.h"

#include <algorithm>
#include <bit>

#include "support/error.h"
#include "trace/elements.h"

namespace heddle::trace {
namespace {

std::int64_t largest_power_dividing(std::int64_t value, std::int64_t limit) {
  if (value == 0) return limit;
  const std::uint64_t bits = static_cast<std::uint64_t>(value);
  const std::uint64_t power = bits & (std::uint64_t{0} - bits);
  return static_cast<std::int64_t>(std::min(power, static_cast<std::uint64_t>(limit)));
}

/// The largest power of two c <= extent so that offset_at(i), in every aligned group of c, goes up
/// by one element at a time.
template <class OffsetAt>
std::int64_t contiguity_of(std::int64_t extent, std::int64_t element_bytes, OffsetAt offset_at) {
  std::int64_t contiguity = largest_power_dividing(extent, extent);
  for (std::int64_t i = 1; i < extent && contiguity > 1; ++i) {
    const std::uint64_t step = offset_at(i) - offset_at(i - 1);
    if (step != static_cast<std::uint64_t>(element_bytes))
      contiguity = std::min(contiguity, largest_power_dividing(i, extent));
  }
  return contiguity;
}

/// Rows of a dense block along axis k: how many elements lie between neighbours of that axis.
std::int64_t inner_elements(const AccessPattern& pattern, int k) {
  std::int64_t result = 1;
  for (int j = k + 1; j < pattern.axes; ++j)
    result *= pattern.axis[static_cast<std::size_t>(j)].extent;
  return result;
}

std::int64_t dense_contiguity(const AccessPattern& pattern, int k) {
  const std::int64_t extent = pattern.axis[static_cast<std::size_t>(k)].extent;
  const std::int64_t step = inner_elements(pattern, k);
  const std::int64_t elements = pattern.elements();
  std::int64_t contiguity = largest_power_dividing(extent, extent);
  for (std::int64_t outer = 0; outer < elements && contiguity > 1; outer += extent * step) {
    for (std::int64_t inner = 0; inner < step && contiguity > 1; ++inner) {
      const std::int64_t* row = pattern.addresses + outer + inner;
      contiguity = std::min(contiguity, contiguity_of(extent, pattern.element_bytes, [&](auto i) {
                              return static_cast<std::uint64_t>(row[i * step]);
                            }));
    }
  }
  return contiguity;
}

std::int64_t axis_contiguity(const AccessPattern& pattern, int k) {
  if (pattern.addresses != nullptr) return dense_contiguity(pattern, k);
  const PatternAxis& axis = pattern.axis[static_cast<std::size_t>(k)];
  if (axis.table != nullptr) {
    return contiguity_of(axis.extent, pattern.element_bytes,
                         [&](std::int64_t i) { return axis_offset(axis, i); });
  }
  if (axis.stride != pattern.element_bytes) return 1;
  return largest_power_dividing(axis.extent, axis.extent);
}

/// The largest power of two up to `limit` that divides the address of every group of `contiguity`
/// elements along axis k.
std::int64_t group_alignment(const AccessPattern& pattern, int k, std::int64_t contiguity,
                             std::int64_t limit) {
  std::int64_t bits = 0;
  if (pattern.addresses != nullptr) {
    const std::int64_t extent = pattern.axis[static_cast<std::size_t>(k)].extent;
    const std::int64_t step = inner_elements(pattern, k);
    const std::int64_t elements = pattern.elements();
    for (std::int64_t i = 0; i < elements; ++i) {
      if (i / step % extent % contiguity == 0) bits |= pattern.addresses[i];
    }
    return largest_power_dividing(bits, limit);
  }
  // Every sum of offsets occurs, so the first address and the differences decide.
  auto origin = static_cast<std::uint64_t>(pattern.base);
  for (int j = 0; j < pattern.axes; ++j) {
    const PatternAxis& axis = pattern.axis[static_cast<std::size_t>(j)];
    const std::int64_t group = j == k ? contiguity : 1;
    if (axis.table != nullptr) {
      const auto first = static_cast<std::uint64_t>(axis.table[0]);
      origin += first;
      for (std::int64_t i = 0; i < axis.extent; i += group)
        bits |= static_cast<std::int64_t>(static_cast<std::uint64_t>(axis.table[i]) - first);
    } else if (axis.extent > group) {
      bits |= static_cast<std::int64_t>(static_cast<std::uint64_t>(axis.stride) *
                                        static_cast<std::uint64_t>(group));
    }
  }
  return largest_power_dividing(bits | static_cast<std::int64_t>(origin), limit);
}

void check_options(const LayoutOptions& options) {
  const auto is_power = [](int value) {
    return value > 0 && std::has_single_bit(static_cast<unsigned>(value));
  };
  if (!is_power(options.waves) || !is_power(options.wave_lanes) || !is_power(options.vector_bytes))
    throw Error("warps, lanes of a wave and bytes of a vector are powers of two",
                "use 1, 2, 4, 8 or 16 warps and 32 or 64 lanes");
}

/// Hands lanes to the axes, fastest first; the last axis takes what is left. Then the waves.
void fill_lanes(const AccessPattern& pattern, const LayoutOptions& options, BlockedLayout& layout) {
  std::int64_t lanes_left = options.wave_lanes;
  std::int64_t waves_left = options.waves;
  std::int64_t threads_left = lanes_left * waves_left;
  for (int position = 0; position + 1 < layout.axes; ++position) {
    const auto k = static_cast<std::size_t>(layout.order[static_cast<std::size_t>(position)]);
    const std::int64_t room =
        std::max<std::int64_t>(1, pattern.axis[k].extent / layout.elements[k]);
    // Only powers of two divide the lanes without a remainder.
    const auto threads = static_cast<std::int64_t>(std::bit_floor(
        static_cast<std::uint64_t>(std::clamp<std::int64_t>(threads_left, 1, room))));
    layout.lanes[k] = std::min(threads, lanes_left);
    layout.waves[k] = std::clamp<std::int64_t>(threads / layout.lanes[k], 1, waves_left);
    lanes_left /= layout.lanes[k];
    waves_left /= layout.waves[k];
    threads_left /= threads;
  }
  const auto last =
      static_cast<std::size_t>(layout.order[static_cast<std::size_t>(layout.axes - 1)]);
  layout.lanes[last] = lanes_left;
  layout.waves[last] = waves_left;
}

}  // namespace

BlockedLayout blocked_layout(const AccessPattern& pattern, const LayoutOptions& options) {
  BlockedLayout layout;
  layout.wave_lanes = options.wave_lanes;
  if (pattern.by_thread) return layout;
  check_options(options);
  layout.axes = pattern.axes;
  layout.elements.fill(1);
  layout.lanes.fill(1);
  layout.waves.fill(1);
  if (pattern.axes == 0 || pattern.elements() <= 0) return layout;
  std::array<std::int64_t, kMaxAxes> contiguity{};
  for (int k = 0; k < pattern.axes; ++k) {
    contiguity[static_cast<std::size_t>(k)] = axis_contiguity(pattern, k);
    if (options.bound != nullptr)
      contiguity[static_cast<std::size_t>(k)] = std::min(
          contiguity[static_cast<std::size_t>(k)], (*options.bound)[static_cast<std::size_t>(k)]);
    int at = k;
    // Insertion sort: an earlier axis stays before a later one of the same contiguity.
    for (; at > 0; --at) {
      const auto before = layout.order[static_cast<std::size_t>(at - 1)];
      if (contiguity[static_cast<std::size_t>(before)] >= contiguity[static_cast<std::size_t>(k)])
        break;
      layout.order[static_cast<std::size_t>(at)] = before;
    }
    layout.order[static_cast<std::size_t>(at)] = k;
  }
  const int first = layout.order[0];
  const std::int64_t widest = std::max(1, options.vector_bytes / pattern.element_bytes);
  const std::int64_t threads = std::int64_t{options.waves} * options.wave_lanes;
  const std::int64_t share = std::max<std::int64_t>(1, pattern.elements() / threads);
  std::int64_t vector =
      std::min({contiguity[static_cast<std::size_t>(first)], widest, options.most_elements,
                static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(share)))});
  if (vector > 1) {
    const std::int64_t alignment = group_alignment(
        pattern, first, contiguity[static_cast<std::size_t>(first)], options.vector_bytes);
    vector = std::min(vector, std::max<std::int64_t>(1, alignment / pattern.element_bytes));
  }
  if (options.mask != nullptr)
    vector = std::min(vector, (*options.mask)[static_cast<std::size_t>(first)]);
  const auto held =
      static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::clamp<std::int64_t>(
          options.lane_elements, 1,
          std::min(share, pattern.axis[static_cast<std::size_t>(first)].extent)))));
  layout.parts = static_cast<int>(std::max<std::int64_t>(1, held / vector));
  layout.elements[static_cast<std::size_t>(first)] = std::max(vector, held);
  fill_lanes(pattern, options, layout);
  return layout;
}

}  // namespace heddle::trace
