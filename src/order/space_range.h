// Ranges of spaces, as --grid, --grids and --tiles give them.
//
//   --grid 256x256                 one launch grid
//   --grids 1..4096                every 1-D launch of 1 to 4096 blocks
//   --grids 1..64x1..64            every 2-D launch
//   --grid 1728 --tiles 48x36      a 1-D launch over 48 rows and 36 columns
//   --tiles 1..19x1..19            every such tile space, launched on a line of as many blocks
//   --grids 1..99 --tiles 'g0,8'   extents may be expressions over g0 g1 g2, separated by commas
//
// Rules
//   1. Spaces come smallest index first, the last axis fastest.
//   2. Grids of 2^31 blocks or more are left out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "order/bindings.h"
#include "order/order.h"
#include "order/space.h"

namespace heddle::order {

/// The extents of a --grid or --tiles text: separated by commas, or by 'x' where it has none.
std::vector<std::string_view> split_extents(std::string_view text);

class SpaceRange {
 public:
  /// The extents of the tile space of a launch of so many blocks.
  using TileRule = std::function<std::vector<std::int64_t>(std::int64_t)>;

  /// Either text may be empty, not both.
  SpaceRange(std::string_view grid, std::string_view tiles, const Bindings& bindings);
  /// Launches on a line whose tile spaces, of so many axes, follow a rule.
  SpaceRange(std::string_view grid, int tile_axes, TileRule rule);

  Shape shape() const;
  bool is_single() const;
  /// The first space; the only one where is_single().
  Space first() const;
  /// "grid 256x256", "grids 1..64x1..64", "grid 1728, tiles 48x36", "tiles 1..19x1..19".
  const std::string& text() const { return text_; }
  /// The extents that tell a space of this range from its neighbours: of the launch, or of the
  /// tile space where only --tiles is given.
  std::vector<std::int64_t> label(const Space& space) const;
  /// Visits every space until `visit` returns false.
  void for_each(const std::function<bool(const Space&)>& visit) const;

 private:
  struct Extent {
    std::int64_t low = 1;
    std::int64_t high = 1;
    ExpressionPtr expression;  ///< instead of low and high
  };
  static std::vector<Extent> parse_extents(std::string_view text, std::string_view option,
                                           bool expressions);
  std::optional<Space> space_at(const std::vector<std::int64_t>& sizes) const;

  std::vector<Extent> grid_;
  std::vector<Extent> tiles_;
  TileRule rule_;  ///< instead of tiles_
  int rule_axes_ = 0;
  Bindings bindings_;
  std::string text_;
};

}  // namespace heddle::order
