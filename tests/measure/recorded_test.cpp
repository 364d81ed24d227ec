// Runs that were recorded on an H200 (validation/runs): what heddle showed there, again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "measure/merge.h"

namespace heddle {
namespace {

const std::string kRuns = HEDDLE_TESTS_DIR "/../validation/runs/";
constexpr int kRounds = 3;

/// All rounds of one search.
std::vector<MeasurementReport> rounds_of(const std::string& job) {
  std::vector<MeasurementReport> rounds;
  for (int round = 1; round <= kRounds; ++round)
    rounds.push_back(measure::merge_bundle({kRuns + job + "/" + std::to_string(round), {}}));
  return rounds;
}

const MeasurementReport& best_of(const std::vector<MeasurementReport>& rounds) {
  return *std::max_element(rounds.begin(), rounds.end(), [](const auto& a, const auto& b) {
    return a.confirmed_cold->ratio < b.confirmed_cold->ratio;
  });
}

int measured(const std::vector<MeasurementReport>& rounds) {
  int count = 0;
  for (const MeasurementReport& round : rounds)
    count += static_cast<int>(round.candidates.size()) - 1;
  return count;
}

const MeasuredCandidate& candidate(const MeasurementReport& round, const std::string& title) {
  const auto found = std::find_if(round.candidates.begin(), round.candidates.end(),
                                  [&](const MeasuredCandidate& one) { return one.title == title; });
  EXPECT_NE(found, round.candidates.end()) << title;
  return *found;
}

double dram_reads_cut(const MeasurementReport& round) {
  const MeasuredCandidate& winner = round.candidates[static_cast<std::size_t>(*round.winner)];
  return *round.candidates[0].counters->dram_read_bytes / *winner.counters->dram_read_bytes;
}

/// All orders of it passed, on both launches with three seeds, to the last bit.
void expect_all_equal(const std::vector<MeasurementReport>& rounds) {
  for (const MeasurementReport& round : rounds) {
    EXPECT_EQ(round.device, "NVIDIA H200");
    EXPECT_THAT(round.launches, testing::ElementsAre("main", "ragged"));
    for (const MeasuredCandidate& one : round.candidates) {
      EXPECT_FALSE(one.rejected) << one.title;
      if (one.number == 0) continue;
      EXPECT_EQ(one.runs_equal, 6) << one.title;
      EXPECT_FALSE(one.proof.empty()) << one.title;
    }
  }
}

TEST(Recorded, GemmWideIsFasterAndReadsLess) {
  const auto rounds = rounds_of("gemm_wide");
  expect_all_equal(rounds);
  EXPECT_LE(measured(rounds), 10);
  const MeasurementReport& best = best_of(rounds);
  EXPECT_GE(best.confirmed_cold->ratio, 1.25);
  EXPECT_GE(best.confirmed_cold->low, 1.25);
  EXPECT_GE(dram_reads_cut(best), 5);
  // Not significantly slower than the published grouped order.
  EXPECT_GE(best.confirmed_cold->high, candidate(best, "group(8)").cold->low);
}

TEST(Recorded, AttentionHeadsIsFasterAndReadsLess) {
  const auto rounds = rounds_of("attention_heads");
  expect_all_equal(rounds);
  EXPECT_LE(measured(rounds), 10);
  const MeasurementReport& best = best_of(rounds);
  EXPECT_GE(best.confirmed_cold->low, 1.08);
  EXPECT_GE(dram_reads_cut(best), 10);
  // Not significantly slower than the blocks of a head one after the other.
  EXPECT_GE(best.confirmed_cold->high, candidate(best, "columns").cold->low);
}

TEST(Recorded, CheatsAreRejectedByName) {
  for (const char* run : {"copy_cheats", "transpose_cheats"}) {
    const MeasurementReport report = measure::merge_bundle({kRuns + run, {}});
    std::vector<std::string> kinds;
    for (const MeasuredCandidate& one : report.candidates)
      if (one.rejected) kinds.push_back(one.rejected->kind);
    EXPECT_THAT(kinds, testing::ElementsAre("unwritten", "fault", "guard", "hang")) << run;
    EXPECT_TRUE(report.candidates[1].cold) << run;  // the run went on
  }
}

}  // namespace
}  // namespace heddle
