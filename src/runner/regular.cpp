#include "runner/regular.h"

#include <limits>

namespace heddle::runner {
namespace {

bool fits(std::int64_t value) {
  return value >= std::numeric_limits<std::int32_t>::min() &&
         value <= std::numeric_limits<std::int32_t>::max();
}

std::int64_t difference(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(a - b);
}

}  // namespace

void Regular::set_up(const std::uint32_t threads[3]) {
  for (int axis = 0; axis < 3; ++axis) extent_[axis] = threads[axis];
  is_line_ = threads[1] == 1 && threads[2] == 1;
  index_.clear();
  for (std::int32_t z = 0; z < static_cast<std::int32_t>(threads[2]); ++z)
    for (std::int32_t y = 0; y < static_cast<std::int32_t>(threads[1]); ++y)
      for (std::int32_t x = 0; x < static_cast<std::int32_t>(threads[0]); ++x)
        index_.push_back({{x, y, z}});
}

Regular::Found Regular::find_line(std::span<const std::uint32_t> lanes,
                                  std::span<const std::uint64_t> addresses) const {
  Found found;
  std::int64_t stride = 0;
  if (lanes.size() > 1) {
    const std::int64_t apart = std::int64_t{lanes[1]} - lanes[0];
    const std::int64_t step = difference(addresses[1], addresses[0]);
    if (step % apart != 0) return found;
    stride = step / apart;
    if (!fits(stride)) return found;
  }
  const std::int64_t base =
      static_cast<std::int64_t>(addresses[0]) - stride * std::int64_t{lanes[0]};
  for (std::size_t k = 2; k < lanes.size(); ++k)
    if (static_cast<std::int64_t>(addresses[k]) != base + stride * std::int64_t{lanes[k]})
      return found;
  found.is_regular = true;
  found.base = base;
  found.stride[0] = static_cast<std::int32_t>(stride);
  return found;
}

/// Of all lanes: the neighbours of the first one have the strides.
Regular::Found Regular::find_whole(std::span<const std::uint64_t> addresses) const {
  Found found;
  found.base = static_cast<std::int64_t>(addresses[0]);
  std::int64_t stride[3] = {};
  std::size_t neighbour = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (extent_[axis] > 1) stride[axis] = difference(addresses[neighbour], addresses[0]);
    if (!fits(stride[axis])) return found;
    found.stride[axis] = static_cast<std::int32_t>(stride[axis]);
    neighbour *= extent_[axis];
  }
  std::size_t lane = 0;
  for (std::uint32_t z = 0; z < extent_[2]; ++z) {
    for (std::uint32_t y = 0; y < extent_[1]; ++y) {
      std::int64_t expected = found.base + z * stride[2] + y * stride[1];
      bool equal = true;
      for (std::uint32_t x = 0; x < extent_[0]; ++x, expected += stride[0])
        equal &= static_cast<std::int64_t>(addresses[lane++]) == expected;
      if (!equal) return found;
    }
  }
  found.is_regular = true;
  return found;
}

Regular::Found Regular::find(std::span<const std::uint32_t> lanes,
                             std::span<const std::uint64_t> addresses) const {
  if (is_line_) return find_line(lanes, addresses);
  if (lanes.size() == index_.size()) return find_whole(addresses);
  Found found;
  // A stride from the first lane that differs from an earlier one in this axis alone.
  std::int64_t stride[3] = {};
  bool known[3] = {};
  const Index& first = index_[lanes[0]];
  for (std::size_t k = 1; k < lanes.size(); ++k) {
    const Index& index = index_[lanes[k]];
    int differs = -1;
    int axes = 0;
    std::int64_t rest = difference(addresses[k], addresses[0]);
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t apart = index.at[axis] - first.at[axis];
      if (apart == 0) continue;
      if (known[axis]) {
        rest -= apart * stride[axis];
        continue;
      }
      differs = axis;
      ++axes;
    }
    if (axes == 0) {
      if (rest != 0) return found;
      continue;
    }
    if (axes > 1) return found;
    const std::int64_t apart = index.at[differs] - first.at[differs];
    if (rest % apart != 0 || !fits(rest / apart)) return found;
    stride[differs] = rest / apart;
    known[differs] = true;
  }
  found.is_regular = true;
  found.base = static_cast<std::int64_t>(addresses[0]);
  for (int axis = 0; axis < 3; ++axis) {
    found.base -= first.at[axis] * stride[axis];
    found.stride[axis] = static_cast<std::int32_t>(stride[axis]);
  }
  return found;
}

}  // namespace heddle::runner
