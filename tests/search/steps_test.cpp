// The steps of a search one by one: what each hands on, with a clock of the test's own as the GPU.
#include <gtest/gtest.h>

#include <cmath>

#include "search/jobs.h"
#include "search/report.h"
#include "sim/intervals.h"

namespace heddle::search {
namespace {

TEST(Fidelity, ReadsWhatItWrites) {
  for (const Fidelity fidelity : {Fidelity{}, Fidelity{2'000'000}})
    EXPECT_EQ(read_fidelity(fidelity.text()), fidelity);
  EXPECT_EQ(Fidelity{}.text(), "exact");
  for (const char* text : {"", "sampled", "sampled 0", "sampled -3", "sampled x", "Exact"})
    EXPECT_FALSE(read_fidelity(text)) << text;
}

TEST(Decided, TheBestShowsTheIntervalThatDecided) {
  OptimizeRequest request =
      request_for(std::string(HEDDLE_TESTS_DIR) + "/../examples/stencil_2d.toml", "mi300x");
  request.iterations = 6;
  request.effort = Effort::low;
  const OptimizationReport report = optimize_job(request);
  ASSERT_EQ(report.answer, Answer::improved);
  const SimResult& best = report.best.predicted;
  ASSERT_TRUE(best.causes) << "it was replayed after the decision";
  const Traffic traffic = traffic_against(sim::traffic_us(best), sim::traffic_us(report.baseline));
  EXPECT_EQ(traffic, Traffic::less);
  const auto exponents = sim::gain_interval(traffic, "mi300x", "amd", sim::known_intervals());
  ASSERT_TRUE(exponents && best.intervals.speedup);
  const Interval shown = best.intervals.speedup->times(report.best.speedup);
  EXPECT_NEAR(shown.low, gained(report.best.speedup, *exponents).low, 1e-9);
  EXPECT_GT(shown.low, 1);
  EXPECT_LE(shown.high, gained(report.best.speedup, *exponents).high + 1e-9);
}

TEST(Ceiling, IsWhatAllOrdersKeepBusy) {
  SimResult launch;
  launch.utilization = {{"compute", 50}, {"L2", 99}, {"fabric", 40}, {"memory", 80}};
  launch.bound_bytes = 1000;
  launch.hbm_read_bytes = 1000;
  launch.hbm_write_bytes = 1000;  // half of its bytes are needed
  Ceiling ceiling = ceiling_of(launch);
  EXPECT_EQ(ceiling.resource, "compute");
  EXPECT_NEAR(ceiling.gain, 1, 1e-12);
  launch.hbm_write_bytes = 0;
  ceiling = ceiling_of(launch);
  EXPECT_EQ(ceiling.resource, "memory");
  EXPECT_NEAR(ceiling.busy, 0.8, 1e-12);
  EXPECT_NEAR(ceiling.gain, 0.25, 1e-12);
  EXPECT_TRUE(std::isinf(ceiling_of({}).gain));
}

/// A copy moves what every order must, and keeps the memory busy: there is nothing to look for.
TEST(Ceiling, WithoutRoomOnlyGivenOrdersAreTried) {
  OptimizeRequest request =
      request_for(std::string(HEDDLE_TESTS_DIR) + "/../examples/copy.toml", "mi300x");
  request.overrides = {"elements=33554432"};
  OptimizationReport report = optimize_job(request);
  EXPECT_EQ(report.answer, Answer::already_best);
  EXPECT_EQ(report.search.end, SearchEnd::no_room);
  EXPECT_EQ(report.attempts.size(), 1U);
  EXPECT_LT(report.ceiling.gain, kWorthMeasuring);
  request.given.push_back({"mine", "reverse", true});
  report = optimize_job(request);
  ASSERT_EQ(report.attempts.size(), 2U);
  ASSERT_TRUE(report.attempts[1].speedup);
  EXPECT_LE(*report.attempts[1].speedup, 1 + report.ceiling.gain + 0.002);
}

/// A search of a small stencil, up to its choice.
class Steps : public ::testing::Test {
 protected:
  Steps() {
    request_.iterations = 12;
    request_.risk = Risk::high;
    subject_ = std::make_unique<Subject>(read_subject(request_));
    prepared_ = std::make_unique<Prepared>(prepare(*subject_, request_, session().pace));
  }

  Session session() {
    return {request_, {request_, subject_->since}, [](const std::vector<OrderAttempt>&) {}};
  }
  Chosen chosen() { return choose(*prepared_, session(), search(*prepared_, session(), {})); }

