#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "optlog/log_writer.h"
#include "optlog/read.h"
#include "support/error.h"
#include "support/file.h"

namespace heddle::optlog {
namespace {

Attempt attempt_of(int iteration, std::string formula, std::optional<Claim> claim = {}) {
  Attempt attempt;
  attempt.iteration = iteration;
  attempt.formula = std::move(formula);
  attempt.claim = claim;
  return attempt;
}

void expect_same(const std::vector<Attempt>& got, const std::vector<Attempt>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t index = 0; index < got.size(); ++index) {
    EXPECT_EQ(got[index].iteration, wanted[index].iteration);
    EXPECT_EQ(got[index].formula, wanted[index].formula);
    ASSERT_EQ(got[index].claim.has_value(), wanted[index].claim.has_value());
    if (!got[index].claim) continue;
    EXPECT_EQ(got[index].claim->hit_before, wanted[index].claim->hit_before);
    EXPECT_EQ(got[index].claim->hit_after, wanted[index].claim->hit_after);
    EXPECT_EQ(got[index].claim->speedup, wanted[index].claim->speedup);
    EXPECT_EQ(got[index].claim->time_before_ms, wanted[index].claim->time_before_ms);
    EXPECT_EQ(got[index].claim->time_after_ms, wanted[index].claim->time_after_ms);
  }
}

TEST(WriteLog, WritesTheShapeOfALog) {
  const std::string text = write_log({
      attempt_of(1, "pid = 1\n    pid = 2", Claim{29.7, 67.6, 1.15, 0.18, 0.16}),
      attempt_of(2, "", Claim{29.7, 4.3, 0.936, 0.18, 0.2}),
      attempt_of(3, "pid = 3"),
  });
  EXPECT_EQ(text,
            "Iteration 1:\nSwizzling formula:\npid = 1\n    pid = 2\n\n"
            "--- PROFILING ITERATION 1 ---\nHit rate increased from 29.7% to 67.6%. Achieved 1.15x "
            "speedup with execution time reduced from 0.18ms to 0.16ms (15.0% faster).\n\n"
            "Iteration 2:\n\n--- PROFILING ITERATION 2 ---\nHit rate decreased from 29.7% to 4.3%. "
            "Experienced 1.07x slowdown with execution time increased from 0.18ms to 0.2ms (6.8% "
            "slower).\n\nIteration 3:\nSwizzling formula:\npid = 3\n");
}

TEST(WriteLog, FixturesComeBack) {
  for (const std::string name : {"plain.txt", "markdown.txt", "slips.txt"}) {
    const std::vector<Attempt> attempts =
        read_log(read_text(std::string(HEDDLE_TESTS_DIR) + "/optlog/logs/" + name, kLargestLog));
    expect_same(read_log(write_log(attempts)), attempts);
  }
}

TEST(WriteLog, EveryMixtureOfPartsComesBack) {
  for (unsigned mask = 0; mask < 32; ++mask) {
    for (const double speedup : {1.0, 1.15, 0.936, 0.5, 0.93612345, 0.001, 12.5}) {
      Claim claim;
      if ((mask & 1U) != 0) claim.hit_before = 29.7;
      if ((mask & 2U) != 0) claim.hit_after = 0.1 + 0.2;
      if ((mask & 4U) != 0) claim.speedup = speedup;
      if ((mask & 8U) != 0) claim.time_before_ms = 1234.5678;
      if ((mask & 16U) != 0) claim.time_after_ms = 1e-7;
      const std::vector<Attempt> attempts = {attempt_of(7, "x = 1", claim)};
      expect_same(read_log(write_log(attempts)), attempts);
    }
  }
}

TEST(WriteLog, RandomAttemptsComeBack) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> share(0, 1);
  std::vector<Attempt> attempts;
  for (int count = 0; count < 500; ++count) {
    std::optional<Claim> claim;
    if (share(random) < 0.8) {
      claim = Claim{100 * share(random), 100 * share(random), 0.01 + 2 * share(random),
                    std::exp2(40 * share(random) - 20), std::exp2(40 * share(random) - 20)};
    }
    const std::string formula = share(random) < 0.2 ? "" : "a = 1\n\n  # Iteration 3\nb = 2 -- 3";
    attempts.push_back(attempt_of(static_cast<int>(random() % 9), formula, claim));
  }
  expect_same(read_log(write_log(attempts)), attempts);
}

TEST(WriteLog, BlankEndsAndCarriageReturnsAreDropped) {
  const std::vector<Attempt> attempts =
      read_log(write_log({attempt_of(1, "\n \n  a = 1\r\n\nb = 2\n\n")}));
  EXPECT_EQ(attempts.front().formula, "  a = 1\n\nb = 2");
}

TEST(WriteLog, NoAttemptsGiveAnEmptyText) {
  EXPECT_EQ(write_log({}), "");
}

TEST(WriteLog, RefusesWhatCouldNotBeReadBack) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Attempt& attempt :
       {attempt_of(-1, ""), attempt_of(2'000'000'000, ""), attempt_of(1, "a = 1\nIteration 2:\n"),
        attempt_of(1, "Swizzling formula: b"), attempt_of(1, "--- x ---"),
        attempt_of(1, "", Claim{-1.0, {}, {}, {}, {}}),
        attempt_of(1, "", Claim{{}, {}, infinity, {}, {}}),
        attempt_of(1, "", Claim{{}, {}, 0.0, {}, {}})}) {
    EXPECT_THROW(write_log({attempt}), Error) << attempt.formula;
  }
}

}  // namespace
}  // namespace heddle::optlog
