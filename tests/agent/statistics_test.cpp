// What times say, on times whose truth is known.
#include "agent/program/statistics.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "agent/program/splitmix.h"

namespace heddle::agent {
namespace {

/// Times around `typical` with a spread of `noise`, skewed as times are: never much less, at times
/// more.
std::vector<double> times(Splitmix& random, int rounds, double typical, double noise) {
  std::vector<double> list;
  for (int i = 0; i < rounds; ++i)
    list.push_back(typical * (1 + noise * -std::log(1 - random.unit())));
  return list;
}

TEST(Statistics, medians) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7}), 7);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Statistics, one_distribution_has_no_difference) {
  int wrong = 0;
  constexpr int kTrials = 200;
  for (std::uint64_t seed = 1; seed <= kTrials; ++seed) {
    Splitmix random(seed * 7919);
    const auto one = times(random, 40, 100, 0.02);
    const auto other = times(random, 40, 100, 0.02);
    const auto again = times(random, 40, 100, 0.02);
    const double noise = ratio_of({one, again}, 1).ratio - 1;
    wrong += difference_of(ratio_of({one, other}, 1), noise) == Difference::none ? 0 : 1;
  }
  EXPECT_LE(wrong, kTrials / 20);
}

TEST(Statistics, ten_candidates_share_the_chance_of_being_wrong) {
  int wrong = 0;
  constexpr int kTrials = 40;
  for (std::uint64_t seed = 1; seed <= kTrials; ++seed) {
    Splitmix random(seed * 104729);
    const auto original = times(random, 40, 100, 0.02);
    const double noise = ratio_of({original, times(random, 40, 100, 0.02)}, 1).ratio - 1;
    bool any = false;
    for (int i = 0; i < 10; ++i)
      any = any || difference_of(ratio_of({original, times(random, 40, 100, 0.02)}, 10), noise) !=
                       Difference::none;
    wrong += any ? 1 : 0;
  }
  EXPECT_LE(wrong, kTrials / 10);
}

TEST(Statistics, a_known_ratio_is_within_its_interval) {
  int outside = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Splitmix random(seed * 31);
    const RatioInterval interval =
        ratio_of({times(random, 40, 110, 0.01), times(random, 40, 100, 0.01)}, 1);
    EXPECT_NEAR(interval.ratio, 1.1, 0.02);
    EXPECT_EQ(difference_of(interval, 0.002), Difference::faster);
    outside += interval.low > 1.1 || interval.high < 1.1 ? 1 : 0;
  }
  EXPECT_LE(outside, 8);
}

TEST(Statistics, slower_is_slower) {
  Splitmix random(1);
  const RatioInterval interval =
      ratio_of({times(random, 40, 100, 0.01), times(random, 40, 110, 0.01)}, 1);
  EXPECT_LT(interval.high, 1);
  EXPECT_EQ(difference_of(interval, 0), Difference::slower);
}

TEST(Statistics, more_candidates_make_wider_intervals) {
  Splitmix random(5);
  const PairedTimes pair = {times(random, 40, 105, 0.02), times(random, 40, 100, 0.02)};
  const RatioInterval alone = ratio_of(pair, 1);
  const RatioInterval among_ten = ratio_of(pair, 10);
  EXPECT_DOUBLE_EQ(alone.confidence, 0.95);
  EXPECT_DOUBLE_EQ(among_ten.confidence, 0.995);
  EXPECT_LT(among_ten.low, alone.low);
  EXPECT_GT(among_ten.high, alone.high);
  EXPECT_EQ(among_ten.ratio, alone.ratio);
}

TEST(Statistics, drift_moves_both) {
  // Times that double in the course of the rounds, of two that are 3 % apart throughout.
  Splitmix random(3);
  PairedTimes pair;
  for (int i = 0; i < 40; ++i) {
    const double level = 100 + 2.5 * i;
    pair.original.push_back(level * 1.03 * (1 + 0.001 * random.unit()));
    pair.candidate.push_back(level * (1 + 0.001 * random.unit()));
  }
  const RatioInterval interval = ratio_of(pair, 1);
  EXPECT_NEAR(interval.ratio, 1.03, 0.005);
  EXPECT_GT(interval.low, 1.02);
  EXPECT_LT(interval.high, 1.04);
}

TEST(Statistics, noise_and_small_differences_count_for_nothing) {
  const RatioInterval interval = {1.01, 1.008, 1.012, 0.95};
  EXPECT_EQ(difference_of(interval, 0), Difference::faster);
  EXPECT_EQ(difference_of(interval, 0.02), Difference::none);
  EXPECT_EQ(difference_of(interval, -0.02), Difference::none);
  EXPECT_EQ(difference_of({1.004, 1.003, 1.005, 0.95}, 0), Difference::none);
  EXPECT_EQ(difference_of({1.05, 0.999, 1.1, 0.95}, 0), Difference::none);
}

TEST(Statistics, few_rounds_say_nothing) {
  const RatioInterval interval =
      ratio_of({{100, 100, 100, 100, 100, 100}, {50, 50, 50, 50, 50, 50}}, 1);
  EXPECT_EQ(interval.ratio, 2);
  EXPECT_EQ(interval.low, 0);
  EXPECT_EQ(interval.high, std::numeric_limits<double>::infinity());
  EXPECT_EQ(difference_of(interval, 0), Difference::none);
  EXPECT_EQ(difference_of(ratio_of({}, 1), 0), Difference::none);
  EXPECT_GT(ratio_of({{9, 9, 9, 9, 9, 9, 9}, {8, 8, 8, 8, 8, 8, 8}}, 1).low, 1);
}

TEST(Statistics, the_same_times_give_the_same_interval) {
  Splitmix random(9);
  const PairedTimes pair = {times(random, 41, 105, 0.02), times(random, 41, 100, 0.02)};
  const RatioInterval one = ratio_of(pair, 3);
  const RatioInterval other = ratio_of(pair, 3);
  EXPECT_EQ(one.low, other.low);
  EXPECT_EQ(one.high, other.high);
}

}  // namespace
}  // namespace heddle::agent
