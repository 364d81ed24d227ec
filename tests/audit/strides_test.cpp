// How far tiles of neighbouring blocks lie apart.
#include "audit/strides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::audit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The tiles of all blocks, each block by its coordinates.
template <class Map>
std::set<std::int64_t> strides_of(const Grid& grid, const Map& map) {
  std::vector<std::int64_t> tile_of;
  for (std::int64_t y = 0; y < grid.extent(1); ++y)
    for (std::int64_t x = 0; x < grid.extent(0); ++x) tile_of.push_back(map(x, y));
  std::set<std::int64_t> strides;
  add_strides(tile_of, grid, grid, strides);
  return strides;
}

TEST(Strides, of_the_launch_order_are_no_news) {
  const Grid grid({1021, 3});
  EXPECT_THAT(strides_of(grid, [](auto x, auto y) { return y * 1021 + x; }), IsEmpty());
}

TEST(Strides, a_factor_is_found_along_either_axis) {
  const Grid wide({1021, 3});
  EXPECT_THAT(strides_of(wide, [](auto x, auto y) { return y * 1021 + x * 37 % 1021; }),
              ElementsAre(37));
  const Grid tall({3, 1021});
  EXPECT_THAT(strides_of(tall, [](auto x, auto y) { return y * 19 % 1021 * 3 + x; }),
              ElementsAre(19));
}

TEST(Strides, of_a_short_axis_say_nothing) {
  const Grid grid({40, 1});
  EXPECT_THAT(strides_of(grid, [](auto x, auto) { return x * 19 % 40; }), IsEmpty());
}

}  // namespace
}  // namespace heddle::audit
