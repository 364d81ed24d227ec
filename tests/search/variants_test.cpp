// Other values of a job beside it: which there are, which of them do its work, which one wins.
#include "search/variants.h"

#include <gtest/gtest.h>

#include "search/jobs.h"
#include "support/error.h"

namespace heddle::search {
namespace {

std::string complaint(const std::vector<std::string>& tune) {
  try {
    variants_of(read_tuned(tune), {}, {});
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

TEST(Variants, AllCombinations) {
  const auto variants = variants_of(read_tuned({"A=1,2", "num_warps = 4, 8"}), {}, {});
  ASSERT_EQ(variants.size(), 4U);
  EXPECT_EQ(variants[0].title, "A = 1, num_warps = 4");
  EXPECT_EQ(variants[1].overrides, (std::vector<std::string>{"A=1", "num_warps=8"}));
  EXPECT_EQ(variants[2].title, "A = 2, num_warps = 4");
  EXPECT_EQ(variants_of(read_tuned({"A=cdiv(7, 2),2"}), {}, {}).size(), 2U);
}

TEST(Variants, WhatCannotBeRead) {
  EXPECT_EQ(complaint({"A"}), "--tune cannot read 'A'");
  EXPECT_EQ(complaint({"A="}), "--tune cannot read 'A='");
  EXPECT_EQ(complaint({"A=1,,2"}), "--tune cannot read 'A=1,,2'");
  EXPECT_EQ(complaint({"A=1", "A=2"}), "--tune names 'A' twice");
  const std::string nine = "1,2,3,4,5,6,7,8,9";
  EXPECT_EQ(complaint({"A=" + nine, "B=" + nine}), "--tune asks for 81 variants, more than 64");
  EXPECT_EQ(complaint({"configs"}),
            "--tune configs: the kernel has no @triton.autotune whose configs are known here");
}

TEST(Variants, ConfigsReplaceWhatTheJobGives) {
  config::Job job;
  job.constexprs.push_back({"BLOCK", {}, {}});
  const std::vector<kernel::ConfigValues> configs = {
      {{"BLOCK", {std::int64_t{64}}}, {"OTHER", {std::int64_t{3}}}},
      {{"BLOCK", {std::int64_t{128}}}, {"num_warps", {std::int64_t{8}}}}};
  const auto variants = variants_of(read_tuned({"configs"}), configs, job);
  ASSERT_EQ(variants.size(), 2U);
  EXPECT_EQ(variants[0].title, "config 0 (BLOCK = 64, OTHER = 3)");
  EXPECT_EQ(variants[0].overrides, (std::vector<std::string>{"config=0", "BLOCK=64"}));
  EXPECT_EQ(variants[1].overrides, (std::vector<std::string>{"config=1", "BLOCK=128"}));
  const auto named = variants_of(read_tuned({"configs", "BLOCK=32"}), configs, job);
  EXPECT_EQ(named[0].overrides, (std::vector<std::string>{"config=0", "BLOCK=32"}));
}

TEST(Variants, TheJobStaysUnlessAnotherIsWorthIt) {
  const auto variant = [](std::optional<double> best_us) {
    TunedVariant one;
    one.best_us = best_us;
    return one;
  };
  EXPECT_EQ(fastest_predicted({variant(100), variant(99.9)}), 0U);
  EXPECT_EQ(fastest_predicted({variant(100), variant(99), variant({}), variant(98)}), 3U);
  EXPECT_EQ(fastest_predicted({variant(100), variant(98), variant(98)}), 1U);
  EXPECT_EQ(variants_to_measure(
                {variant(9), variant(8), variant({}), variant(5), variant(7), variant(6)}),
            (std::vector<std::size_t>{0, 3, 5, 4}));
}

OptimizeRequest tuned_request(const std::string& job, std::vector<std::string> tune) {
  OptimizeRequest request;
  request.job_path = job;
  request.gpu = "mi300x";
  request.iterations = 8;
  request.tune = std::move(tune);
  return request;
}

TEST(Variants, TheFastestIsTheAnswer) {
  const Folder folder;
  const std::string job = stencil_job(folder, 16, 16);
  const OptimizationReport report = optimize_job(tuned_request(job, {"R=2,4,8", "warps=1"}));
  ASSERT_TRUE(report.tuning);
  const Tuning& tuning = *report.tuning;
  ASSERT_EQ(tuning.variants.size(), 3U);  // R = 4 is the job as it is
  EXPECT_EQ(tuning.variants[0].title, "as it is");
  EXPECT_EQ(tuning.variants[1].title, "R = 2, warps = 1");
  for (const TunedVariant& one : tuning.variants) {
    ASSERT_TRUE(one.best_us) << one.reason;
    EXPECT_LE(*one.best_us, *one.written_us);
    EXPECT_DOUBLE_EQ(*one.speedup, *tuning.variants[0].written_us / *one.best_us);
    EXPECT_GE(*one.best_us, *tuning.best().best_us);
  }
  EXPECT_DOUBLE_EQ(report.best.predicted.time_us, *tuning.best().best_us);
  EXPECT_EQ(report.grid, tuning.best().grid);
  // Each is what the job gives with those values.
  OptimizeRequest alone = tuned_request(job, {});
  alone.overrides = {"R=2"};
  EXPECT_DOUBLE_EQ(optimize_job(alone).best.predicted.time_us, *tuning.variants[1].best_us);
}

TEST(Variants, MeasuredTimesDecide) {
  const Folder folder;
  OptimizeRequest request = tuned_request(line_job(folder, 64), {"B=32,64"});
  int rounds = 0;
  // A GPU on which 32 tiles are fastest, and on which no order matters.
  request.measure = [&](const measure::Bundle& bundle) -> std::optional<MeasurementReport> {
    ++rounds;
    const double time = bundle.launches.front().launch.grid.count() == 32 ? 40 : 50;
    MeasurementReport report;
    for (std::size_t i = 0; i < bundle.candidates.size(); ++i) {
      MeasuredCandidate candidate;
      candidate.number = static_cast<int>(i);
      candidate.cold = MeasuredTimes{};
      candidate.cold->original_us = candidate.cold->time_us = time;
      report.candidates.push_back(std::move(candidate));
    }
    return report;
  };
  const OptimizationReport report = optimize_job(request);
  const Tuning& tuning = *report.tuning;
  ASSERT_TRUE(tuning.measured);
  EXPECT_GE(rounds, 3);
  EXPECT_EQ(tuning.best().title, "B = 32");
  EXPECT_DOUBLE_EQ(tuning.speedup(), 1.25);
  EXPECT_EQ(report.answer, Answer::improved);
  EXPECT_EQ(report.grid, (std::vector<std::int64_t>{32}));
}

TEST(Variants, WhereNothingCanBeMeasuredPredictedTimesDecide) {
  const Folder folder;
  OptimizeRequest request = tuned_request(line_job(folder, 64), {"B=32,64"});
  const std::size_t chosen = optimize_job(request).tuning->chosen;
  request.measure = [](const measure::Bundle&) { return std::nullopt; };
  const OptimizationReport report = optimize_job(request);
  EXPECT_FALSE(report.tuning->measured);
  EXPECT_EQ(report.tuning->chosen, chosen);
  EXPECT_EQ(report.notes.back(),
            "the job as it is was not measured: predicted times chose the variant");
}

TEST(Variants, WhatDoesNotWorkHasItsReason) {
  const Folder folder;
  const std::string job = stencil_job(folder, 16, 16);
  // 3 is no power of two; with 128 rows a tile there is no tile, with 48 columns one is left out.
  const OptimizationReport report = optimize_job(tuned_request(job, {"R=3,128", "C=16,512"}));
  const auto& variants = report.tuning->variants;
  ASSERT_EQ(variants.size(), 5U);
  EXPECT_NE(variants[1].reason.find("tl.arange(0, 3)"), std::string::npos) << variants[1].reason;
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_FALSE(variants[i].reason.empty()) << variants[i].title;
    EXPECT_FALSE(variants[i].best_us);
  }
  EXPECT_EQ(report.tuning->chosen, 0U);
}

TEST(Variants, LessWorkIsNotASpeedup) {
  const Folder folder;
  // 24 rows of tiles of 4: with 64 rows a tile, a third of the rows is left out.
  const OptimizationReport report =
      optimize_job(tuned_request(stencil_job(folder, 24, 4), {"R=64"}));
  ASSERT_EQ(report.tuning->variants.size(), 2U);
  EXPECT_NE(report.tuning->variants[1].reason.find("% of"), std::string::npos)
      << report.tuning->variants[1].reason;
  EXPECT_EQ(report.tuning->chosen, 0U);
}

TEST(Variants, AMisspeltNameIsAnError) {
  const Folder folder;
  try {
    optimize_job(tuned_request(stencil_job(folder, 4, 4), {"ROWS=1,2"}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "the job has no 'ROWS' to set");
  }
}

}  // namespace
}  // namespace heddle::search
