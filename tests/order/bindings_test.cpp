#include "order/bindings.h"

#include "order/space_range.h"
#include "order/testing.h"

namespace heddle::testing {
namespace {

using order::SpaceRange;
using Names = std::vector<std::string>;
using Values = std::vector<std::int64_t>;

TEST(Bindings, HoldExpressions) {
  const Bindings bindings(
      {"M=8192, BLOCK = 32,N=M*2", "tiles=cdiv(M,BLOCK)*min(3, 7),G=g0+t1, neg=-7//2"});
  const Space space = tiled({6, 5});
  EXPECT_EQ(bindings.values(Names{"M", "N", "tiles", "G", "neg"}, space),
            (Values{8192, 16384, 768, 35, -4}));
  EXPECT_TRUE(bindings.has("BLOCK"));
  EXPECT_FALSE(bindings.has("block"));
  EXPECT_EQ(bindings.names().size(), 6U);
  EXPECT_EQ(Bindings({""}).names().size(), 0U);
}

TEST(Bindings, FollowTheSpace) {
  const Bindings bindings({"N=32*g0*g1"});
  EXPECT_EQ(bindings.values({"N"}, launch({2, 3})), (Values{192}));
  EXPECT_EQ(bindings.values({"N"}, launch({4, 5})), (Values{640}));
}

TEST(Bindings, ConditionalAndLogicalExpressions) {
  const Bindings bindings(
      {"a=5 if g0 > 3 else 6,b=g0 == 4 and g1 == 1,c=abs(0-3)+max(1,2),d=1<<40"});
  EXPECT_EQ(bindings.values(Names{"a", "b", "c", "d"}, launch({4})),
            (Values{5, 1, 5, std::int64_t{1} << 40}));
  EXPECT_EQ(bindings.values(Names{"a", "b"}, launch({3})), (Values{6, 0}));
}

TEST(Bindings, NameEveryUnboundName) {
  const Error error = thrown_by([] { Bindings({"M=1"}).values({"M", "K", "N"}, launch({1})); });
  EXPECT_TRUE(contains(error.message(), "K, N"));
  EXPECT_FALSE(contains(error.message(), "M"));
  EXPECT_TRUE(contains(error.hint(), "--let K=...,N=..."));
}

TEST(Bindings, RefuseCircles) {
  for (const std::string text : {"a=a", "a=b,b=a", "a=a+a", "a=b+1,b=c+1,c=a+1"}) {
    const Error error = thrown_by([&] { Bindings({text}).values({"a"}, launch({1})); });
    EXPECT_TRUE(contains(error.message(), "needs itself")) << text;
  }
}

TEST(Bindings, RefuseBadTexts) {
  EXPECT_TRUE(contains(thrown_by([] { Bindings({"M=1,M=2"}); }).message(), "twice"));
  EXPECT_TRUE(contains(thrown_by([] { Bindings({"M=1", "M=1"}); }).message(), "twice"));
  for (const std::string text :
       {"M", "=3", "3=4", "M N=4", "M=", "M=1+", "M=(1", "M.x=3", "M==3", "M=1 2"}) {
    EXPECT_THROW(Bindings({text}), Error) << text;
  }
  EXPECT_EQ(thrown_by([] { Bindings({"M=1+"}); }).source(), "--let M");
}

TEST(Bindings, RefuseBadValues) {
  const auto value = [](const std::string& text) { Bindings({text}).values({"a"}, launch({1})); };
  for (const std::string text : {"a=1//0", "a=1%0", "a=9223372036854775807+1", "a=foo(1)", "a=b",
                                 "a=p0", "a=1<<64", "a=cdiv(1,0)", "a=(1,2)", "a=tl.cdiv(1)"}) {
    EXPECT_FALSE(thrown_by([&] { value(text); }).hint().empty()) << text;
  }
}

TEST(Bindings, TellWideNames) {
  EXPECT_EQ(Bindings({"a=2147483647,b=2147483648,c=5"}).wide_names(), (std::set<std::string>{"b"}));
}

// ---- ranges of spaces --------------------------------------------------------------------------

std::vector<Values> labels(const SpaceRange& range) {
  std::vector<Values> result;
  range.for_each([&](const Space& space) {
    result.push_back(range.label(space));
    return true;
  });
  return result;
}

TEST(SpaceRange, OneGrid) {
  const SpaceRange range("256x128", "", {});
  EXPECT_TRUE(range.is_single());
  EXPECT_EQ(range.first().launch, Grid({256, 128}));
  EXPECT_FALSE(range.first().tiles);
  EXPECT_EQ(range.shape(), (order::Shape{2, 2, false}));
  EXPECT_TRUE(contains(range.text(), "256x128"));
  EXPECT_EQ(labels(range), (std::vector<Values>{{256, 128}}));
}

TEST(SpaceRange, Ranges) {
  const SpaceRange range("1..3x5..6", "", {});
  EXPECT_FALSE(range.is_single());
  EXPECT_EQ(labels(range), (std::vector<Values>{{1, 5}, {1, 6}, {2, 5}, {2, 6}, {3, 5}, {3, 6}}));
  EXPECT_EQ(labels(SpaceRange("7..7", "", {})), (std::vector<Values>{{7}}));
  EXPECT_EQ(labels(SpaceRange("1..2x1..2x1..2", "", {})).size(), 8U);
}

TEST(SpaceRange, VisitsUntilToldToStop) {
  int visits = 0;
  SpaceRange("1..100", "", {}).for_each([&](const Space&) { return ++visits < 5; });
  EXPECT_EQ(visits, 5);
}

TEST(SpaceRange, TilesOfALaunch) {
  const SpaceRange range("1728", "48x36", {});
  EXPECT_TRUE(range.is_single());
  EXPECT_EQ(range.shape(), (order::Shape{1, 2, true}));
  EXPECT_EQ(range.first().tile_grid(), Grid({48, 36}));
  EXPECT_TRUE(contains(range.text(), "1728") && contains(range.text(), "tiles 48x36"));
}

TEST(SpaceRange, TilesAloneLaunchALine) {
  const SpaceRange range("", "1..2x3..4", {});
  EXPECT_EQ(labels(range), (std::vector<Values>{{1, 3}, {1, 4}, {2, 3}, {2, 4}}));
  EXPECT_EQ(range.first().launch, Grid({3}));
  EXPECT_EQ(range.shape(), (order::Shape{1, 2, true}));
}

TEST(SpaceRange, TilesByExpression) {
  const SpaceRange range("1..3", "g0*2,B", Bindings({"B=8"}));
  std::vector<Values> tiles;
  range.for_each([&](const Space& space) {
    tiles.push_back(space.tile_grid().extents());
    return true;
  });
  EXPECT_EQ(tiles, (std::vector<Values>{{2, 8}, {4, 8}, {6, 8}}));
  EXPECT_EQ(labels(range), (std::vector<Values>{{1}, {2}, {3}}));
}

// Commas separate extents, but not the arguments of a call.
TEST(SpaceRange, TilesByExpressionWithCalls) {
  const SpaceRange range("1..3", "max(g0,2),4", {});
  EXPECT_EQ(range.first().tile_grid(), Grid({2, 4}));
}

TEST(SpaceRange, LeavesOutWhatIsTooLarge) {
  EXPECT_EQ(labels(SpaceRange("1..2x1073741823..1073741824", "", {})),
            (std::vector<Values>{{1, 1073741823}, {1, 1073741824}, {2, 1073741823}}));
}

TEST(SpaceRange, RefusesBadTexts) {
  for (const std::string grid :
       {"0", "-1", "x", "8x", "x8", "8x8x8x8", "4..1", "0..4", "1..", "..4", "a", "1..2..3",
        "2147483648", "65536x32768", "1..2147483648", "8 8", "8.0", "g0"}) {
    EXPECT_FALSE(thrown_by([&] { SpaceRange(grid, "", {}); }).hint().empty()) << grid;
  }
  EXPECT_THROW(SpaceRange("", "", {}), Error);
  EXPECT_THROW(SpaceRange("8", "1..2x4", {}), Error);  // a range of tiles fixes no launch
  EXPECT_THROW(SpaceRange("", "g0,8", {}), Error);     // an expression needs a launch
  EXPECT_THROW(SpaceRange("8", "g0-8,8", {}), Error);  // no rows
  EXPECT_THROW(SpaceRange("8", "N,8", {}), Error);     // not bound
  EXPECT_THROW(SpaceRange("8", "2147483647,2", {}), Error);
  EXPECT_THROW(SpaceRange("8", "1//0,2", {}), Error);
}

TEST(Space, IndexesBothWays) {
  for (const Space& space :
       {launch({3, 4, 5}), tiled({3, 4, 5}), launch({7, 2}), tiled({7, 2}), launch({9})}) {
    for (std::int64_t tile = 0; tile < space.tile_count(); ++tile) {
      EXPECT_EQ(space.tile_at(space.index_of(TileId{tile})), TileId{tile});
    }
  }
  EXPECT_EQ(launch({3, 2}).tile_at({2, 1}), TileId{5});
  EXPECT_EQ(tiled({48, 36}).tile_at({2, 1}), TileId{73});
  EXPECT_EQ(launch({3, 2}).tile_at({3, 0}), std::nullopt);
  EXPECT_EQ(launch({3, 2}).tile_at({0, -1}), std::nullopt);
}

}  // namespace
}  // namespace heddle::testing
