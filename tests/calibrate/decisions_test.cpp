#include "calibrate/decisions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::calibrate {
namespace {

Interval around(double low, double high) {
  return {low, high};
}

TEST(Decision, an_interval_above_one_is_sure) {
  const Rival sure{1.2, Traffic::less, around(1.05, 1.3)};
  EXPECT_TRUE(is_surely_faster(sure, Risk::normal));
  EXPECT_TRUE(is_surely_faster(sure, Risk::low));
  const Rival same{1.2, Traffic::same, around(1.05, 1.3)};
  EXPECT_TRUE(is_surely_faster(same, Risk::normal));
  EXPECT_FALSE(is_surely_faster(same, Risk::low)) << "low risk asks for less traffic";
  const Rival close{1.04, Traffic::less, around(0.99, 1.1)};
  EXPECT_FALSE(is_surely_faster(close, Risk::normal));
  EXPECT_TRUE(is_surely_faster(close, Risk::high));
  EXPECT_TRUE(is_worth_measuring(close));
}

TEST(Decision, nothing_is_sure_without_an_interval_or_a_gain) {
  EXPECT_FALSE(is_surely_faster({1.5, Traffic::less, {}}, Risk::normal));
  EXPECT_FALSE(is_surely_faster({1.001, Traffic::less, around(1.0001, 1.1)}, Risk::normal));
  EXPECT_FALSE(is_surely_faster({1.022, Traffic::less, around(1.0005, 1.11)}, Risk::normal))
      << "a public kernel that measured 1.001x";
  EXPECT_FALSE(is_worth_measuring({1.001, Traffic::less, around(1.0001, 1.1)}));
  EXPECT_DOUBLE_EQ(gained(1.21, around(0.5, 2)).low, 1.1);
  EXPECT_NEAR(gained(1.21, around(0.5, 2)).high, 1.4641, 1e-12);
}

TEST(Decision, traffic_within_a_twentieth_is_the_same) {
  EXPECT_EQ(traffic_against(96, 100), Traffic::same);
  EXPECT_EQ(traffic_against(94, 100), Traffic::less);
  EXPECT_EQ(traffic_against(106, 100), Traffic::more);
}

/// A kernel of a family of its own, with orders that are predicted and measured so.
ComparedGroup group_of(int family, const std::vector<std::pair<double, double>>& orders,
                       Traffic traffic) {
  ComparedGroup group;
  group.gpu = group.gpu_name = "test";
  group.vendor = "amd";
  group.job = fmt::format("f{}.toml", family);
  ComparedPoint base;
  base.baseline = true;
  base.measured.family = fmt::format("f{}", family);
  group.points.push_back(base);
  for (const auto& [predicted, measured] : orders) {
    ComparedPoint point = base;
    point.baseline = false;
    point.predicted.speedup = predicted;
    point.predicted.traffic = traffic;
    point.measured_speedup = measured;
    group.points.push_back(point);
  }
  return group;
}

/// Ten families whose gains with less traffic are half as large as predicted.
std::vector<ComparedGroup> ten_families() {
  std::vector<ComparedGroup> groups;
  for (int family = 0; family < 10; ++family)
    groups.push_back(group_of(family, {{1.2, 1.1}, {1.0, 1.0}}, Traffic::less));
  return groups;
}

TEST(Decisions, gains_that_other_families_had_are_taken) {
  const std::vector<ComparedGroup> groups = ten_families();
  const auto decisions = decide_groups(groups, residuals_of(groups), Risk::normal);
  ASSERT_EQ(decisions.size(), 10U);
  for (const GroupDecision& one : decisions) {
    EXPECT_EQ(one.answer, GroupDecision::Answer::faster);
    EXPECT_EQ(one.chosen, 1U);
    EXPECT_DOUBLE_EQ(one.taken, 1.1);
    EXPECT_DOUBLE_EQ(one.regret_pct(), 0);
    EXPECT_FALSE(one.harmful());
  }
}

TEST(Decisions, a_family_does_not_speak_for_itself) {
  std::vector<ComparedGroup> groups = ten_families();
  // Of the last family nothing holds: the others do not know, and the answer does harm.
  groups.back() = group_of(9, {{1.2, 0.9}, {1.0, 1.0}}, Traffic::less);
  const auto decisions = decide_groups(groups, residuals_of(groups), Risk::normal);
  EXPECT_TRUE(decisions.back().harmful());
  EXPECT_NEAR(decisions.back().regret_pct(), 100 * (1 / 0.9 - 1), 1e-9);
  // And for the others it is one of nine, whose gains are no longer sure.
  EXPECT_EQ(decisions.front().answer, GroupDecision::Answer::measure);
  EXPECT_EQ(decisions.front().to_measure, (std::vector<std::size_t>{1}));
  EXPECT_DOUBLE_EQ(decisions.front().unmeasured, 1);
  EXPECT_DOUBLE_EQ(decisions.front().taken, 1.1) << "a measurement finds it";
  const DecisionSums sums(decisions);
  EXPECT_EQ(sums.faster, 1);
  EXPECT_EQ(sums.right, 0);
  EXPECT_EQ(sums.measure, 9);
}

TEST(Decisions, nothing_is_sure_where_registers_spill) {
  std::vector<ComparedGroup> groups = ten_families();
  for (ComparedPoint& point : groups.back().points) point.predicted.spills = true;
  const auto residuals = residuals_of(groups);
  const auto decisions = decide_groups(groups, residuals, Risk::normal);
  EXPECT_EQ(decisions.front().answer, GroupDecision::Answer::faster);
  EXPECT_EQ(decisions.back().answer, GroupDecision::Answer::measure);
  // Nor do others learn from its gains.
  EXPECT_EQ(std::ranges::count_if(residuals,
                                  [](const Residual& one) {
                                    return one.figure == Figure::gain_less && one.family == "f9";
                                  }),
            0);
}

TEST(Decisions, groups_of_one_order_are_not_decided) {
  const std::vector<ComparedGroup> groups = {group_of(1, {{1.2, 1.1}}, Traffic::less)};
  EXPECT_TRUE(decide_groups(groups, residuals_of(groups), Risk::normal).empty());
}

}  // namespace
}  // namespace heddle::calibrate
