#include "tiles/variables.h"

#include <algorithm>
#include <set>

namespace heddle::tiles {
namespace {

using kernel::IndexNumber;

/// Per tile, in the order of the space's entries: its turn.
std::vector<std::int64_t> turns_of(const TileSpace& space) {
  std::vector<std::int64_t> turns;
  for (std::int64_t b = 0; b < space.blocks(); ++b) {
    const std::int64_t begin = space.first[static_cast<std::size_t>(b)];
    const std::int64_t end = space.first[static_cast<std::size_t>(b) + 1];
    for (std::int64_t entry = begin; entry < end; ++entry) {
      std::int64_t turn = entry;
      if (space.walk == TileSpace::Walk::once) turn = b;
      if (space.walk == TileSpace::Walk::strided) turn = (entry - begin) * space.blocks() + b;
      turns.push_back(turn);
    }
  }
  return turns;
}

class VariableFinder {
 public:
  explicit VariableFinder(const Lifted& lifted) : lifted_(lifted), turns_(turns_of(lifted.space)) {}

  TileVariables run() {
    find_coordinates();
    if (found_.unnamed.empty()) {
      find_equal();
      find_packed();
    }
    find_launch_axes();
    for (std::size_t i = 0; i < lifted_.probe.numbers.size(); ++i) {
      const IndexNumber& one = lifted_.probe.numbers[i];
      if (one.is_variable && is_turn(i)) found_.turns.push_back({one.name, one.line, one.bits});
    }
    return std::move(found_);
  }

 private:
  /// The coordinate of the space that a number of the probe is; the space may have other places.
  std::size_t axis_of(const IndexNumber& number) const {
    const auto& all = lifted_.space.coordinates;
    std::size_t axis = 0;
    while (axis < all.size() && (all[axis].name != number.name || all[axis].line != number.line))
      ++axis;
    return axis;
  }

  void find_coordinates() {
    found_.bits.resize(lifted_.space.coordinates.size(), 32);
    axis_.assign(lifted_.coordinates.numbers.size(), 0);
    for (std::size_t i = 0; i < axis_.size(); ++i) {
      const IndexNumber& one =
          lifted_.probe.numbers[static_cast<std::size_t>(lifted_.coordinates.numbers[i])];
      axis_[i] = axis_of(one);
      found_.bits.at(axis_[i]) = one.bits;
      if (!one.is_variable && found_.unnamed.empty()) {
        found_.unnamed = one.name;
        found_.unnamed_line = one.line;
      }
      found_.coordinates.push_back({one.name, one.line, axis_[i], true});
    }
  }

  bool is_coordinate(int number) const {
    return lifted_.coordinates.axis_of[static_cast<std::size_t>(number)] >= 0;
  }

  void find_equal() {
    for (std::size_t i = 0; i < lifted_.probe.numbers.size(); ++i) {
      const IndexNumber& one = lifted_.probe.numbers[i];
      const int axis = lifted_.coordinates.axis_of[i];
      if (axis < 0 || !one.is_variable) continue;
      const bool follows =
          !one.made_of.empty() && std::all_of(one.made_of.begin(), one.made_of.end(),
                                              [&](int part) { return is_coordinate(part); });
      const auto& known = found_.coordinates;
      const bool is_known = std::any_of(known.begin(), known.end(), [&](const auto& other) {
        return other.name == one.name && other.line == one.line;
      });
      if (!follows && !is_known)
        found_.coordinates.push_back(
            {one.name, one.line, axis_[static_cast<std::size_t>(axis)], false});
    }
  }

  // ---- rule 3

  /// Whether a number is computed from coordinates alone.
  bool follows(int number, std::set<int>& visited) const {
    if (is_coordinate(number)) return true;
    const IndexNumber& one = lifted_.probe.numbers[static_cast<std::size_t>(number)];
    if (one.made_of.empty() || !visited.insert(number).second) return false;
    return std::all_of(one.made_of.begin(), one.made_of.end(),
                       [&](int part) { return follows(part, visited); });
  }

