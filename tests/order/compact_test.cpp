#include "order/compact.h"

#include "order/family.h"
#include "order/read.h"
#include "order/testing.h"

namespace heddle::testing {
namespace {

using order::read_compact;

TEST(Compact, ReadsStages) {
  const Order remap = read_compact("  xcd(8)|group( 4 ) ");
  ASSERT_EQ(remap.stages().size(), 2U);
  EXPECT_EQ(remap.title(), "xcd(8) | group(4)");
  EXPECT_EQ(read_compact("xcd_chunk(8, 64)").stages()[0].parameters,
            (std::vector<std::int64_t>{8, 64}));
  EXPECT_EQ(read_compact("identity").title(), "identity");
  EXPECT_EQ(read_compact("identity()").title(), "identity");
}

TEST(Compact, FirstStageFirst) {
  const Space space = launch({6, 5});
  const Map first = order::materialize(read_compact("xcd(4)"), space, {});
  const Map second = order::materialize(read_compact("group(3)"), space, {});
  EXPECT_EQ(order::materialize(read_compact("xcd(4) | group(3)"), space, {}),
            *order::compose(first, second));
  EXPECT_NE(order::materialize(read_compact("group(3) | xcd(4)"), space, {}),
            *order::compose(first, second));
  EXPECT_EQ(order::materialize(read_compact("group(3) | xcd(4)"), space, {}),
            *order::compose(second, first));
  EXPECT_EQ(order::materialize(order::compose(read_compact("xcd(4)"), read_compact("group(3)")),
                               space, {}),
            *order::compose(first, second));
}

TEST(Compact, Inverses) {
  const Space space = launch({7, 5});
  const Map map = order::materialize(read_compact("xcd(4) | snake | group(2)"), space, {});
  EXPECT_EQ(order::materialize(read_compact("inverse(xcd(4) | snake | group(2))"), space, {}),
            *order::invert(map));
  EXPECT_EQ(read_compact("inverse(xcd(4) | group(2))").title(),
            "inverse(group(2)) | inverse(xcd(4))");
  EXPECT_EQ(read_compact("inverse(inverse(xcd(4)))").title(), "xcd(4)");
  EXPECT_EQ(order::materialize(read_compact("xcd(4) | inverse(xcd(4))"), space, {}), counting(35));
  EXPECT_EQ(order::materialize(read_compact("inverse(hilbert) | hilbert"), space, {}),
            counting(35));
}

TEST(Compact, UnknownFamiliesListTheKnown) {
  const Error error = thrown_by([] { read_compact("xcd(8) | spiral(3)"); });
  EXPECT_TRUE(contains(error.message(), "'spiral'"));
  EXPECT_EQ(error.position().column, 10);
  for (const order::Family& family : order::families()) {
    EXPECT_TRUE(contains(error.hint(), std::string(family.name))) << family.name;
  }
}

TEST(Compact, ChecksParameters) {
  for (const std::string text : {"xcd(0)", "xcd(-8)", "xcd(2147483648)", "xcd(9223372036854775807)",
                                 "xcd_chunk(65536, 32768)", "xcd_chunk(8, 0)", "group(0)"}) {
    EXPECT_TRUE(
        contains(thrown_by([&] { read_compact(text); }).message(), "parameters are at least 1"))
        << text;
  }
  EXPECT_TRUE(contains(thrown_by([] { read_compact("xcd"); }).message(), "takes 1 parameter"));
  EXPECT_TRUE(
      contains(thrown_by([] { read_compact("xcd(8, 2)"); }).message(), "takes 1 parameter"));
  EXPECT_TRUE(
      contains(thrown_by([] { read_compact("identity(3)"); }).message(), "takes 0 parameter"));
  EXPECT_TRUE(
      contains(thrown_by([] { read_compact("xcd_chunk(8)"); }).hint(), "xcd_chunk(dies, chunk)"));
  EXPECT_NO_THROW(read_compact("xcd(2147483647)"));
  EXPECT_NO_THROW(read_compact("xcd_chunk(65536, 32767)"));
}

TEST(Compact, RefusesOtherTexts) {
  for (const std::string text :
       {"", "|", "xcd(8) |", "xcd(8) group(4)", "xcd(8", "xcd(8,", "xcd(8 4)", "xcd(a)", "xcd(8))",
        "inverse(xcd(8)", "inverse", "inverse()", "xcd(99999999999999999999)", "xcd(1-1)",
        "xcd(8)(4)", "(xcd(8))"}) {
    EXPECT_FALSE(thrown_by([&] { read_compact(text); }).hint().empty()) << text;
  }
}

TEST(Compact, IsBounded) {
  EXPECT_THROW(read_compact(repeat("inverse(", 10000) + "xcd(8)" + repeat(")", 10000)), Error);
  EXPECT_THROW(read_compact("xcd(8)" + repeat(" | xcd(8)", 10000)), Error);
  EXPECT_NO_THROW(read_compact("xcd(8)" + repeat(" | xcd(8)", 63)));
  const Order longest = read_compact("hilbert" + repeat(" | inverse(hilbert)", 63));
  EXPECT_EQ(order::materialize(longest, launch({3, 5}), {}).size(), 15U);
}

TEST(Compact, WalksNeedAPlane) {
  const Error error =
      thrown_by([] { order::materialize(read_compact("group(4)"), launch({64}), {}); });
  EXPECT_TRUE(contains(error.message(), "rows and columns"));
  EXPECT_TRUE(contains(error.hint(), "--tiles"));
}

TEST(Compact, IsToldFromFormulas) {
  for (const std::string text :
       {"xcd(8)", " group(4) | xcd(8)", "identity", "inverse(xcd(8))", "xcd | 3"}) {
    EXPECT_TRUE(order::looks_compact(text)) << text;
  }
  for (const std::string text :
       {"p0", "xcd = p0", "reverse + 1", "tile = xcd(8)", "", "spiral(3)"}) {
    EXPECT_FALSE(order::looks_compact(text)) << text;
  }
  EXPECT_EQ(order::read_order("xcd(8)", {}).origin(), Order::Origin::family);
  EXPECT_EQ(order::read_order("p0 % 8", {}).origin(), Order::Origin::formula);
  EXPECT_EQ(order::read_order("p1, 0", {}).origin(), Order::Origin::formula);
  EXPECT_TRUE(contains(thrown_by([] { order::read_order("no/such/file", {}); }).message(),
                       "neither a file nor an order"));
}

TEST(OrderValue, OnlyFamiliesComposeAndInvert) {
  const Order formula = triton("p0").order();
  const Order family = read_compact("xcd(8)");
  EXPECT_THROW(order::compose(formula, family), Error);
  EXPECT_THROW(order::compose(family, formula), Error);
  EXPECT_THROW(order::inverse(formula), Error);
  EXPECT_THROW(Order::from_table({0}, "t").program({1, 1, false}, {}), Error);
}

TEST(OrderMap, InvertsPermutationsOnly) {
  EXPECT_EQ(*order::invert({2, 0, 1}), (Map{1, 2, 0}));
  EXPECT_EQ(*order::invert({}), (Map{}));
  EXPECT_FALSE(order::invert({0, 0}));
  EXPECT_FALSE(order::invert({0, 2}));
  EXPECT_FALSE(order::invert({order::kIdle, 0}));
  EXPECT_FALSE(order::invert({0, order::kFailed}));
}

TEST(OrderMap, Composes) {
  EXPECT_EQ(*order::compose(Map{2, 0, 1}, Map{5, 6, 7}), (Map{7, 5, 6}));
  EXPECT_FALSE(order::compose(Map{3}, Map{0}));
  EXPECT_FALSE(order::compose(Map{order::kIdle}, Map{0}));
}

}  // namespace
}  // namespace heddle::testing
