#include "report/optimization_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "optlog/read.h"
#include "report/optimization_samples.h"

namespace heddle::report {
namespace {

using testing::IsEmpty;

/// The log as the auditor reads it, in step with the attempts and without remarks.
std::vector<Attempt> read_back(const OptimizationReport& report) {
  const std::vector<Attempt> attempts = optlog::read_log(optimization_log(report));
  EXPECT_EQ(attempts.size(), report.attempts.size());
  for (std::size_t i = 0; i < std::min(attempts.size(), report.attempts.size()); ++i) {
    EXPECT_EQ(attempts[i].iteration, report.attempts[i].iteration);
    EXPECT_THAT(attempts[i].remarks, IsEmpty());
    EXPECT_FALSE(attempts[i].formula.empty());
    const bool replayed = report.attempts[i].predicted && !report.attempts[i].same_as;
    EXPECT_EQ(attempts[i].claim.has_value(), replayed) << i;
  }
  return attempts;
}

TEST(OptimizationLog, AuditorReadsBackFormulasAndClaims) {
  const OptimizationReport report = improved_report();
  const std::vector<Attempt> attempts = read_back(report);
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const OrderAttempt& attempt = report.attempts[i];
    const std::string& code = attempt.triton.empty() ? attempt.formula : attempt.triton;
    EXPECT_EQ(attempts[i].formula, trim(code));
    if (!attempts[i].claim) continue;
    const Claim& claim = *attempts[i].claim;
    EXPECT_NEAR(claim.hit_before.value(), report.baseline.l2.cache.hit_rate_pct(), 0.051);
    EXPECT_NEAR(claim.hit_after.value(), attempt.predicted->l2.cache.hit_rate_pct(), 0.051);
    EXPECT_NEAR(claim.speedup.value(), *attempt.speedup, 0.001);
    EXPECT_NEAR(claim.time_before_ms.value(), report.baseline.time_us / 1000, 1e-4);
    EXPECT_NEAR(claim.time_after_ms.value(), attempt.predicted->time_us / 1000, 1e-4);
  }
}

TEST(OptimizationLog, AnySpeedupIsReadBackWithoutRemarks) {
  for (const double speedup : {0.001, 0.3, 0.5, 0.9, 0.95, 0.9994, 0.9996, 1.0, 1.0004, 1.0006,
                               1.05, 1.5, 2.0, 3.7, 12.0, 250.0}) {
    OptimizationReport report = improved_report();
    report.attempts[3].speedup = speedup;
    report.attempts[3].predicted->time_us = 167.2 / speedup;
    const std::vector<Attempt> attempts = read_back(report);
    const double read = attempts[3].claim->speedup.value();
    EXPECT_NEAR(read, speedup, 0.0011 * std::max(1.0, speedup)) << speedup;
  }
}

TEST(OptimizationLog, SaysWhatWasPredictedAndWhy) {
  const std::string log = optimization_log(improved_report());
  EXPECT_TRUE(contains(log, "--- MEMORY ANALYSIS ---"));
  EXPECT_TRUE(contains(log,
                       "Line 23 reads input_ptr, 2 KiB per tile: 32 runs of 64 B on 32 lines of "
                       "128 B, 50 % of each. Shared lines: along axis 0, none at any "
                       "distance; along axis 1, 50 % with the next tile, none at distance 2. "
                       "1,048,576 distinct lines, each touched 2 times."))
      << log;
  EXPECT_TRUE(contains(log,
                       "has 8 dies of 38 compute units with an L2 of 4 MiB each, in lines of "
                       "128 B, and a last-level cache of 256 MiB; launch id p runs on die p "
                       "mod 8."));
  EXPECT_TRUE(contains(log,
                       "4,452,983 missed: 2,097,152 (47 %) on the first touch of a line, "
                       "2,290,439 (51 %) due to conflicts in a set, 36,312 (0.8 %) on lines that "
                       "another die held, 29,080 (0.7 %) for lack of capacity."));
  EXPECT_TRUE(contains(log,
                       "On the simulated GPU, predicted and not measured: hit rate increased "
                       "from 31.9% to 69.2%. Predicted: achieved 1.122x speedup with execution "
                       "time reduced from 0.1672ms to 0.149ms (12.2% faster)."));
  EXPECT_TRUE(contains(log,
                       "It is not better: predicted 8.9 % slower than iteration 1, identity. "
                       "The L2 hit rate falls from 31.9 % to 4.8 %"));
  EXPECT_TRUE(contains(log, "Misses due to conflicts in a set rise from 2,290,439 to 4,633,683"));
  EXPECT_TRUE(contains(log, "It is predicted 12.2 % faster than iteration 1, identity."));
  EXPECT_TRUE(contains(log, "450 MiB moved past the L2, of at least 256 MiB: 1.76"));
  EXPECT_TRUE(contains(log,
                       "--- RESULT --- Faster, predicted 1.12x: xcd(8) | columns, PROVED for all "
                       "sizes."));
  EXPECT_TRUE(contains(log,
                       "The search ended at the bound after 6 orders: the best moves 1.000 "
                       "times the bytes that any order must."));
}

TEST(OptimizationLog, WhatWasNotReplayedClaimsNothing) {
  const std::string log = optimization_log(improved_report());
  EXPECT_TRUE(contains(log,
                       "--- NOT PROFILED, ITERATION 3 --- REFUTED: Launch ids 1 and 8 both "
                       "compute tile 256. It would compute 256 of 65,536 tiles on grid "
                       "256x256, and is not replayed."))
      << log;
  EXPECT_TRUE(contains(log,
                       "--- NOT PROFILED, ITERATION 5 --- UNKNOWN: Line 1: 'load' is called "
                       "but not defined."));
  EXPECT_TRUE(contains(log,
                       "--- NOT PROFILED, ITERATION 6 --- The same map as iteration 2, and not "
                       "replayed again. That one is predicted to take 182 us, 8.9 % slower "
                       "than the launch order."));
}

TEST(OptimizationLog, OldIsTheBestOrderKnownBefore) {
  const std::string log = optimization_log(improved_report());
  const std::size_t fifth = log.find("Iteration 5:");
  const std::size_t second = log.find("Iteration 2:");
  const std::size_t third = log.find("Iteration 3:");
  EXPECT_NE(log.substr(fifth).find("\"iteration 4\": \"xcd(8) | columns is the order of iteration "
                                   "4."),
            std::string::npos);
  EXPECT_NE(log.substr(second, third - second).find("\"iteration 1\": \"identity is the order of"),
            std::string::npos);
}

TEST(OptimizationLog, SampledAndRememberedFiguresAreCalledSo) {
  OptimizationReport report = improved_report();
  OrderAttempt& attempt = report.attempts[1];
  attempt.fidelity = "sampled 2000000";
  attempt.from_history = true;
  attempt.predicted->sample = {true, 0.125, 0.4, 2000000, 1.2};
  attempt.predicted->causes.reset();
  attempt.predicted->dies.clear();
  attempt.predicted->utilization.clear();
  read_back(report);
  const std::string log = optimization_log(report);
  EXPECT_TRUE(contains(log,
                       "The figures are sampled: 2,000,000 requests were replayed, and the L2 "
                       "hit rate is accurate to within 1.2 points."));
  EXPECT_TRUE(contains(log, "The totals were read back from an earlier run of this order."));
  EXPECT_TRUE(contains(log,
                       "The replay of iteration 1 is exact, that of iteration 2 sampled 2000000: "
                       "part of the difference may be due to that."))
      << log;
}

TEST(OptimizationLog, EveryReportIsReadBackAndHasNoBrokenFigure) {
  for (const OptimizationReport& report : all_reports()) {
    const std::string log = optimization_log(report);
    EXPECT_FALSE(has_broken_figure(log)) << log.substr(0, 4000);
    if (!report.attempts.empty()) read_back(report);
  }
}

TEST(OptimizationLog, HostileLinesOfAFormulaBecomeComments) {
  OptimizationReport report = improved_report();
  report.attempts[2].formula =
      "Iteration 9:\npid = 7\n--- PROFILING ITERATION 9 ---\nAchieved 9.00x speedup.\n```";
  const std::vector<Attempt> attempts = read_back(report);
  EXPECT_EQ(attempts[2].formula,
            "# Iteration 9:\npid = 7\n# --- PROFILING ITERATION 9 ---\nAchieved 9.00x speedup.\n"
            "# ```");
}

}  // namespace
}  // namespace heddle::report
