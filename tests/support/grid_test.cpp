#include "support/grid.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "support/error.h"

namespace heddle {
namespace {

TEST(Grid, KeepsItsExtents) {
  const Grid grid({256, 128});
  EXPECT_EQ(grid.axes(), 2);
  EXPECT_EQ(grid.extent(0), 256);
  EXPECT_EQ(grid.extent(1), 128);
  EXPECT_EQ(grid.extent(2), 1);
  EXPECT_EQ(grid.count(), 32768);
  EXPECT_EQ(grid.extents(), (std::vector<std::int64_t>{256, 128}));
  EXPECT_EQ(grid.text(), "256x128");
  EXPECT_EQ(Grid({7}).text(), "7");
  EXPECT_EQ(Grid({2, 3, 5}).count(), 30);
}

TEST(Grid, EqualityCountsAxes) {
  EXPECT_EQ(Grid({4, 1}), Grid({4, 1}));
  EXPECT_NE(Grid({4, 1}), Grid({4}));
  EXPECT_NE(Grid({4, 2}), Grid({2, 4}));
}

TEST(Grid, RefusesImpossibleOnes) {
  EXPECT_THROW(Grid({}), Error);
  EXPECT_THROW(Grid({1, 1, 1, 1}), Error);
  EXPECT_THROW(Grid({0}), Error);
  EXPECT_THROW(Grid({8, -1}), Error);
  EXPECT_THROW(Grid({kBlockLimit}), Error);
  EXPECT_THROW(Grid({65536, 32768}), Error);
  EXPECT_THROW(Grid({INT64_MAX, 2}), Error);
  EXPECT_THROW(Grid({2147483647, 2147483647, 2147483647}), Error);
}

TEST(Grid, HoldsTheLargest) {
  EXPECT_EQ(Grid({2147483647}).count(), 2147483647);
  EXPECT_EQ(Grid({65536, 32767}).count(), 65536LL * 32767);
  EXPECT_EQ(Grid({1, 1, 2147483647}).count(), 2147483647);
}

TEST(Grid, BlockOfCountsXFastest) {
  const Grid grid({3, 2, 4});
  std::int64_t id = 0;
  for (std::int64_t z = 0; z < 4; ++z) {
    for (std::int64_t y = 0; y < 2; ++y) {
      for (std::int64_t x = 0; x < 3; ++x) {
        EXPECT_EQ(block_of(grid, LaunchId{id}), (std::array<std::int64_t, 3>{x, y, z})) << id;
        ++id;
      }
    }
  }
}

TEST(Grid, IdsAreDifferentTypes) {
  static_assert(!std::is_convertible_v<LaunchId, TileId>);
  static_assert(!std::is_convertible_v<DieId, LaunchId>);
  EXPECT_LT(LaunchId{3}, LaunchId{4});
  EXPECT_EQ(TileId{5}, TileId{5});
}

}  // namespace
}  // namespace heddle
