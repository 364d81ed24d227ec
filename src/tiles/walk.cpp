#include "tiles/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "tiles/families.h"

namespace heddle::tiles {
namespace {

/// Axes of the coordinates, slowest first.
using Axes = std::vector<std::size_t>;

struct Name {
  Axes axes;
  std::string order;
  Axes inner = {};     ///< not among `axes`; slowest first
  Axes together = {};  ///< neighbours among `axes` that are one axis to the order
};

class WalkFinder {
 public:
  WalkFinder(const kernel::IndexProbe& probe, const ShownRows& shown,
             const Coordinates& coordinates)
      : probe_(probe), shown_(shown), coordinates_(coordinates) {
    blocks_ = probe.launch.grid.count();
    begin_.assign(static_cast<std::size_t>(blocks_) + 1, 0);
    for (const std::size_t row : coordinates.rows)
      ++begin_[static_cast<std::size_t>(shown.block[row]) + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    axes_.resize(coordinates.numbers.size());
    std::iota(axes_.begin(), axes_.end(), std::size_t{0});
  }

  TileSpace unnamed() const {
    TileSpace space;
    if (most_rounds() > 1) space.walk = TileSpace::Walk::several;
    fill(space, axes_);
    return space;
  }

  TileSpace named(const std::vector<std::int64_t>& given) {
    TileSpace space;
    Name name{axes_, {}};
    numbers_.given = given;
    // Numbers of dies that the index code divides by; only where those give no name, any.
    numbers_.of_dies = probe_.divisors;
    if (!find(space, name)) {
      numbers_.of_dies.reset();
      find(space, name);
    }
    for (const std::size_t axis : name.inner) space.inner.push_back(coordinate_name(axis));
    for (const std::size_t axis : name.together) space.together.push_back(coordinate_name(axis));
    name.axes.insert(name.axes.end(), name.inner.begin(), name.inner.end());
    space.order = name.order;
    if (name.order.empty()) space.near_order = near_name(space.walk);
    fill(space, name.axes);
    return space;
  }

 private:
  /// False: no family gives the walk.
  bool find(TileSpace& space, Name& name) const {
    if (most_rounds() > 1) return find_persistent(space, name);
    const auto found = named(in_turn(), !has_gaps());
    if (found) name = *found;
    return found.has_value();
  }

  std::int64_t count(std::int64_t block) const {
    return begin_[static_cast<std::size_t>(block) + 1] - begin_[static_cast<std::size_t>(block)];
  }
  std::int64_t most_rounds() const {
    std::int64_t most = 0;
    for (std::int64_t b = 0; b < blocks_; ++b) most = std::max(most, count(b));
    return most;
  }
  bool has_returns() const {
    return static_cast<std::int64_t>(coordinates_.rows.size()) > tiles_of(axes_);
  }
  /// A block does nothing, and one behind it something.
  bool has_gaps() const {
    for (std::int64_t b = 0; b + 1 < blocks_; ++b)
      if (count(b) == 0 && count(b + 1) > 0) return true;
    return false;
  }
  std::int64_t value(std::size_t axis, std::size_t row) const {
    return shown_.at(coordinates_.numbers[axis], row);
  }
  std::int64_t extent(std::size_t axis) const { return coordinates_.extents[axis]; }
  const std::string& coordinate_name(std::size_t axis) const {
    return probe_.numbers[static_cast<std::size_t>(coordinates_.numbers[axis])].name;
  }

  // ---- turns, as rows of the table

  std::vector<std::size_t> in_turn() const { return coordinates_.rows; }

  /// Turn r * blocks + place[b] is round r of block b; nothing where turns are left out.
  std::optional<std::vector<std::size_t>> by_rounds(const TileMap& place) const {
    const std::size_t total = coordinates_.rows.size();
    std::vector<std::size_t> result(total, 0);
    for (std::int64_t b = 0; b < blocks_; ++b) {
      const auto first = static_cast<std::size_t>(begin_[static_cast<std::size_t>(b)]);
      for (std::int64_t r = 0; r < count(b); ++r) {
        const std::int64_t turn = r * blocks_ + place[static_cast<std::size_t>(b)];
        if (turn >= static_cast<std::int64_t>(total)) return std::nullopt;
        result[static_cast<std::size_t>(turn)] =
            coordinates_.rows[first + static_cast<std::size_t>(r)];
      }
    }
    return result;
  }

  /// Of each block in a round: its own index.
  TileMap place() const {
    TileMap same(static_cast<std::size_t>(blocks_));
    std::iota(same.begin(), same.end(), std::int64_t{0});
    return same;
  }

  bool find_persistent(TileSpace& space, Name& name) const {
    space.walk = TileSpace::Walk::several;
    if (has_returns()) return false;
    const auto rows = by_rounds(place());
    const auto strided = rows ? named(*rows, true) : std::nullopt;
    const auto chunked = named(in_turn(), true);
    // Even chunks are strided turns of xcd(blocks), too: the shorter name is meant.
    const bool is_strided = strided && (!chunked || stages(*strided) <= stages(*chunked));
    if (strided || chunked) {
      name = is_strided ? *strided : *chunked;
      space.walk = is_strided ? TileSpace::Walk::strided : TileSpace::Walk::chunked;
      return true;
    }
    if (find_along_axis(space, name)) return true;
    for (const std::string& text : FamilyNames::lines(blocks_, numbers_)) {
      const auto moved = by_rounds(line_map(text, blocks_));
      const auto found = moved ? named(*moved, true) : std::nullopt;
      if (!found) continue;
      name = *found;
      space.walk = TileSpace::Walk::strided;
      space.blocks_order = text;
      return true;
    }
    if (rows) space.walk = TileSpace::Walk::strided;
    return false;
  }

  /// Rule 3: blocks stride along axis 0 of the launch, and the other axes are coordinates.
  bool find_along_axis(TileSpace& space, Name& name) const {
    const std::int64_t along = probe_.launch.grid.extent(0);
    const std::int64_t others = blocks_ / along;
    if (along == 1 || others == 1) return false;
    const std::string text = fmt::format("xcd({})", along);  // counts the other axes first
    const auto moved = by_rounds(line_map(text, blocks_));
    if (!moved) return false;
    for (std::size_t inner = 1; inner < axes_.size(); ++inner) {
      const auto found = with_inner(*moved, by_speed(*moved), inner);
      if (!found || tiles_of(found->inner) != others) continue;
      name = *found;
      space.walk = TileSpace::Walk::strided;
      space.blocks_order = text;
      space.is_along_axis = true;
      return true;
    }
    return false;
  }

  std::int64_t tiles_of(const Axes& axes) const {
    std::int64_t tiles = 1;
    for (const std::size_t axis : axes) tiles *= extent(axis);
    return tiles;
  }

  static std::ptrdiff_t stages(const Name& name) {
    if (name.order == "identity") return 0;
    return 1 + std::count(name.order.begin(), name.order.end(), '|') + std::ssize(name.inner);
  }

  /// group(n) with the rows of the last, lower group rotated: first + pid % height.
  std::string near_name(TileSpace::Walk walk) const {
    std::optional<std::vector<std::size_t>> rows = in_turn();
    if (walk == TileSpace::Walk::strided) rows = by_rounds(place());
    const bool is_line =
        walk == TileSpace::Walk::strided || (walk == TileSpace::Walk::once && !has_gaps());
    if (!rows || !is_line || axes_.size() != 2) return {};
    for (std::int64_t height = 2; height < extent(0); ++height)
      if (is_rotated_group(*rows, height)) return fmt::format("group({})", height);
    return {};
  }

  bool is_rotated_group(const std::vector<std::size_t>& rows, std::int64_t height) const {
    const std::int64_t last = extent(0) % height;
    if (last == 0) return false;
    const std::int64_t columns = extent(1);
    for (std::int64_t turn = 0; turn < static_cast<std::int64_t>(rows.size()); ++turn) {
      const std::int64_t group = turn / (height * columns);
      const bool is_last = group == extent(0) / height;
      const std::int64_t own = is_last ? last : height;
      const std::int64_t inside = turn % (height * columns);
      const std::int64_t row = group * height + (is_last ? turn : inside) % own;
      const std::size_t at = rows[static_cast<std::size_t>(turn)];
      if (value(0, at) != row || value(1, at) != inside / own) return false;
    }
    return true;
  }

  // ---- names

  TileMap numbers(const std::vector<std::size_t>& rows, const Axes& axes) const {
    TileMap map;
    map.reserve(rows.size());
    for (const std::size_t row : rows) {
      std::int64_t tile = 0;
      for (const std::size_t axis : axes) tile = tile * extent(axis) + value(axis, row);
      map.push_back(tile);
    }
    return map;
  }

  /// Slowest first, going by the turn in which each changes first.
  Axes by_speed(const std::vector<std::size_t>& rows) const {
    std::vector<std::pair<std::size_t, std::size_t>> changes;
    for (const std::size_t axis : axes_) {
      std::size_t turn = 1;
      while (turn < rows.size() && value(axis, rows[turn]) == value(axis, rows[0])) ++turn;
      changes.emplace_back(turn, axis);
    }
    std::stable_sort(changes.begin(), changes.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    Axes result;
    for (const auto& [turn, axis] : changes) result.push_back(axis);
    return result;
  }

  static bool is_identity(const TileMap& map) {
    for (std::size_t turn = 0; turn < map.size(); ++turn)
      if (map[turn] != static_cast<std::int64_t>(turn)) return false;
    return true;
  }

  std::string name_of(const std::vector<std::size_t>& rows, const Axes& axes) const {
    std::vector<std::int64_t> extents;
    for (const std::size_t axis : axes) extents.push_back(extent(axis));
    return FamilyNames(extents, numbers_).find(numbers(rows, axes));
  }

  std::optional<Name> named(const std::vector<std::size_t>& rows, bool is_line) const {
    if (!is_line || rows.empty()) return std::nullopt;
    const Axes fast = by_speed(rows);
    if (axes_.size() > 2 && is_identity(numbers(rows, fast))) return Name{fast, "identity"};
    std::optional<Name> best;
    for (const Axes& axes : axis_orders(fast)) {
      Name name{axes, name_of(rows, axes)};
      if (name.order.empty() || (best && stages(*best) <= stages(name))) continue;
      best = std::move(name);
      if (stages(*best) <= 1) break;
    }
    for (std::size_t inner = 1; !best && inner + 1 < axes_.size(); ++inner)
      best = with_inner(rows, fast, inner);
    if (!best && axes_.size() == 3) best = with_two_together(rows, fast);
    return best;
  }

  /// Two coordinates that are digits of one number: group(4) of rows by columns and splits.
  std::optional<Name> with_two_together(const std::vector<std::size_t>& rows,
                                        const Axes& fast) const {
    for (const std::size_t first : {std::size_t{0}, std::size_t{1}}) {
      const Axes pair = {fast[first], fast[first + 1]};
      const std::size_t other = fast[first == 0 ? 2 : 0];
      for (const bool is_last : {true, false}) {
        const Axes axes = is_last ? Axes{other, pair[0], pair[1]} : Axes{pair[0], pair[1], other};
        std::vector<std::int64_t> extents = {extent(other), tiles_of(pair)};
        if (!is_last) std::swap(extents[0], extents[1]);
        const std::string text = FamilyNames(extents, numbers_).find_walk(numbers(rows, axes));
        if (!text.empty()) return Name{axes, text, {}, pair};
      }
    }
    return std::nullopt;
  }

  /// Orders of the axes worth a try: the addresses' own, one axis before the others, any.
  std::vector<Axes> axis_orders(const Axes& fast) const {
    std::vector<Axes> tried = {axes_};
    const auto add = [&](const Axes& axes) {
      if (std::find(tried.begin(), tried.end(), axes) == tried.end()) tried.push_back(axes);
    };
    if (axes_.size() > 2) {
      for (const std::size_t first : fast) {
        Axes moved = axes_;
        std::erase(moved, first);
        moved.insert(moved.begin(), first);
        add(moved);
      }
      add(fast);
    }
    if (axes_.size() == 3) {
      Axes other = {0, 1, 2};
      do add(other);
      while (std::next_permutation(other.begin(), other.end()));
    }
    return tried;
  }

  /// The last few of `fast` count by themselves, and the others change once a round of them.
  std::optional<Name> with_inner(const std::vector<std::size_t>& rows, const Axes& fast,
                                 std::size_t count) const {
    const Axes inner(fast.end() - static_cast<std::ptrdiff_t>(count), fast.end());
    Axes others = axes_;
    for (const std::size_t axis : inner) std::erase(others, axis);
    const TileMap inside = numbers(rows, inner);
    const auto step = static_cast<std::size_t>(tiles_of(inner));
    std::vector<std::size_t> firsts;
    for (std::size_t turn = 0; turn < rows.size(); ++turn) {
      if (inside[turn] != static_cast<std::int64_t>(turn % step)) return std::nullopt;
      if (turn % step == 0) firsts.push_back(rows[turn]);
      for (const std::size_t axis : others)
        if (value(axis, rows[turn]) != value(axis, firsts.back())) return std::nullopt;
    }
    const std::string text = name_of(firsts, others);
    if (text.empty()) return std::nullopt;
    return Name{others, text, inner};
  }

  void fill(TileSpace& space, const Axes& axes) const {
    for (const std::size_t axis : axes) {
      const kernel::IndexNumber& number =
          probe_.numbers[static_cast<std::size_t>(coordinates_.numbers[axis])];
      space.coordinates.push_back({number.name, extent(axis), number.line});
    }
    space.first = begin_;
    space.tiles = numbers(coordinates_.rows, axes);
  }

  const kernel::IndexProbe& probe_;
  const ShownRows& shown_;
  const Coordinates& coordinates_;
  FamilyNumbers numbers_;
  std::int64_t blocks_ = 0;
  std::vector<std::int64_t> begin_;  ///< per block: into the rows of the coordinates
  Axes axes_;
};

}  // namespace

TileSpace find_walk(const kernel::IndexProbe& probe, const ShownRows& shown,
                    const Coordinates& coordinates,
                    const std::optional<std::vector<std::int64_t>>& given) {
  WalkFinder finder(probe, shown, coordinates);
  return given ? finder.named(*given) : finder.unnamed();
}

}  // namespace heddle::tiles
