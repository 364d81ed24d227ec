// Proposals are read and proved before anybody replays them; nothing that they say is believed.
#include "search/judge.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "search/given.h"
#include "search/testing.h"

namespace heddle::search {
namespace {

JudgeOptions options_on(std::vector<std::int64_t> extents, bool fixed_grid = false) {
  JudgeOptions options;
  options.space.launch = Grid(std::move(extents));
  options.dies = 8;
  options.fixed_grid = fixed_grid;
  return options;
}

Proposal text(const std::string& formula, const order::ReadOptions& reading = {}) {
  return read_given(formula, "test", reading).proposals.at(0);
}

TEST(Judge, RefutesWithACounterexample) {
  Judge judge(options_on({9}));
  const Judged judged = judge.judge(text("tile = (p0 % 8) * (g0 // 8) + p0 // 8"), 3);
  EXPECT_EQ(judged.attempt.iteration, 3);
  EXPECT_EQ(judged.attempt.proposer, "test");
  EXPECT_EQ(judged.attempt.verdict, Verdict::refuted);
  ASSERT_TRUE(judged.attempt.counterexample);
  EXPECT_EQ(judged.attempt.counterexample->kind, Counterexample::Kind::collision);
  EXPECT_EQ(judged.attempt.counterexample->first->value, 1);
  EXPECT_EQ(judged.attempt.counterexample->second->value, 8);
  EXPECT_EQ(judged.attempt.distinct_tiles, 8);
  EXPECT_FALSE(judged.proven);
  EXPECT_TRUE(judged.map.empty());
  EXPECT_FALSE(judged.attempt.sizes);
  EXPECT_FALSE(judge.generalized(judged));
}

TEST(Judge, KindsOfFailure) {
  Judge judge(options_on({16}, true));
  const auto kind = [&](const std::string& formula) {
    const Judged judged = judge.judge(text(formula), 1);
    EXPECT_EQ(judged.attempt.verdict, Verdict::refuted) << formula << judged.attempt.reason;
    EXPECT_FALSE(judged.proven) << formula;
    if (!judged.attempt.counterexample) return std::string("none");
    return kind_text(judged.attempt.counterexample->kind);
  };
  EXPECT_EQ(kind("tile = 3 + p0 * 0"), "collision");
  EXPECT_EQ(kind("tile = p0 + 1"), "outside");
  EXPECT_EQ(kind("tile = 0 - p0"), "outside");
  EXPECT_EQ(kind("tile = p0 // (p0 - p0)"), "arithmetic");
  EXPECT_EQ(kind("tile = p0 * 2000000000 // 2000000000"), "arithmetic");
  EXPECT_EQ(kind("tile = p0 if p0 != 5 else 4"), "collision");
}

TEST(Judge, WhatCannotBeReadIsUnknown) {
  Judge judge(options_on({16}));
  for (const std::string formula :
       {"tile = (((", "no order at all", "xcd(0)", "tile = q + 1", "digits(x -> y)"}) {
    const Judged judged = judge.judge(text(formula), 1);
    EXPECT_EQ(judged.attempt.verdict, Verdict::unknown) << formula;
    EXPECT_FALSE(judged.attempt.reason.empty()) << formula;
    EXPECT_FALSE(judged.proven) << formula;
  }
  // A walk needs rows and columns; digits of three axes need a box.
  for (const std::string formula : {"columns", "digits(z y x -> x, y, z)"}) {
    const Judged judged = judge.judge(text(formula), 1);
    EXPECT_EQ(judged.attempt.verdict, Verdict::unknown) << formula;
    EXPECT_FALSE(judged.attempt.reason.empty()) << formula;
  }
  Proposal nothing;
  nothing.proposer = "test";
  nothing.unreadable = "why";
  EXPECT_EQ(judge.judge(nothing, 1).attempt.reason, "why");
}

TEST(Judge, BlocksThatDoNothingAreNoOrder) {
  Judge judge(options_on({16}));
  const Judged judged = judge.judge(text("if p0 >= 16:\n    return\ntile = p0"), 1);
  EXPECT_EQ(judged.attempt.verdict, Verdict::proved);
  const Judged idle = judge.judge(text("if p0 >= 15:\n    return\ntile = p0"), 2);
  EXPECT_NE(idle.attempt.verdict, Verdict::proved);
  EXPECT_FALSE(idle.proven);
}

TEST(Judge, SameMapsAreTheSameWhateverTheText) {
  Judge judge(options_on({16, 8}));
  const Judged first = judge.judge(text("columns"), 1);
  EXPECT_FALSE(first.attempt.same_as);
  for (const std::string formula : {"digits(x y -> y, x)", "inverse(inverse(columns))",
                                    "columns | identity", "digits(x y r=2 -> y r, x)"}) {
    const Judged again = judge.judge(text(formula), 2);
    EXPECT_EQ(again.attempt.same_as, 1) << formula;
    EXPECT_EQ(again.attempt.map_hash, first.attempt.map_hash) << formula;
  }
  const Judged other = judge.judge(text("digits(x r=2 y -> y, r x)"), 3);
  EXPECT_FALSE(other.attempt.same_as);
  EXPECT_NE(other.attempt.map_hash, first.attempt.map_hash);
  EXPECT_TRUE(judge.judge(text("identity"), 4).attempt.identity);
}

TEST(Judge, ABetterProofOfTheSameMapIsNew) {
  Judge judge(options_on({64}));
  // Right on 64 blocks only.
  const Judged grid_only = judge.judge(text("tile = (p0 % 8) * 8 + p0 // 8"), 1);
  EXPECT_EQ(grid_only.attempt.verdict, Verdict::proved);
  EXPECT_EQ(grid_only.attempt.sizes, ProvedSizes::grid);
  EXPECT_EQ(grid_only.attempt.scope, "grid 64");
  const Judged all = judge.judge(text("xcd(8)"), 2);
  EXPECT_EQ(all.attempt.sizes, ProvedSizes::all);
  EXPECT_FALSE(all.attempt.same_as);
  EXPECT_EQ(all.map, grid_only.map);
  EXPECT_EQ(judge.judge(text("xcd_tail(8)"), 3).attempt.same_as, 2);
}

TEST(Judge, NamesOfTheKernelKeepAFormulaToItsGrid) {
  JudgeOptions options = options_on({64});
  options.bindings = order::Bindings({"N=64"});
  Judge judge(options);
  const Judged judged = judge.judge(text("tile = N - 1 - p0"), 1);
  EXPECT_EQ(judged.attempt.verdict, Verdict::proved) << judged.attempt.reason;
  EXPECT_EQ(judged.attempt.sizes, ProvedSizes::grid);
  EXPECT_EQ(judge.judge(text("tile = g0 - 1 - p0"), 2).attempt.sizes, ProvedSizes::all);
}

TEST(Judge, GeneralizesAGridOnlyFormulaToADigitOrder) {
  struct Case {
    std::vector<std::int64_t> grid;
    std::string formula;
  };
  for (const Case& each : std::vector<Case>{
           {{64}, "tile = (p0 % 8) * 8 + p0 // 8"},
           {{256}, "tile = ((p0 >> 4) | ((p0 & 15) << 4))"},
           {{16, 16}, "t = p0 + p1 * 16\nt = (t % 8) * 32 + t // 8\nx, y = t % 16, t // 16"},
           {{8, 8, 4}, "x, y, z = p1, p0, p2"}}) {
    Judge judge(options_on(each.grid, true));
    const Judged judged = judge.judge(text(each.formula), 1);
    ASSERT_EQ(judged.attempt.verdict, Verdict::proved)
        << each.formula << ": " << judged.attempt.reason;
    ASSERT_EQ(judged.attempt.sizes, ProvedSizes::grid) << each.formula;
    const auto general = judge.generalized(judged);
    ASSERT_TRUE(general) << each.formula;
    EXPECT_EQ(general->formula.substr(0, 7), "digits(");
    const Judged again = judge.judge(*general, 2);
    EXPECT_EQ(again.attempt.verdict, Verdict::proved);
    EXPECT_EQ(again.attempt.sizes, ProvedSizes::all);
    EXPECT_EQ(again.map, judged.map) << general->formula;
    EXPECT_FALSE(again.attempt.same_as);
    EXPECT_FALSE(judge.generalized(again));  // there is nothing more to gain
  }
  Judge judge(options_on({64}, true));
  const Judged reversed = judge.judge(text("tile = 63 - p0"), 1);
  ASSERT_EQ(reversed.attempt.verdict, Verdict::proved);
  EXPECT_FALSE(judge.generalized(reversed));
}

TEST(Judge, ADigitPermutationOfTooManyDigitsIsNotGeneralized) {
  // All bits in reverse: 17 are more digits than a digit order may have.
  for (const int bits : {16, 17}) {
    Judge judge(options_on({std::int64_t{1} << bits}, true));
    order::ReadOptions reading;
    reading.results = {"tile"};
    const Judged judged =
        judge.judge(text("rest = p0\ntile = 0\nfor i in range(" + std::to_string(bits) +
                             "):\n    tile = tile * 2 + rest % 2\n    rest = rest // 2",
                         reading),
                    1);
    ASSERT_EQ(judged.attempt.verdict, Verdict::proved) << judged.attempt.reason;
    EXPECT_EQ(judge.generalized(judged).has_value(), bits == 16);
  }
}

TEST(Judge, HashesTellMapsApart) {
  EXPECT_NE(hash_of({0, 1}), hash_of({1, 0}));
  EXPECT_NE(hash_of({0}), hash_of({0, 0}));
  EXPECT_EQ(hash_of({3, 1, 2}), hash_of({3, 1, 2}));
  // Whichever two tiles change places.
  const order::Map map = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  std::set<std::uint64_t> hashes = {hash_of(map)};
  for (std::size_t a = 0; a < map.size(); ++a)
    for (std::size_t b = a + 1; b < map.size(); ++b) {
      order::Map swapped = map;
      std::swap(swapped[a], swapped[b]);
      EXPECT_TRUE(hashes.insert(hash_of(swapped)).second) << a << " and " << b;
    }
}

}  // namespace
}  // namespace heddle::search
