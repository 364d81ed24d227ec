#include "tiles/turned_sum.h"

#include <algorithm>
#include <map>
#include <set>

namespace heddle::tiles {
namespace {

constexpr int kDeepestSum = 12;  // numbers that loops carry are made of themselves

/// Collects the axes with more than one block; false: it is not a sum of axes.
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
  std::set<std::vector<std::int64_t>> counted;  // an axis may be asked for twice, or be one block
  for (const int axis : axes)
    if (std::ranges::adjacent_find(column(axis), std::ranges::not_equal_to()) != column(axis).end())
      counted.insert(column(axis));
  if (counted.size() < 2) return false;
  std::vector<int> others;
  for (int one = 0; one < std::ssize(probe.numbers); ++one)
    if (probe.numbers[static_cast<std::size_t>(one)].is_launch_index && !column(one).empty() &&
        !counted.contains(column(one)))
      others.push_back(one);
  std::map<std::vector<std::int64_t>, std::int64_t> last;  // where the other axes stand still
  for (std::size_t row = 0; row < shown.rows(); ++row) {
    std::vector<std::int64_t> place;
    for (const int other : others) place.push_back(shown.at(other, row));
    const auto [found, is_first] = last.emplace(std::move(place), shown.at(index, row));
    if (!is_first && shown.at(index, row) < found->second) return true;
    found->second = shown.at(index, row);
  }
  return false;
}

}  // namespace heddle::tiles
