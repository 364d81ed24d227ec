#include "tiles/families.h"

#include <gtest/gtest.h>

#include "order/compact.h"

namespace heddle::tiles {
namespace {

TileMap map_of(const std::string& text, const std::vector<std::int64_t>& extents) {
  order::Space space;
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count *= extent;
  space.launch = Grid({count});
  space.tiles = Grid(extents);
  return order::materialize(order::read_compact(text), space, {});
}

TEST(FamilyNames, FindsWhatMadeTheMap) {
  for (const char* text :
       {"identity", "columns", "reverse", "snake", "group(4)", "group_columns(3)", "xcd(8)",
        "xcd(8) | group(4)", "xcd_chunk(8, 4) | group(4)", "xcd(4) | columns", "hilbert"})
    EXPECT_EQ(FamilyNames({13, 11}, {}).find(map_of(text, {13, 11})), text);
}

TEST(FamilyNames, BatchesAreOutermost) {
  EXPECT_EQ(FamilyNames({2, 7, 5}, {}).find(map_of("group(4)", {2, 7, 5})), "group(4)");
}

TEST(FamilyNames, HintsAreTried) {
  const TileMap map = map_of("group(9)", {20, 5});
  EXPECT_EQ(FamilyNames({20, 5}, {}).find(map), "");
  EXPECT_EQ(FamilyNames({20, 5}, {{9}}).find(map), "group(9)");
}

TEST(FamilyNames, OneTileElsewhereIsNoFamily) {
  TileMap map = map_of("group(4)", {20, 30});
  std::swap(map[597], map[598]);
  EXPECT_EQ(FamilyNames({20, 30}, {}).find(map), "");
}

}  // namespace
}  // namespace heddle::tiles
