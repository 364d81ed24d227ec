#include "proof/proven_order.h"
#include "proof/testing.h"

namespace heddle::testing {
namespace {

RangeReport range(const Text& text, const std::string& grids, int seconds,
                  const std::string& tiles = {}) {
  const Bindings bindings = text.bindings();
  return proof::check_range(text.order(), order::SpaceRange(grids, tiles, bindings), bindings,
                            within(seconds));
}

TEST(CheckRange, ListsEveryFailingSize) {
  const RangeReport report = check_range(triton("p0 % 3 * (g0 // 3) + p0 // 3"), "1..50");
  EXPECT_EQ(report.verdict, Verdict::refuted);
  EXPECT_EQ(report.grids_checked, 50);
  EXPECT_TRUE(contains(report.range, "1..50"));
  std::vector<std::vector<std::int64_t>> wanted;
  for (std::int64_t n = 1; n <= 50; ++n) {
    if (!is_permutation(n, [&](auto p) { return p % 3 * (n / 3) + p / 3; })) wanted.push_back({n});
  }
  EXPECT_EQ(report.failing_sizes, wanted);
}

TEST(CheckRange, TwoAxes) {
  const RangeReport report = check_range(triton("p1, p0"), "1..6x1..6");
  EXPECT_EQ(report.failing_sizes.size(), 30U);  // all but the squares
  EXPECT_EQ(report.failing_sizes.front(), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(report.failing_sizes.back(), (std::vector<std::int64_t>{6, 5}));
  ASSERT_TRUE(report.smallest_failure);
  EXPECT_EQ(report.smallest_failure->launched, 2);
}

TEST(CheckRange, TheSmallestFailureHasTheFewestBlocks) {
  const RangeReport report =
      check_range(triton("y = 0 if g1 == 5 or g0 * g1 == 6 else p1\nx = p0\nx, y"), "2..3x2..5");
  ASSERT_TRUE(report.smallest_failure);
  EXPECT_EQ(report.smallest_failure->launched, 6);
  EXPECT_EQ(report.failing_sizes.front(), (std::vector<std::int64_t>{2, 3}));
}

TEST(CheckRange, TilesLabelTheirSizes) {
  const RangeReport report = check_range(triton("r, c = p0 // 4, p0 % 4"), "", "2x3..5");
  EXPECT_EQ(report.failing_sizes, (std::vector<std::vector<std::int64_t>>{{2, 3}, {2, 5}}));
}

TEST(CheckRange, BindingsFollowTheSize) {
  EXPECT_EQ(check_range(triton("N // 32 - 1 - p0", "N=32*g0"), "1..60").verdict, Verdict::proved);
  EXPECT_EQ(check_range(triton("N // 32 - 1 - p0", "N=320"), "1..60").failing_sizes.size(), 59U);
}

TEST(CheckRange, IdentityHoldsOnEveryGrid) {
  EXPECT_TRUE(check_range(triton("p0 * g0 // g0"), "1..60").identity);
  EXPECT_FALSE(check_range(triton("p0 if g0 < 60 else g0 - 1 - p0"), "1..60").identity);
}

TEST(CheckRange, AgreesWithCheckGrid) {
  for (const std::string text : {"p0 ^ 1", "p0 * 7 % g0", "(p0 + 3) % g0", "p0 & 6 | p0 & 1"}) {
    const RangeReport report = check_range(triton(text), "1..70");
    std::vector<std::vector<std::int64_t>> failing;
    for (std::int64_t n = 1; n <= 70; ++n) {
      if (check(triton(text), launch({n})).verdict == Verdict::refuted) failing.push_back({n});
    }
    EXPECT_EQ(report.failing_sizes, failing) << text;
  }
}

TEST(CheckRange, TheTimeLimitLeavesItOpen) {
  const RangeReport report = range(triton("p0"), "1..100000", 0);
  EXPECT_EQ(report.verdict, Verdict::unknown);
  EXPECT_TRUE(contains(report.reason, "time limit of 0 s"));
  EXPECT_LT(report.grids_checked, 100000);
  EXPECT_EQ(range(triton("p0 + 1"), "1..100000", 0).verdict,
            Verdict::refuted);  // a counterexample stands
}

// Whatever was looked at in full is decided, however long it took.
TEST(CheckRange, TheTimeLimitDoesNotUndoAFinishedCheck) {
  EXPECT_EQ(range(triton("p0"), "8", 0).verdict, Verdict::proved);
}

TEST(CheckRange, AnEndlessLoopIsUnknown) {
  const RangeReport report =
      check_range(triton("x = p0\nwhile x > 5:\n    x = x + 0\ntile = p0"), "1..8");
  EXPECT_EQ(report.verdict, Verdict::unknown);
  EXPECT_TRUE(contains(report.reason, "grid 7"));
}

// No grid of the range exists, so nothing was proved.
TEST(CheckRange, AnEmptyRangeProvesNothing) {
  try {
    const RangeReport report = check_range(triton("p0 * 0"), "50000..50001x50000..50001");
    EXPECT_NE(report.verdict, Verdict::proved);
  } catch (const Error&) {
  }
}

TEST(ProvenOrder, OnlyWhereProved) {
  const Text good = triton("g0 - 1 - p0");
  const Text bad = triton("p0 // 2");
  RangeReport report;
  const auto proven =
      proof::prove_range(good.order(), order::SpaceRange("1..64", "", {}), {}, within(60), report);
  ASSERT_TRUE(proven);
  EXPECT_EQ(report.verdict, Verdict::proved);
  EXPECT_EQ(proven->scope(), "grids 1..64");
  EXPECT_TRUE(proven->plain_division());
  EXPECT_TRUE(proven->plain_integers());
  EXPECT_EQ(proven->shape(), (order::Shape{1, 1, false}));
  EXPECT_FALSE(
      proof::prove_range(bad.order(), order::SpaceRange("1..64", "", {}), {}, within(60), report));
  EXPECT_EQ(report.verdict, Verdict::refuted);
  EXPECT_FALSE(proof::prove_range(good.order(), order::SpaceRange("1..100000", "", {}), {},
                                  within(0), report));
  EXPECT_EQ(report.verdict, Verdict::unknown);
}

TEST(ProvenOrder, SaysForWhat) {
  RangeReport report;
  EXPECT_EQ(proof::prove_range(order::read_compact("group(4)"), order::SpaceRange("16x8", "", {}),
                               {}, within(60), report)
                ->scope(),
            "grid 16x8");
  const auto floor = proof::prove_range(triton("(p0 - 3) // 8 * 0 + p0").order(),
                                        order::SpaceRange("8", "", {}), {}, within(60), report);
  ASSERT_TRUE(floor);
  EXPECT_FALSE(floor->plain_division());
  EXPECT_TRUE(floor->plain_integers());
  const auto wide = proof::prove_range(triton("p0.to(tl.int64) * 5000000000 // 5000000000").order(),
                                       order::SpaceRange("8", "", {}), {}, within(60), report);
  ASSERT_TRUE(wide);
  EXPECT_FALSE(wide->plain_integers());
}

TEST(ProvenOrder, CannotBeMadeOtherwise) {
  EXPECT_FALSE((std::is_default_constructible_v<proof::ProvenOrder>));
  EXPECT_FALSE(
      (std::is_constructible_v<proof::ProvenOrder, Order, Bindings, order::Shape, std::string>));
}

}  // namespace
}  // namespace heddle::testing
