#include "tiles/turned_sum.h"

#include <algorithm>
#include <set>

namespace heddle::tiles {
namespace {

constexpr int kDeepestSum = 12;  // numbers that loops carry are made of themselves

/// Collects the axes with more than one block; false: it is no sum of axes.
bool is_sum_of_axes(const kernel::IndexProbe& probe, int index, std::set<int>& axes, int depth) {
  const kernel::IndexNumber& one = probe.numbers[static_cast<std::size_t>(index)];
  if (one.is_launch_index) {
    axes.insert(index);
    return true;
  }
  return depth < kDeepestSum && (one.is_linear || one.is_copy) && !one.made_of.empty() &&
         std::ranges::all_of(
             one.made_of, [&](int part) { return is_sum_of_axes(probe, part, axes, depth + 1); });
}

}  // namespace

bool is_turned_sum(const kernel::IndexProbe& probe, const ShownRows& shown, int index) {
  const auto column = [&](int one) -> const auto& {
    return shown.number[static_cast<std::size_t>(one)];
  };
  std::set<int> axes;
  if (!is_sum_of_axes(probe, index, axes, 0) || column(index).empty()) return false;
  std::set<std::vector<std::int64_t>> different;  // an axis may be asked for twice, or be one block
  for (const int axis : axes)
    if (std::ranges::adjacent_find(column(axis), std::ranges::not_equal_to()) != column(axis).end())
      different.insert(column(axis));
  return different.size() > 1 && !std::ranges::equal(column(index), shown.block);
}

}  // namespace heddle::tiles
