// Each rule of ranking.h, by attempts made by hand.
#include "search/ranking.h"

#include <gtest/gtest.h>

namespace heddle::search {
namespace {

/// `bytes`: over a bound of 6,400,000.
OrderAttempt attempt(int iteration, double time_us, double bytes = 1, int operations = 10) {
  OrderAttempt result;
  result.iteration = iteration;
  result.operations = operations;
  result.verdict = Verdict::proved;
  result.predicted.emplace();
  result.predicted->time_us = time_us;
  result.predicted->bound_bytes = 6'400'000;
  result.predicted->l2.fabric_reads_64 = static_cast<std::int64_t>(bytes * 100'000 + 0.5);
  return result;
}

/// The iteration of the best; the first attempt is the launch order.
int best(const std::vector<OrderAttempt>& attempts) {
  std::vector<const OrderAttempt*> pointers;
  for (const OrderAttempt& each : attempts) pointers.push_back(&each);
  return attempts[best_of(pointers)].iteration;
}

TEST(Ranking, TimeDecides) {
  EXPECT_EQ(best({attempt(1, 100)}), 1);
  EXPECT_EQ(best({attempt(1, 100), attempt(2, 90)}), 2);
  EXPECT_EQ(best({attempt(1, 100), attempt(2, 90), attempt(3, 80)}), 3);
  EXPECT_EQ(best({attempt(1, 100), attempt(2, 80), attempt(3, 90)}), 2);
  // Even where the faster one moves more and computes more.
  EXPECT_EQ(best({attempt(1, 100), attempt(2, 90, 1, 0), attempt(3, 88, 3, 99)}), 3);
}

TEST(Ranking, OfEqualTimesTheSimplerThenTheFasterThenTheEarlierWins) {
  EXPECT_EQ(best({attempt(1, 100), attempt(2, 80, 1, 20), attempt(3, 80.03, 1, 10)}), 3);
  EXPECT_EQ(best({attempt(1, 100), attempt(2, 80, 1, 20), attempt(3, 80.05, 1, 10)}), 2);
  EXPECT_EQ(best({attempt(1, 100), attempt(2, 80.02, 1, 10), attempt(3, 80, 1, 10)}), 3);
  EXPECT_EQ(best({attempt(1, 100), attempt(2, 80, 1, 10), attempt(3, 80, 1, 10)}), 2);
  EXPECT_EQ(best({attempt(1, 100), attempt(7, 80, 1, 10), attempt(3, 80, 1, 10)}), 3);
}

TEST(Ranking, BytesBeyondTheBoundCostUpToTwoPerCent) {
  const auto cost = [](double bytes) { return cost_of(*attempt(2, 100, bytes).predicted); };
  EXPECT_DOUBLE_EQ(cost(1), 100);
  EXPECT_DOUBLE_EQ(cost(1.05), 101);
  EXPECT_DOUBLE_EQ(cost(1.1), 102);
  EXPECT_DOUBLE_EQ(cost(40), 102);
  EXPECT_DOUBLE_EQ(cost(0.5), 100);  // a bound of a sample may be off
}

TEST(Ranking, OfCloseTimesTheOneOfFewerBytesWins) {
  EXPECT_EQ(best({attempt(1, 100, 2), attempt(2, 80, 1.10), attempt(3, 80.2, 1.05)}), 3);
  EXPECT_EQ(best({attempt(1, 100, 2), attempt(2, 80, 1.10), attempt(3, 81, 1.05)}), 2);
  EXPECT_EQ(best({attempt(1, 100, 2), attempt(2, 80, 1.10), attempt(3, 80.3, 1.09)}), 2);
  EXPECT_EQ(best({attempt(1, 100, 9), attempt(2, 80, 3), attempt(3, 80.2, 2)}), 2);
}

TEST(Ranking, TheLaunchOrderStaysUnlessAnotherIsWorthIt) {
  EXPECT_EQ(best({attempt(1, 100), attempt(2, 99.9)}), 1);
  EXPECT_EQ(best({attempt(1, 100), attempt(2, 99.79)}), 2);
  EXPECT_EQ(best({attempt(1, 100), attempt(2, 101, 0.5, 0)}), 1);
  EXPECT_EQ(best({attempt(1, 100, 1.1), attempt(2, 100.1, 1)}), 1);  // fewer bytes, but slower
  EXPECT_EQ(best({attempt(1, 100, 1.1), attempt(2, 99.9, 1)}), 1);
  EXPECT_EQ(best({attempt(1, 100, 1.1), attempt(2, 99.7, 1)}), 2);
  // More bytes need a clear gain.
  EXPECT_EQ(best({attempt(1, 100, 1), attempt(2, 98.5, 2)}), 1);
  EXPECT_EQ(best({attempt(1, 100, 1), attempt(2, 97.8, 2)}), 2);
}

TEST(Ranking, TheAnswerIsNeverMuchSlowerThanTheFastest) {
  // Whatever else is offered, and in which order.
  for (unsigned seed = 1; seed <= 2'000; ++seed) {
    unsigned state = seed * 2654435761U;
    const auto draw = [&](unsigned most) {
      state = state * 1664525U + 1013904223U;
      return (state >> 8) % most;
    };
    std::vector<OrderAttempt> attempts = {attempt(1, 100, 1.5)};
    double least = 100;
    for (int i = 2; i < 12; ++i) {
      const double time = 96 + draw(500) * 0.01;
      least = std::min(least, time);
      attempts.push_back(attempt(i, time, 1 + draw(50) * 0.01, static_cast<int>(draw(30))));
    }
    const int chosen = best(attempts);
    const double time = attempts[static_cast<std::size_t>(chosen - 1)].predicted->time_us;
    EXPECT_LE(time, least * (1 + kByteWeight * kMostExcess) * (1 + kSameCost) + 1e-9);
  }
}

TEST(Ranking, LeanestAreCloseAndMoveFewBytes) {
  const std::vector<OrderAttempt> attempts = {attempt(2, 80, 1.5), attempt(3, 83, 1.1),
                                              attempt(4, 84, 1), attempt(5, 81, 1.2)};
  std::vector<const OrderAttempt*> pointers;
  for (const OrderAttempt& each : attempts) pointers.push_back(&each);
  std::vector<int> order;
  for (const OrderAttempt* each : leanest(pointers, 2)) order.push_back(each->iteration);
  EXPECT_EQ(order, (std::vector<int>{3, 5}));
  EXPECT_TRUE(leanest({}, 2).empty());
}

TEST(Ranking, RankedIsBestFirst) {
  const std::vector<OrderAttempt> attempts = {attempt(2, 80, 1.2), attempt(3, 70), attempt(4, 90),
                                              attempt(5, 80.1, 1)};
  std::vector<const OrderAttempt*> pointers;
  for (const OrderAttempt& each : attempts) pointers.push_back(&each);
  std::vector<int> order;
  for (const OrderAttempt* each : ranked(pointers, 3)) order.push_back(each->iteration);
  EXPECT_EQ(order, (std::vector<int>{3, 5, 2}));
}

TEST(Ranking, AttemptsWithoutAPredictionDoNotCount) {
  OrderAttempt none;
  none.iteration = 2;
  EXPECT_EQ(best({attempt(1, 100), none, attempt(3, 90)}), 3);
  EXPECT_EQ(best({attempt(1, 100), none}), 1);
}

TEST(Ranking, BytesOverTheBound) {
  SimResult result;
  EXPECT_EQ(bytes_over_bound(result), 1);
  result.bound_bytes = 1000;
  result.l2.fabric_reads_128 = 10;
  result.l2.fabric_writes_32 = 10;
  EXPECT_DOUBLE_EQ(bytes_over_bound(result), 1.6);
}

}  // namespace
}  // namespace heddle::search