  void find_packed() {
    for (std::size_t i = 0; i < lifted_.probe.numbers.size(); ++i) {
      const IndexNumber& one = lifted_.probe.numbers[i];
      std::set<int> visited;
      const bool is_counter = one.is_linear && !one.made_of.empty();  // it counts turns
      if (!one.is_variable || one.is_loaded || is_counter || follows(static_cast<int>(i), visited))
        continue;
      std::vector<std::size_t> digits;
      if (!find_digits(lifted_.shown.number[i], digits)) continue;
      auto known = std::find(found_.packed.begin(), found_.packed.end(), digits);
      if (known == found_.packed.end()) {
        found_.packed.push_back(digits);
        found_.bits.push_back(one.bits);
        known = found_.packed.end() - 1;
      }
      const auto axis = lifted_.space.coordinates.size() +
                        static_cast<std::size_t>(known - found_.packed.begin());
      found_.coordinates.push_back({one.name, one.line, axis, false});
    }
  }

  /// Coordinates, by their place among the probe's, that a column packs; false: it packs none, or
  /// there is one of a single tile, of which nobody can tell whether it is packed.
  bool find_digits(const std::vector<std::int64_t>& column, std::vector<std::size_t>& axes) const {
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    const std::vector<std::int64_t>& extents = lifted_.coordinates.extents;
    if (column.empty() ||
        std::any_of(extents.begin(), extents.end(), [](std::int64_t extent) { return extent < 2; }))
      return false;
    std::int64_t count = 0;
    for (const std::size_t row : lifted_.coordinates.rows) {
      if (column[row] > kMost) return false;
      count = std::max(count, column[row] + 1);
    }
    std::vector<std::size_t> digits;
    if (!extend(column, count, digits)) return false;
    for (const std::size_t one : digits) axes.push_back(axis_[one]);
    return true;
  }

  bool extend(const std::vector<std::int64_t>& column, std::int64_t left,
              std::vector<std::size_t>& digits) const {
    if (left == 1) return digits.size() > 1 && packs(column, digits);
    for (std::size_t i = 0; i < axis_.size(); ++i) {
      const std::int64_t extent = lifted_.coordinates.extents[i];
      const bool is_used = std::find(digits.begin(), digits.end(), i) != digits.end();
      if (extent < 2 || is_used || left % extent != 0) continue;
      digits.push_back(i);
      if (extend(column, left / extent, digits)) return true;
      digits.pop_back();
    }
    return false;
  }

  bool packs(const std::vector<std::int64_t>& column,
             const std::vector<std::size_t>& digits) const {
    for (const std::size_t row : lifted_.coordinates.rows) {
      std::int64_t sum = 0;
      for (const std::size_t one : digits)
        sum = sum * lifted_.coordinates.extents[one] +
              lifted_.shown.at(lifted_.coordinates.numbers[one], row);
      if (sum != column[row]) return false;
    }
    return true;
  }

  void find_launch_axes() {
    const Grid& grid = lifted_.probe.launch.grid;
    found_.launch_axes.assign(lifted_.space.coordinates.size(), -1);
    if (lifted_.space.walk != TileSpace::Walk::once) return;
    std::vector<bool> is_taken(3, false);
    for (std::size_t i = 0; i < axis_.size(); ++i) {
      const auto& column =
          lifted_.shown.number[static_cast<std::size_t>(lifted_.coordinates.numbers[i])];
      for (int axis = 0; axis < grid.axes(); ++axis) {
        const auto which = static_cast<std::size_t>(axis);
        bool is_same = !is_taken[which] && grid.extent(axis) == lifted_.coordinates.extents[i];
        for (const std::size_t row : lifted_.coordinates.rows)
          is_same =
              is_same && column[row] == block_of(grid, LaunchId{lifted_.shown.block[row]})[which];
        if (!is_same) continue;
        is_taken[which] = true;
        found_.launch_axes[axis_[i]] = axis;
        break;
      }
    }
    for (int axis = 0; axis < grid.axes(); ++axis)
      if (grid.extent(axis) > 1 && !is_taken[static_cast<std::size_t>(axis)])
        found_.launch_axes.assign(found_.launch_axes.size(), -1);
  }

  bool is_turn(std::size_t number) const {
    const auto& column = lifted_.shown.number[number];
    if (column.empty() || turns_.size() != lifted_.coordinates.rows.size()) return false;
    for (std::size_t i = 0; i < turns_.size(); ++i)
      if (column[lifted_.coordinates.rows[i]] != turns_[i]) return false;
    return true;
  }

  const Lifted& lifted_;
  std::vector<std::int64_t> turns_;
  std::vector<std::size_t> axis_;  ///< per coordinate of the probe: that of the space
  TileVariables found_;
};

}  // namespace

TileVariables variables_of(const Lifted& lifted) {
  return VariableFinder(lifted).run();
}

}  // namespace heddle::tiles
