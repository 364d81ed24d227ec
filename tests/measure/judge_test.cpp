// From an agent's files to an answer.
#include "measure/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "agent/program/bundle.h"
#include "support/error.h"

namespace heddle::measure {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A bundle of three candidates, and results of one's own making.
class JudgeTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(HEDDLE_WORK_DIR) / "measure" / info->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "results");
    fs::create_directories(folder_ / "kernels");
    put("bundle.txt",
        "heddle-bundle 1\njob j\nlanguage triton\nfunction k\nseeds 1\nlimit_s 1\nrounds 7\n"
        "budget_s 1\ncandidate 0 kernels/0.py a\ncandidate 1 kernels/1.py b\n"
        "candidate 2 kernels/2.py c\nlaunch main\ngrid 1 1 1\nend\n");
    std::string candidates;
    for (int i = 0; i < 3; ++i) {
      put(("kernels/" + std::to_string(i) + ".py").c_str(), "# " + std::to_string(i) + "\n");
      candidates += std::string(i > 0 ? "," : "") + R"({"title": "order )" + std::to_string(i) +
                    R"(", "formula": "f", "proof": "all", "source": "kernels/)" +
                    std::to_string(i) +
                    R"(.py", "predicted": {"speedup": 1.1, "time_us": null, "l2_hit_pct": 50,
                    "dram_read_bytes": 1000}})";
    }
    put("heddle.json",
        R"({"version": 1, "launches": ["main"], "seeds": ["1"], "job": "j.toml", "set": [], "gpu": "h200",
        "kernel": "k.py", "function": "k", "candidates": [)" +
            candidates + "]}");
    put("results/machine.txt",
        "device NVIDIA H200\ndriver 580\nbundle " + agent::bundle_digest(folder_.string()) + "\n");
    put("results/checks.csv",
        "candidate,launch,seed,verdict,kind,detail\n1,main,1,equal,,\n2,main,1,equal,,\n");
    put("results/done.txt", "done\n");
    put("results/counters.txt", "refused permission the machine keeps its counters to itself\n");
  }

  void put(const char* name, const std::string& text) { std::ofstream(folder_ / name) << text; }

  /// Times of rounds: the original's, and each candidate's as a share of it.
  std::string samples(const char* phase, const std::vector<std::pair<std::string, double>>& shares,
                      int rounds = 40) {
    std::string text;
    for (int round = 0; round < rounds; ++round) {
      for (const auto& [name, share] : shares) {
        // A little noise that drifts with the rounds.
        const double time = 100 * share * (1 + 0.001 * ((round * 7 + name[0]) % 5) + 0.002 * round);
        for (const char* cache : {"cold", "warm"})
          text += std::string(phase) + "," + std::to_string(round) + ",0," + name + "," + cache +
                  ",1," + std::to_string(time) + "\n";
      }
    }
    return text;
  }

  void put_samples(const std::string& rows) {
    put("results/samples.csv", "phase,round,position,candidate,cache,launches,time_us\n" + rows);
  }

  MeasurementReport report() { return read_measurement(folder_.string()); }

  fs::path folder_;
};

TEST_F(JudgeTest, TheFasterCandidateIsConfirmed) {
  put_samples(samples("time", {{"0", 1}, {"1", 0.8}, {"2", 1.1}, {"0b", 1}}) +
              samples("confirm", {{"0", 1}, {"1", 0.8}, {"0b", 1}}));
  const MeasurementReport measured = report();
  EXPECT_EQ(measured.answer, MeasuredAnswer::faster);
  ASSERT_TRUE(measured.winner);
  EXPECT_EQ(*measured.winner, 1);
  EXPECT_EQ(measured.candidates[1].cold->difference, Difference::faster);
  EXPECT_EQ(measured.candidates[2].cold->difference, Difference::slower);
  EXPECT_NEAR(measured.confirmed_cold->ratio, 1.25, 0.01);
  EXPECT_LT(measured.candidates[1].cold->low, 1.25);
  EXPECT_GT(measured.candidates[1].cold->high, 1.24);
  EXPECT_EQ(measured.device, "NVIDIA H200");
  EXPECT_THAT(measured.counters_reason, HasSubstr("permission"));
}