  /// Candidate `faster` of the round, from 1, runs in four fifths of the time; 0: none does.
  static MeasuredRound round_of(const std::vector<int>& orders, int faster) {
    MeasuredRound round{orders, {}};
    round.report.candidates.resize(orders.size() + 1);
    for (MeasuredCandidate& candidate : round.report.candidates) {
      candidate.cold.emplace();
      candidate.cold->ratio = 1;
    }
    if (faster == 0) return round;
    round.report.winner = faster;
    round.report.confirmed_cold.emplace();
    round.report.confirmed_cold->ratio = 1.25;
    return round;
  }

  Folder folder_;
  OptimizeRequest request_ = request_for(stencil_job(folder_, 8, 8), quick_gpu(folder_));
  std::unique_ptr<Subject> subject_;
  std::unique_ptr<Prepared> prepared_;
};

TEST_F(Steps, WhatWasMeasuredFastestIsTheBest) {
  std::vector<int> first;
  const Measured measured =
      measure(*prepared_, session(), chosen(), {.most = 3, .first = 3},
              [&](const Attempts&, const std::vector<int>& orders) {
                first = orders;
                return std::optional(round_of(orders, static_cast<int>(orders.size())));
              });
  ASSERT_EQ(first.size(), 3U);
  EXPECT_EQ(measured.rounds.size(), 1U);
  EXPECT_EQ(measured.chosen.best, first.back());
  EXPECT_EQ(measured.chosen.answer, Answer::improved);
  ASSERT_TRUE(measured.times);
  EXPECT_EQ(measured.times->ratio, 1.25);
  const OptimizationReport report = report_of(*prepared_, measured);
  EXPECT_EQ(report.best.iteration, first.back());
  EXPECT_TRUE(report.best.predicted.causes);
  for (const int number : first) EXPECT_TRUE(measured.chosen.searched.attempts.at(number).measured);
}

TEST_F(Steps, NothingFasterKeepsTheLaunchOrder) {
  const Measured measured = measure(*prepared_, session(), chosen(), {.most = 2, .first = 2},
                                    [](const Attempts&, const std::vector<int>& orders) {
                                      return std::optional(round_of(orders, 0));
                                    });
  EXPECT_EQ(measured.chosen.best, kLaunchOrder);
  EXPECT_EQ(measured.chosen.answer, Answer::already_best);
  EXPECT_FALSE(measured.times);
}

TEST_F(Steps, AFileThatIsNoOrderNeverWins) {
  const Measured measured =
      measure(*prepared_, session(), chosen(), {.most = 2, .first = 2},
              [](const Attempts&, const std::vector<int>& orders) {
                MeasuredRound round = round_of(orders, static_cast<int>(orders.size()) + 1);
                round.report.candidates.push_back(round.report.candidates.back());
                return std::optional(std::move(round));
              });
  EXPECT_EQ(measured.chosen.best, kLaunchOrder);
}

TEST_F(Steps, WhatCannotBeMeasuredKeepsTheModelsChoice) {
  request_.iterations = 60;
  const Chosen before = chosen();
  const Measured measured =
      measure(*prepared_, session(), chosen(), {.most = 3, .first = 3},
              [](const Attempts&, const std::vector<int>&) -> std::optional<MeasuredRound> {
                return std::nullopt;
              });
  EXPECT_EQ(before.answer, Answer::improved);
  EXPECT_EQ(measured.chosen.best, before.best);
  EXPECT_EQ(measured.chosen.answer, before.answer);
  EXPECT_TRUE(measured.rounds.empty());
}

TEST_F(Steps, ASearchThatGoesOnKeepsItsAttempts) {
  Searched searched = search(*prepared_, session(), {});
  const int before = searched.attempts.count();
  const std::string last = searched.attempts.at(before).formula;
  request_.iterations = 0;
  searched = resume(*prepared_, session(), std::move(searched), 8);
  EXPECT_GT(searched.attempts.count(), before);
  EXPECT_EQ(searched.attempts.at(before).formula, last);
  EXPECT_EQ(searched.attempts.at(searched.attempts.count()).iteration, searched.attempts.count());
}

TEST_F(Steps, KnownPredictionsAreNotReplayed) {
  const Searched first = search(*prepared_, session(), {});
  const Searched second = search(*prepared_, session(), first.attempts.all());
  EXPECT_GT(first.summary.replayed, 0);
  EXPECT_EQ(second.summary.replayed, 0);
  EXPECT_EQ(second.summary.from_history, first.summary.replayed);
  EXPECT_EQ(second.best, first.best);
}

}  // namespace
}  // namespace heddle::search
