#include "calibrate/score.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/error.h"

namespace heddle::calibrate {
namespace {

ComparedPoint point(double real, double model, std::optional<double> speedup = {},
                    double predicted = 1, bool permutation = true) {
  ComparedPoint result;
  result.measured.l2_hit_pct = real;
  result.predicted.l2_hit_pct = model;
  result.measured_speedup = speedup;
  result.predicted.speedup = predicted;
  result.permutation = permutation;
  result.baseline = !speedup;
  return result;
}

ComparedGroup group(std::string gpu, std::vector<ComparedPoint> points) {
  ComparedGroup result;
  result.job = "a/k.toml";
  result.gpu = std::move(gpu);
  result.points = std::move(points);
  score_group(result);
  return result;
}

TEST(Score, ranks_are_spearmans) {
  EXPECT_DOUBLE_EQ(*rank_correlation({1, 2, 3}, {10, 20, 15}), 0.5);
  EXPECT_DOUBLE_EQ(*rank_correlation({1, 2, 3, 4}, {4, 3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(*rank_correlation({1, 2, 2, 3}, {5, 6, 6, 9}), 1);
  // Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4.
  EXPECT_NEAR(*rank_correlation({1, 2, 2, 3}, {5, 6, 7, 9}), 4.5 / std::sqrt(4.5 * 5), 1e-12);
  EXPECT_FALSE(rank_correlation({1, 2}, {1, 2}));
  EXPECT_FALSE(rank_correlation({1, 1, 1}, {1, 2, 3}));
}

TEST(Score, means_and_worst_points_of_each_gpu) {
  const std::vector<ComparedGroup> groups = {
      group("a", {point(30, 28), point(5, 15, 0.9, 0.99), point(99, 99, 1.2, 2.4, false)}),
      group("b", {point(10, 10)}), group("a", {point(50, 49), point(50, 51, 1.1, 0.99)})};
  const auto scores = score_gpus(groups);
  ASSERT_EQ(scores.size(), 2U);
  const GpuScore& score = scores[0];
  EXPECT_EQ(score.gpu, "a");
  EXPECT_EQ(score.points, 5);
  EXPECT_EQ(score.l2.count, 5);
  EXPECT_DOUBLE_EQ(score.l2.mean, (2 + 10 + 0 + 1 + 1) / 5.0);
  EXPECT_DOUBLE_EQ(score.l2.largest, 10);
  EXPECT_EQ(score.l2.worst.group, 0U);
  EXPECT_EQ(score.l2.worst.point, 1U);
  EXPECT_EQ(score.speedup.count, 2);
  EXPECT_NEAR(score.speedup.largest, 10, 1e-9);
  EXPECT_EQ(score.speedup_others.count, 1);
  EXPECT_NEAR(score.speedup_others.mean, 100, 1e-9);
  ASSERT_EQ(score.wrong_signs.size(), 1U);
  EXPECT_EQ(score.wrong_signs[0].group, 2U);
  EXPECT_EQ(score.groups, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(scores[1].speedup.count, 0);
}

TEST(Score, small_effects_have_no_wrong_sign) {
  EXPECT_FALSE(point(0, 0, 1.04, 0.9).wrong_sign());
  EXPECT_TRUE(point(0, 0, 1.06, 1.0).wrong_sign());
  EXPECT_TRUE(point(0, 0, 0.94, 1.0).wrong_sign());
  EXPECT_FALSE(point(0, 0, 0.94, 0.999).wrong_sign());
}

TEST(Score, the_fastest_is_sought_among_permutations) {
  const ComparedGroup found = group(
      "a", {point(1, 1), point(1, 1, 1.1, 1.3), point(1, 1, 1.2, 1.2), point(1, 1, 9, 9, false)});
  EXPECT_EQ(found.fastest_measured, 2U);
  EXPECT_EQ(found.fastest_predicted, 1U);
  EXPECT_FALSE(found.fastest_right());
  const ComparedGroup baseline = group("a", {point(1, 1), point(1, 1, 0.9, 0.8)});
  EXPECT_EQ(baseline.fastest_measured, 0U);
  EXPECT_TRUE(baseline.fastest_right());
  EXPECT_FALSE(group("a", {point(1, 1)}).fastest_measured);
}

/// Ranks of times and regret: 1.1 is predicted fastest, 1.2 measured; the baseline is at 1.
TEST(Score, regret_is_what_the_predicted_fastest_loses) {
  const ComparedGroup found = group("a", {point(1, 1), point(1, 1, 1.1, 1.3), point(1, 1, 1.2, 1.2),
                                          point(1, 1, 0.5, 0.9), point(1, 1, 9, 9, false)});
  EXPECT_NEAR(*found.regret_pct, 100 * (1.2 / 1.1 - 1), 1e-9);
  EXPECT_NEAR(*found.baseline_regret_pct, 20, 1e-9);
  // Measured 2 3 4 1, predicted 2 4 3 1: 1 - 6 * 2 / (4 * 15).
  EXPECT_NEAR(*found.time_rank, 0.8, 1e-12);
  const ComparedGroup same = group("a", {point(1, 1), point(1, 1, 1.25, 1)});
  EXPECT_NEAR(*same.regret_pct, 25, 1e-9) << "predicted alike: the first is taken";
  EXPECT_FALSE(same.time_rank);
  EXPECT_FALSE(group("a", {point(1, 1)}).regret_pct);
}

TEST(Score, times_do_where_there_is_no_baseline) {
  std::vector<ComparedPoint> points = {point(1, 1), point(1, 1, {}, 1.1), point(1, 1, {}, 1.2)};
  for (ComparedPoint& timed : points) timed.baseline = false;
  points[0].measured.time_us = 10;
  points[1].measured.time_us = 8;
  points[2].measured.time_us = 9;
  const ComparedGroup found = group("a", points);
  EXPECT_EQ(found.fastest_measured, 1U);
  EXPECT_EQ(found.fastest_predicted, 2U);
  EXPECT_NEAR(*found.regret_pct, 12.5, 1e-9);
  EXPECT_NEAR(*found.time_rank, 0.5, 1e-12);
  EXPECT_FALSE(found.baseline_regret_pct);
}

TEST(Score, harmful_orders_gain_in_the_model_alone) {
  EXPECT_TRUE(point(0, 0, 0.97, 1.031).harmful());
  EXPECT_FALSE(point(0, 0, 0.972, 1.2).harmful()) << "1 / 0.972 is below 1.03";
  EXPECT_FALSE(point(0, 0, 0.5, 1.03).harmful());
  EXPECT_FALSE(point(0, 0, 0.5, 1.2, false).harmful());
  const auto scores = score_gpus(
      {group("a", {point(1, 1), point(1, 1, 0.9, 1.1), point(1, 1, 1.1, 1.1), point(1, 1, 1, 1)})});
  EXPECT_EQ(scores[0].gains, 2);
  ASSERT_EQ(scores[0].harmful.size(), 1U);
  EXPECT_EQ(scores[0].harmful[0].point, 1U);
}

/// Of the job's name where the table gives none; two GPUs have families of their own.
TEST(Score, families_split_the_groups) {
  std::vector<ComparedGroup> groups = {group("a", {point(30, 28), point(5, 15, 0.9, 0.99)}),
                                       group("a", {point(10, 14)}), group("b", {point(10, 11)}),
                                       group("a", {point(50, 50), point(50, 51, 1.1, 0.99)})};
  for (const std::size_t g : {0U, 3U}) groups[g].points[0].measured.family = "gemm";
  const auto scores = score_gpus(groups);
  ASSERT_EQ(scores[0].families.size(), 2U);
  const FamilyScore& gemm = scores[0].families[0];
  EXPECT_EQ(gemm.family, "gemm");
  EXPECT_EQ(gemm.points, 4);
  EXPECT_DOUBLE_EQ(gemm.l2.mean, (2 + 10 + 0 + 1) / 4.0);
  EXPECT_EQ(gemm.clear_effects, 2);
  EXPECT_EQ(gemm.wrong_signs.size(), 1U);
  EXPECT_EQ(gemm.regret_pct.count, 2);
  EXPECT_NEAR(gemm.regret_pct.mean, 5, 1e-9) << "nothing in the first group, 10 % in the second";
  EXPECT_EQ(gemm.groups, (std::vector<std::size_t>{0, 3}));
  EXPECT_EQ(scores[0].families[1].family, "k");
  EXPECT_DOUBLE_EQ(scores[0].families[1].l2.mean, 4);
  ASSERT_EQ(scores[1].families.size(), 1U);
  EXPECT_EQ(scores[1].families[0].points, 1);
}

ComparedPoint reads(double real, double model) {
  ComparedPoint result = point(50, 50);
  result.measured.dram_read_mb = real;
  result.predicted.dram_read_mb = model;
  return result;
}

TEST(Score, little_dram_traffic_is_scored_apart) {
  const auto scores =
      score_gpus({group("a", {reads(100, 110), reads(2, 1), reads(1.9, 0.4), point(1, 1)})});
  EXPECT_EQ(scores[0].dram_read.count, 2);
  EXPECT_NEAR(scores[0].dram_read.mean, 30, 1e-9);
  EXPECT_NEAR(scores[0].dram_read.largest, 50, 1e-9);
  EXPECT_EQ(scores[0].dram_read.worst.point, 1U);
  EXPECT_EQ(scores[0].small_dram_read.count, 1);
  EXPECT_NEAR(scores[0].small_dram_read.mean, 1.5, 1e-9);
  EXPECT_EQ(scores[0].small_dram_read.worst.point, 2U);
}

TEST(Score, limits_of_dram_reads) {
  ValidationLimits limits;
  limits.dram_mean_pct = 30.1;
  limits.dram_error_pct = 50.1;
  const auto scores = score_gpus({group("a", {reads(100, 110), reads(2, 1)})});
  EXPECT_TRUE(breaches_of(scores, limits).empty());
  limits.dram_mean_pct = 29;
  limits.dram_error_pct = 49;
  const auto breaches = breaches_of(scores, limits);
  ASSERT_EQ(breaches.size(), 2U);
  EXPECT_EQ(breaches[0].what, "mean error of DRAM reads");
  EXPECT_EQ(breaches[1].place->point, 1U);
  EXPECT_THROW(breaches_of(score_gpus({group("a", {reads(1, 5)})}), limits), Error);
}

TEST(Score, limits_name_the_gpu_and_the_point) {
  const auto scores = score_gpus({group("a", {point(30, 28), point(5, 15, 0.9, 0.99)})});
  EXPECT_TRUE(breaches_of(scores, {}).empty());
  EXPECT_TRUE(breaches_of(scores, {6, 10, 11, {}, {}}).empty());
  const auto breaches = breaches_of(scores, {5.9, 9, 9, {}, {}});
  ASSERT_EQ(breaches.size(), 3U);
  EXPECT_FALSE(breaches[0].place);
  EXPECT_DOUBLE_EQ(breaches[0].value, 6);
  EXPECT_EQ(breaches[1].place->point, 1U);
  EXPECT_EQ(breaches[2].gpu, "a");
}

}  // namespace
}  // namespace heddle::calibrate