TEST_F(JudgeTest, WhatIsFasterOnceIsNotFaster) {
  put_samples(samples("time", {{"0", 1}, {"1", 0.9}, {"2", 1}, {"0b", 1}}) +
              samples("confirm", {{"0", 1}, {"1", 1}, {"0b", 1}}));
  const MeasurementReport measured = report();
  EXPECT_EQ(measured.answer, MeasuredAnswer::no_difference);
  EXPECT_FALSE(measured.winner);
  EXPECT_THAT(measured.not_confirmed, HasSubstr("candidate 1"));
}

TEST_F(JudgeTest, DifferencesBelowTheNoiseAreNone) {
  // The original is 3 % from itself: 2 % mean nothing.
  put_samples(samples("time", {{"0", 1}, {"1", 0.98}, {"2", 1}, {"0b", 0.97}}));
  const MeasurementReport measured = report();
  EXPECT_EQ(measured.candidates[1].cold->difference, Difference::none);
  EXPECT_EQ(measured.answer, MeasuredAnswer::no_difference);
}

TEST_F(JudgeTest, ARejectedCandidateHasNoTimes) {
  put("results/checks.csv",
      "candidate,launch,seed,verdict,kind,detail\n"
      "1,main,1,equal,,\n1,ragged,2,rejected,unwritten,\"c_ptr [128, 0]: expected 1, found the "
      "poison\"\n"
      "2,main,1,equal,,\n");
  put_samples(samples("time", {{"0", 1}, {"1", 0.1}, {"2", 1}, {"0b", 1}}));
  const MeasurementReport measured = report();
  ASSERT_TRUE(measured.candidates[1].rejected);
  EXPECT_EQ(measured.candidates[1].rejected->kind, "unwritten");
  EXPECT_EQ(measured.candidates[1].rejected->launch, "ragged");
  EXPECT_THAT(measured.candidates[1].rejected->detail, HasSubstr("[128, 0]"));
  EXPECT_FALSE(measured.candidates[1].cold);
  EXPECT_FALSE(measured.winner);
}

TEST_F(JudgeTest, ALaunchThatTheOriginalFailsOnIsANote) {
  put("results/checks.csv",
      "candidate,launch,seed,verdict,kind,detail\n"
      "0,ragged,1,rejected,fault,an illegal access\n"
      "1,main,1,equal,,\n1,main,2,equal,,\n2,main,1,equal,,\n2,main,2,equal,,\n");
  put_samples(samples("time", {{"0", 1}, {"1", 0.5}, {"2", 1}, {"0b", 1}}));
  const MeasurementReport measured = report();
  EXPECT_FALSE(measured.candidates[0].rejected);
  EXPECT_TRUE(measured.candidates[1].cold);
  EXPECT_THAT(measured.launches, testing::ElementsAre("main"));
  EXPECT_THAT(measured.notes, testing::Contains(HasSubstr("launch ragged: the original failed")));
}

TEST_F(JudgeTest, WhatWasNotComparedIsOut) {
  put("results/checks.csv", "candidate,launch,seed,verdict,kind,detail\n2,main,1,equal,,\n");
  put_samples(samples("time", {{"0", 1}, {"1", 0.5}, {"2", 1}, {"0b", 1}}));
  EXPECT_EQ(report().candidates[1].rejected->kind, "unchecked");
}

TEST_F(JudgeTest, EveryLaunchAndSeedIsNeeded) {
  put("results/checks.csv",
      "candidate,launch,seed,verdict,kind,detail\n1,main,2,equal,,\n2,main,1,equal,,\n");
  put_samples(samples("time", {{"0", 1}, {"1", 0.5}, {"2", 1}, {"0b", 1}}));
  const MeasurementReport measured = report();
  EXPECT_EQ(measured.candidates[1].rejected->detail, "launch main with seed 1 was not compared");
}

