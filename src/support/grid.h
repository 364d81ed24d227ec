// Grids and the ids that live in them.
//
// A grid is the 1-, 2- or 3-D index space of blocks that a launch asks for. The hardware numbers
// blocks with x fastest:
//
//   grid 3x2      p0: 0 1 2 0 1 2
//                 p1: 0 0 0 1 1 1
//          launch id: 0 1 2 3 4 5
//
// Rules
//   1. Every extent is at least 1 and the count is under 2^31, or the grid cannot be made.
//   2. LaunchId, TileId and DieId are different types: a launch id is not a tile until an order
//      has said which one.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// The most blocks a launch may have, plus one.
inline constexpr std::int64_t kBlockLimit = std::int64_t{1} << 31;

/// An integer that only compares with its own kind.
template <class Tag>
struct StrongId {
  std::int64_t value = 0;
  friend auto operator<=>(const StrongId&, const StrongId&) = default;
};
using LaunchId = StrongId<struct LaunchIdTag>;
using TileId = StrongId<struct TileIdTag>;
using DieId = StrongId<struct DieIdTag>;

/// The extents of a launch or of a tile space; immutable once made.
class Grid {
 public:
  /// One to three extents, axis 0 first. Throws Error on an impossible grid.
  explicit Grid(std::vector<std::int64_t> extents);

  int axes() const { return axes_; }
  /// 1 for axes past the last one.
  std::int64_t extent(int axis) const { return extents_[static_cast<std::size_t>(axis)]; }
  std::int64_t count() const { return extents_[0] * extents_[1] * extents_[2]; }
  /// Exactly axes() numbers.
  std::vector<std::int64_t> extents() const;
  /// "256x256".
  std::string text() const;

  friend bool operator==(const Grid&, const Grid&) = default;

 private:
  std::array<std::int64_t, 3> extents_{1, 1, 1};
  int axes_ = 1;
};

/// The block coordinates of a launch id, x fastest.
std::array<std::int64_t, 3> block_of(const Grid& grid, LaunchId id);

}  // namespace heddle
