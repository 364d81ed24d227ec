#include "calibrate/uncertainty.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

namespace heddle::calibrate {
namespace {

/// Families with one residual each: first, first + 1, ...
std::vector<std::vector<double>> single_residuals(int count, double first = 1) {
  std::vector<std::vector<double>> families;
  for (int i = 0; i < count; ++i) families.push_back({first + i});
  return families;
}

Residual residual(const std::string& gpu, const std::string& vendor, const std::string& family,
                  const PredictionKind& kind, double value) {
  return {0, gpu, vendor, family, kind, Figure::time, value};
}

TEST(Uncertainty, few_families_keep_both_ends) {
  EXPECT_FALSE(family_interval(single_residuals(4), 1));
  const auto five = family_interval(single_residuals(5), 1);
  EXPECT_EQ(five->low, 1);
  EXPECT_EQ(five->high, 5);
  const auto eighteen = family_interval(single_residuals(18), 1);
  EXPECT_EQ(eighteen->low, 1);
  EXPECT_EQ(eighteen->high, 18);
}

/// With 19 families (19 - 9) / 10 of one goes at each end, with 29 two, with 49 four.
TEST(Uncertainty, ends_go_as_families_come) {
  EXPECT_EQ(family_interval(single_residuals(19), 1)->low, 2);
  EXPECT_EQ(family_interval(single_residuals(19), 1)->high, 18);
  EXPECT_EQ(family_interval(single_residuals(29), 1)->low, 3);
  EXPECT_EQ(family_interval(single_residuals(29), 1)->high, 27);
  EXPECT_EQ(family_interval(single_residuals(49), 1)->low, 5);
  EXPECT_EQ(family_interval(single_residuals(49), 1)->high, 45);
}

TEST(Uncertainty, less_allowance_leaves_more_out) {
  EXPECT_EQ(family_interval(single_residuals(10), 1)->high, 10);
  EXPECT_EQ(family_interval(single_residuals(10), 0.1)->high, 10) << "0.91 of a family";
  EXPECT_EQ(family_interval(single_residuals(10), 0)->high, 9);
  EXPECT_EQ(family_interval(single_residuals(10), 0)->low, 2);
}

/// Twelve families with the points 1 to 10 each. The points 1 of the eleven others weigh 1.1: an end
/// leaves them out with no allowance only, and then intervals are 2 to 9, which hold 80 %.
TEST(Uncertainty, the_allowance_is_that_of_the_best_coverage) {
  const PredictionKind kind{"memory", false, false};
  std::vector<Residual> residuals;
  for (int family = 0; family < 12; ++family) {
    for (int value = 1; value <= 10; ++value)
      residuals.push_back(residual("a", "amd", fmt::format("f{}", family), kind, value));
  }
  const auto time = left_out_coverage(residuals, 1)[0][static_cast<std::size_t>(Figure::time)];
  EXPECT_EQ(time.points, 120);
  EXPECT_EQ(time.inside, 96);
  const Interval learnt = learn_intervals(residuals).rows().front().interval;
  EXPECT_EQ(learnt.low, 2);
  EXPECT_EQ(learnt.high, 9);
}

TEST(Uncertainty, a_family_with_many_points_weighs_one) {
  auto families = single_residuals(18);
  families.emplace_back(100, 1000.0);
  EXPECT_EQ(family_interval(families, 1)->high, 18) << "all hundred are the one family that goes";
  families.back().push_back(0.5);  // 1 of 101 lies at the other end
  EXPECT_EQ(family_interval(families, 1)->low, 1) << "0.01 of a family goes, a whole one does not";
  EXPECT_EQ(family_interval(families, 1)->high, 18);
}

TEST(Uncertainty, residuals_are_measured_against_predicted) {
  ComparedGroup group;
  group.job = "a/k.toml";
  group.gpu_name = "h200";
  group.vendor = "nvidia";
  ComparedPoint point;
  point.measured.l2_hit_pct = 50;
  point.predicted.l2_hit_pct = 53;
  point.measured.dram_read_mb = 10;
  point.predicted.dram_read_mb = 8;
  point.measured.time_us = 9;
  point.predicted.time_us = 10;
  point.measured_speedup = 1.2;
  point.predicted.speedup = 1.5;
  point.predicted.kind = {"memory", true, false};
  ComparedPoint small = point;  // no permutation, little traffic, no time
  small.permutation = false;
  small.measured.dram_read_mb = 1.9;
  small.measured.time_us.reset();
  group.points = {point, small};
  const auto found = residuals_of({group});
  ASSERT_EQ(found.size(), 6U);
  EXPECT_EQ(found[0].figure, Figure::l2_hit_rate);
  EXPECT_DOUBLE_EQ(found[0].value, -3);
  EXPECT_EQ(found[0].family, "k");
  EXPECT_EQ(found[0].kind, point.predicted.kind);
  EXPECT_DOUBLE_EQ(found[1].value, 1.25);
  EXPECT_DOUBLE_EQ(found[2].value, 0.9);
  EXPECT_DOUBLE_EQ(found[3].value, 0.8);
  EXPECT_EQ(found[3].figure, Figure::speedup);
  EXPECT_EQ(found[4].figure, Figure::gain_same);
  EXPECT_DOUBLE_EQ(found[4].value, std::log(1.2) / std::log(1.5));
  EXPECT_EQ(found[5].figure, Figure::l2_hit_rate);
}

/// Six families of one kind and three of another on a, two on b, one on c, of another vendor.
TEST(Uncertainty, too_few_families_fall_back) {
  const PredictionKind memory{"memory", false, false};
  const PredictionKind latency{"latency", false, false};
  std::vector<Residual> residuals;
  for (int i = 0; i < 6; ++i)
    residuals.push_back(residual("a", "amd", fmt::format("m{}", i), memory, 1 + i));
  for (int i = 0; i < 3; ++i)
    residuals.push_back(residual("a", "amd", fmt::format("l{}", i), latency, 10 + i));
  for (int i = 0; i < 2; ++i)
    residuals.push_back(residual("b", "amd", fmt::format("b{}", i), memory, 20 + i));
  residuals.push_back(residual("c", "nvidia", "c0", memory, 0.1));
  const sim::IntervalTable table = learn_intervals(residuals);
  ASSERT_EQ(table.rows().size(), 4U) << table.text();
  const auto row = [&](const char* gpu, const char* vendor, const PredictionKind& kind) {
    return *table.find(sim::scopes_of(gpu, vendor, kind), Figure::time);
  };
  EXPECT_EQ(row("a", "amd", memory).families, 6);
  EXPECT_EQ(row("a", "amd", memory).interval.high, 6);
  EXPECT_EQ(row("a", "amd", latency).families, 9) << "all kinds of the GPU";
  EXPECT_EQ(row("a", "amd", latency).interval.high, 12);
  EXPECT_EQ(row("b", "amd", memory).families, 11) << "all GPUs of the vendor";
  EXPECT_EQ(row("c", "nvidia", memory).families, 12) << "all GPUs";
  EXPECT_EQ(row("c", "nvidia", memory).scope.text(), "all GPUs, all kinds");
  EXPECT_EQ(table.find(sim::scopes_of("a", "amd", memory), Figure::speedup), nullptr);
}

/// Others of 1 to 6 hold 2 to 5. Of a seventh family, whose points are 3 and 9, they hold one.
TEST(Uncertainty, coverage_leaves_families_out) {
  const PredictionKind kind{"memory", false, false};
  std::vector<Residual> residuals;
  for (int i = 1; i <= 6; ++i)
    residuals.push_back(residual("a", "amd", fmt::format("f{}", i), kind, i));
  const auto time = [&](std::size_t groups) {
    return left_out_coverage(residuals, groups)[0][static_cast<std::size_t>(Figure::time)];
  };
  EXPECT_EQ(time(1).points, 6);
  EXPECT_EQ(time(1).inside, 4);
  residuals.push_back(residual("a", "amd", "f7", kind, 3));
  residuals.push_back(residual("a", "amd", "f7", kind, 9));
  EXPECT_EQ(time(1).points, 8);
  EXPECT_EQ(time(1).inside, 6) << "1 and 9 are outside; 6 is inside now";
  residuals.resize(5);
  EXPECT_EQ(time(1).points, 0) << "four others make no interval";
}

/// The same family on another GPU says nothing about it.
TEST(Uncertainty, a_family_is_left_out_on_all_gpus) {
  const PredictionKind kind{"memory", false, false};
  std::vector<Residual> residuals;
  for (int i = 1; i <= 5; ++i) {
    residuals.push_back(residual("a", "amd", fmt::format("f{}", i), kind, i));
    residuals.push_back(residual("b", "amd", fmt::format("f{}", i), kind, i));
  }
  const auto coverage = left_out_coverage(residuals, 1);
  EXPECT_EQ(coverage[0][static_cast<std::size_t>(Figure::time)].points, 0);
}

TEST(Uncertainty, coverage_of_each_gpu) {
  const PredictionKind kind{"memory", false, false};
  std::vector<Residual> residuals;
  for (int i = 1; i <= 6; ++i) {
    residuals.push_back(residual("a", "amd", fmt::format("f{}", i), kind, i));
    residuals.back().group = i > 3 ? 1 : 0;
  }
  std::vector<GpuScore> scores(2);
  scores[0].groups = {0, 1};
  scores[1].groups = {2};
  add_coverage(residuals, 3, scores);
  ASSERT_EQ(scores[0].coverage.size(), 1U);
  EXPECT_EQ(scores[0].coverage[0].figure, Figure::time);
  EXPECT_EQ(scores[0].coverage[0].points, 6);
  EXPECT_EQ(scores[0].coverage[0].inside, 4);
  EXPECT_TRUE(scores[1].coverage.empty());
}

}  // namespace
}  // namespace heddle::calibrate