TEST_F(JudgeTest, SecondTimesOfAnotherConfirmNothing) {
  put_samples(samples("time", {{"0", 1}, {"1", 0.8}, {"2", 0.9}, {"0b", 1}}) +
              samples("confirm", {{"0", 1}, {"2", 0.8}, {"0b", 1}}));
  EXPECT_FALSE(report().winner);
  EXPECT_THAT(report().not_confirmed, HasSubstr("candidate 1 was the fastest"));
}

TEST_F(JudgeTest, ComparedAndNotTimed) {
  EXPECT_EQ(report().answer, MeasuredAnswer::not_timed);
}

TEST_F(JudgeTest, ResultsOfAnotherBundleAreRefused) {
  put_samples(samples("time", {{"0", 1}, {"1", 0.8}, {"2", 1}, {"0b", 1}}));
  put("kernels/1.py", "# another order\n");
  try {
    report();
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("are of another bundle"));
  }
}

TEST_F(JudgeTest, APipeIsNoFile) {
  fs::remove(folder_ / "results" / "checks.csv");
  ASSERT_EQ(mkfifo((folder_ / "results" / "checks.csv").c_str(), 0600), 0);
  EXPECT_THROW(report(), Error);
}

TEST_F(JudgeTest, ARejectedOriginalIsNoAnswer) {
  put("results/checks.csv",
      "candidate,launch,seed,verdict,kind,detail\n0,main,1,rejected,fault,x\n1,main,1,equal,,\n"
      "2,main,1,equal,,\n");
  EXPECT_THROW(report(), Error);
}

TEST_F(JudgeTest, NothingPassed) {
  put("results/checks.csv",
      "candidate,launch,seed,verdict,kind,detail\n1,main,1,rejected,hang,x\n"
      "2,main,1,rejected,guard,y\n");
  EXPECT_EQ(report().answer, MeasuredAnswer::nothing_passed);
}

TEST_F(JudgeTest, AnAgentThatFailedSaysWhy) {
  put("results/done.txt", "failed 5 the original faults\n");
  try {
    report();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::target_failed);
    EXPECT_THAT(error.message(), HasSubstr("the original faults"));
  }
}

TEST_F(JudgeTest, ResultsAreAStrangersWord) {
  for (const char* row :
       {"time,0,0,7,cold,1,5\n", "time,0,0,1,cold,1,-5\n", "time,0,0,1,cold,1,\n",
        "time,x,0,1,cold,1,5\n", "other,0,0,1,cold,1,5\n", "time,0,0,1\n", "time,0,0,1,tepid,1,5\n",
        "time,0,0,1,cold,1,nan\n", "confirm,0,0,.0,cold,1,5\n", "time,0,0,1.0,cold,1,5\n",
        "time,0,0,01,cold,1,5\n", "time,0,0,1,cold,1,1e307\n"}) {
    put_samples(row);
    EXPECT_THROW(report(), Error) << row;
  }
  put_samples("");
  EXPECT_FALSE(report().winner);
  put("results/checks.csv", "candidate,launch\n1,main\n");
  EXPECT_THROW(report(), Error);
  fs::remove(folder_ / "results" / "done.txt");
  EXPECT_THROW(report(), Error);
  put("heddle.json", "{");
  EXPECT_THROW(report(), Error);
}

TEST_F(JudgeTest, PathsOfTheRecordStayInTheFolder) {
  put("heddle.json",
      R"({"version": 1, "launches": [], "seeds": [], "job": "j", "set": [], "gpu": "", "kernel": "k.py",
      "function": "k", "candidates": [{"title": "t", "formula": "", "proof": "",
      "source": "../../../../etc/passwd", "predicted": null}]})");
  EXPECT_THROW(report(), Error);
}

}  // namespace
}  // namespace heddle::measure
