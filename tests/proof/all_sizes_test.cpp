#include "proof/all_sizes.h"

#include "order/family.h"
#include "proof/proven_order.h"
#include "proof/testing.h"

namespace heddle::testing {
namespace {

constexpr order::Shape kLine{1, 1, false};
constexpr order::Shape kPlane{2, 2, false};
constexpr order::Shape kTiles{1, 2, true};

AllSizesReport all_sizes(const Text& text, const order::Shape& shape = kLine, int seconds = 60) {
  return proof::check_all_sizes(text.order(), shape, text.bindings(), within(seconds));
}

void expect_proved(const Text& text, const order::Shape& shape = kLine) {
  const AllSizesReport report = all_sizes(text, shape, 30);
  EXPECT_EQ(report.verdict, Verdict::proved) << text.text << "\n" << report.reason;
  EXPECT_EQ(report.method, "by Z3");
  EXPECT_FALSE(report.checked_range.empty());
  EXPECT_FALSE(report.failure);
}

TEST(AllSizes, FamiliesByConstruction) {
  for (const order::Family& family : order::families()) {
    std::string text(family.name);
    if (family.parameters.size() == 1) text += "(8)";
    if (family.parameters.size() == 2) text += "(8, 16)";
    for (const std::string& each : {text, "inverse(" + text + ")", text + " | xcd(8)"}) {
      const Order remap = order::read_compact(each);
      const AllSizesReport report = proof::check_all_sizes(remap, kPlane, {}, within(10));
      EXPECT_EQ(report.verdict, Verdict::proved) << each;
      EXPECT_EQ(report.method, "by construction");
      ASSERT_GE(report.argument.size(), remap.stages().size());
      for (std::size_t i = 0; i < remap.stages().size(); ++i) {
        EXPECT_TRUE(contains(report.argument[i], remap.stages()[i].text())) << report.argument[i];
      }
      EXPECT_EQ(report.argument.size(), remap.stages().size() > 1 ? remap.stages().size() + 1 : 1U);
    }
  }
  EXPECT_THROW(proof::check_all_sizes(order::read_compact("hilbert"), kLine, {}, within(10)),
               Error);
}

TEST(AllSizes, TablesSpeakOfOneGrid) {
  EXPECT_THROW(proof::check_all_sizes(Order::from_table({0}, "t"), kLine, {}, within(10)), Error);
}

TEST(AllSizes, SolvedLines) {
  expect_proved(triton("p0"));
  expect_proved(triton("g0 - 1 - p0"));
  expect_proved(
      triton("p0 + 1 if p0 % 2 == 0 and p0 + 1 < g0 else (p0 - 1 if p0 % 2 == 1 else p0)"));
}

std::string contiguous(const std::string& longest) {
  return "n = tl.num_programs(0)\npid = tl.program_id(0)\nlongest = " + longest +
         "\ntall = n % 8\n"
         "tall = 8 if tall == 0 else tall\ndie = pid % 8\nlocal = pid // 8\n"
         "if die < tall:\n    pid = die * longest + local\n"
         "else:\n    pid = tall * longest + (die - tall) * (longest - 1) + local\n";
}

TEST(AllSizes, SolvedContiguous) {  // R2, and its shorter form
  expect_proved(triton(contiguous("(n - 1) // 8 + 1")));
  expect_proved(triton("die = p0 % 8\ntile = die * (g0 // 8) + min(die, g0 % 8) + p0 // 8"));
}

// As published R2 rounds up by (n + 7) // 8, which leaves int32 on the last seven sizes.
TEST(AllSizes, RoundingUpOverflowsOnTheLargestGrids) {
  const AllSizesReport report = all_sizes(triton(contiguous("tl.cdiv(n, 8)")));
  EXPECT_EQ(report.verdict, Verdict::refuted);
  ASSERT_TRUE(report.failure && report.failure->counterexample);
  EXPECT_EQ(report.failure->counterexample->kind, Counterexample::Kind::arithmetic);
  EXPECT_GE(report.failure->launched, 2147483641);
}

TEST(AllSizes, SolvedChunks) {  // R3
  expect_proved(
      triton("pid = p0\nif pid <= g0 // 16 * 16:\n    local = p0 // 8\n    pid = local // 2 * 16 + "
             "p0 % 8 * 2 + local % 2\n"));
}

TEST(AllSizes, SolvedTails) {  // R6, R7 with D = 0
  expect_proved(triton("p0 if p0 > g0 - 1 - g0 % 4 else p0 // 4 + p0 % 4 * (g0 // 4)"));
  expect_proved(triton("p0 if p0 >= g0 // 8 * 8 else p0 // 8 + p0 % 8 * (g0 // 8)"));
}

TEST(AllSizes, SolvedPlanes) {
  expect_proved(triton("g0 - 1 - p0, p1"), kPlane);
  expect_proved(triton("p0, g1 - 1 - p1"), kPlane);
  expect_proved(triton("p0, p1"), kPlane);
}

TEST(AllSizes, RefutedOnSmallGrids) {
  const AllSizesReport report = all_sizes(triton("p0 % 8 * (g0 // 8) + p0 // 8"));  // R1
  EXPECT_EQ(report.verdict, Verdict::refuted);
  EXPECT_EQ(report.method, "by counterexample");
  ASSERT_TRUE(report.failure);
  EXPECT_EQ(report.failure->launched, 2);
  expect_true_counterexample(*report.failure,
                             triton("p0 % 8 * (g0 // 8) + p0 // 8").on(launch({2})));
  EXPECT_EQ(all_sizes(triton("p1, p0"), kPlane).verdict, Verdict::refuted);
  EXPECT_EQ(all_sizes(triton("p0 % t1, p0 // t1"), kTiles).verdict, Verdict::refuted);
}

TEST(AllSizes, RefutedBeyondTheCheckedRange) {
  const Text text = triton("p0 if g0 < 5000 else min(p0, 4998)");
  const AllSizesReport report = all_sizes(text);
  EXPECT_EQ(report.verdict, Verdict::refuted) << report.reason;
  ASSERT_TRUE(report.failure);
  EXPECT_GE(report.failure->launched, 5000);
  ASSERT_TRUE(report.failure->counterexample);
  EXPECT_EQ(report.failure->counterexample->kind, Counterexample::Kind::collision);
  EXPECT_EQ(report.failure->counterexample->tile, TileId{4998});
}

/// Too large to count, but the two blocks stand at its ends.
TEST(AllSizes, RefutedAtTheEndsOfLargeGrids) {
  for (const char* text : {"min(p0, 2000000000)", "p0 % 2147483646", "p0 & 1073741823"}) {
    const AllSizesReport report = all_sizes(triton(text));
    EXPECT_EQ(report.verdict, Verdict::refuted) << text << "\n" << report.reason;
    ASSERT_TRUE(report.failure && report.failure->counterexample) << text;
    EXPECT_EQ(report.failure->counterexample->kind, Counterexample::Kind::collision);
    EXPECT_FALSE(report.failure->counted);
  }
}

TEST(AllSizes, RefutedByOverflow) {
  const AllSizesReport report = all_sizes(triton("p0 * 4 // 4"));
  EXPECT_EQ(report.verdict, Verdict::refuted);
  ASSERT_TRUE(report.failure && report.failure->counterexample);
  EXPECT_EQ(report.failure->counterexample->kind, Counterexample::Kind::arithmetic);
  EXPECT_GT(report.failure->counterexample->first->value, 536870911);  // 4 * p0 needs 2^31
  EXPECT_TRUE(contains(report.failure->counterexample->message, "int32 overflow"));
  EXPECT_EQ(all_sizes(triton("r, c = p0 * 2 // 2 // t1, p0 % t1"), kTiles).verdict,
            Verdict::refuted);
  EXPECT_EQ(all_sizes(triton("tile = p0 * N // N", "N=100")).verdict, Verdict::refuted);
}

TEST(AllSizes, UnknownSaysWhy) {
  const AllSizesReport loop = all_sizes(triton("x = 0\nwhile x < p0:\n    x = p0\ntile = x"));
  EXPECT_EQ(loop.verdict, Verdict::unknown);
  EXPECT_TRUE(contains(loop.reason, "loops")) << loop.reason;
  EXPECT_TRUE(contains(loop.checked_range, "1..1024"));
  EXPECT_TRUE(loop.method.empty());
  const AllSizesReport late = all_sizes(triton("p0"), kLine, 0);
  EXPECT_EQ(late.verdict, Verdict::unknown);
  EXPECT_TRUE(contains(late.reason, "time limit"));
}

TEST(AllSizes, IdleBlocksAreNotDecided) {
  const AllSizesReport report = all_sizes(triton("tile = p0\nif p0 >= g0:\n    return\ntile = p0"));
  EXPECT_NE(report.verdict, Verdict::refuted);
  EXPECT_EQ(report.verdict == Verdict::unknown, !report.reason.empty());
}

// A conversion to bool keeps no more than whether a value is 0: this fails from 4,001 blocks on.
TEST(AllSizes, BooleansHoldOneBit) {
  const Text text =
      c_like("bool late = blockIdx.x / 2000; int tile = late * 2000 + blockIdx.x % 2000;");
  EXPECT_EQ(check(text, launch({4000})).verdict, Verdict::proved);
  EXPECT_EQ(check(text, launch({4001})).verdict, Verdict::refuted);
  EXPECT_NE(all_sizes(text).verdict, Verdict::proved);
}

// 2^40 * p0 leaves 64 bits at launch id 2^23, on one size only.
TEST(AllSizes, SixtyFourBitsOverflowToo) {
  const Text text = triton(
      "w = p0.to(tl.int64)\nif g0 == 20000000:\n    w = w * 1099511627776 // 1099511627776\ntile = "
      "w");
  EXPECT_NE(all_sizes(text).verdict, Verdict::proved);
  const Text opencl = c_like(
      "size_t w = get_group_id(0); if (get_num_groups(0) == 20000000) w = w * 1099511627776ul / "
      "1099511627776ul; size_t tile = w;");
  EXPECT_NE(all_sizes(opencl).verdict, Verdict::proved);
}

TEST(AllSizes, ProvenOrderOnlyWhereProved) {
  AllSizesReport report;
  const auto family =
      proof::prove_all_sizes(order::read_compact("xcd(8)"), kLine, {}, within(10), report);
  ASSERT_TRUE(family);
  EXPECT_EQ(family->scope(), "every grid under 2^31 blocks");
  EXPECT_TRUE(family->plain_division() && family->plain_integers());
  const auto formula =
      proof::prove_all_sizes(triton("g0 - 1 - p0").order(), kLine, {}, within(10), report);
  EXPECT_TRUE(formula);
  EXPECT_FALSE(proof::prove_all_sizes(triton("p0 // 2").order(), kLine, {}, within(10), report));
  EXPECT_EQ(report.verdict, Verdict::refuted);
  EXPECT_FALSE(proof::prove_all_sizes(triton("x = 0\nwhile x < p0:\n    x = p0\ntile = x").order(),
                                      kLine, {}, within(10), report));
  EXPECT_EQ(report.verdict, Verdict::unknown);
}

}  // namespace
}  // namespace heddle::testing
