#include "report/optimization_json.h"

#include <gtest/gtest.h>

#include <set>

#include "report/optimization_samples.h"

namespace heddle::report {
namespace {

using nlohmann::json;

std::set<std::string> keys_of(const json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

TEST(OptimizationJson, HasTheFieldsOfItsVersion) {
  const json report = optimization_json(improved_report());
  EXPECT_EQ(
      keys_of(report),
      (std::set<std::string>{"version",  "gpu",          "job",          "kernel", "grid",
                             "baseline", "tile_space",   "best",         "tuning", "shapes",
                             "bound",    "iterations",   "measurements", "search", "contributions",
                             "model",    "independence", "answer",       "reason", "to_measure",
                             "notes"}));
  EXPECT_EQ(keys_of(report["best"]),
            (std::set<std::string>{"formula", "setting", "triton", "hip", "cuda", "opencl",
                                   "verdict", "sizes", "scope", "iteration", "predicted",
                                   "predicted_speedup", "predicted_speedup_interval", "measured"}));
  EXPECT_EQ(
      keys_of(report["iterations"][0]),
      (std::set<std::string>{"iteration", "proposer", "formula", "verdict", "sizes", "reason",
                             "counterexample", "same_as", "fidelity", "predicted",
                             "predicted_speedup", "measured", "rejected", "from_history", "said"}));
  EXPECT_EQ(report["version"], 1);
  EXPECT_EQ(report["gpu"], "mi300x");
  EXPECT_EQ(report["grid"], json({256, 256}));
  EXPECT_EQ(report["answer"], "faster");
  EXPECT_EQ(report["reason"], nullptr);
  EXPECT_EQ(report["baseline"]["predicted_time_us"], 167.2);
  EXPECT_EQ(report["best"]["predicted"]["order"], "xcd(8) | columns");
  EXPECT_EQ(report["best"]["cuda"], nullptr);
  EXPECT_EQ(report["best"]["sizes"], "all");
  EXPECT_DOUBLE_EQ(report["bound"]["best_bytes_ratio"], 1.0);
  EXPECT_NEAR(report["bound"]["baseline_bytes_ratio"].get<double>(), 1.758, 0.001);
  EXPECT_EQ(report["search"]["end"], "at bound");
}

TEST(OptimizationJson, AttemptsTellWhatBecameOfThem) {
  const json iterations = optimization_json(improved_report())["iterations"];
  ASSERT_EQ(iterations.size(), 6U);
  EXPECT_EQ(iterations[2]["verdict"], "REFUTED");
  EXPECT_EQ(iterations[2]["counterexample"]["launch_ids"], json({1, 8}));
  EXPECT_EQ(iterations[2]["predicted"], nullptr);
  EXPECT_EQ(iterations[2]["predicted_speedup"], nullptr);
  EXPECT_EQ(iterations[3]["predicted"]["by_cause"]["first_touch"], 2097152);
  EXPECT_EQ(iterations[3]["predicted"]["limited_by"], "memory");
  EXPECT_EQ(iterations[3]["predicted"]["sampled"], false);
  EXPECT_EQ(iterations[4]["reason"], "line 1: 'load' is called but not defined");
  EXPECT_EQ(iterations[5]["same_as"], 2);
}

TEST(OptimizationJson, BestIsNeverNull) {
  for (const OptimizationReport& report : all_reports()) {
    const json result = optimization_json(report);
    EXPECT_TRUE(result["best"].is_object());
    EXPECT_TRUE(result["best"]["predicted"].is_object());
  }
}

TEST(OptimizationJson, AnyTextCanBeDumped) {
  for (const OptimizationReport& report : all_reports()) {
    EXPECT_NO_THROW({
      const std::string text = optimization_json(report).dump();
      EXPECT_EQ(json::parse(text).dump(), text);
    });
    EXPECT_NO_THROW(feedback_json(report, 1).dump());
  }
}

TEST(FeedbackJson, TellsAProposerWhatIsKnown) {
  const json feedback = feedback_json(improved_report(), 3);
  EXPECT_EQ(keys_of(feedback),
            (std::set<std::string>{"version", "round", "kernel", "grid", "memory", "gpu",
                                   "baseline", "best", "attempts", "how_to_answer"}));
  EXPECT_EQ(feedback["round"], 3);
  EXPECT_EQ(feedback["memory"]["accesses"][0]["tensor"], "input_ptr");
  EXPECT_EQ(feedback["memory"]["accesses"][0]["place"]["line"], 23);
  EXPECT_EQ(feedback["memory"]["accesses"][0]["neighbours"][2]["share"], 0.5);
  EXPECT_EQ(feedback["gpu"]["dies"], 8);
  EXPECT_EQ(feedback["attempts"].size(), 6U);
  EXPECT_EQ(feedback["attempts"][2]["counterexample"], "launch ids 1 and 8 both compute tile 256");
  EXPECT_EQ(feedback["attempts"][1]["predicted"]["counters"]["TCC_HIT"], 346153);
  EXPECT_EQ(feedback["attempts"][1]["predicted"]["by_cause"]["conflict"], 4633683);
  EXPECT_EQ(feedback["best"]["iteration"], 4);
  EXPECT_EQ(feedback_json(nvidia_report({64}), 1)["gpu"]["last_level_bytes"], nullptr);
}

TEST(FeedbackJson, WhatAHistoryDoesNotKeepIsNull) {
  OptimizationReport report = improved_report();
  report.attempts[1].predicted->dies.clear();
  report.attempts[1].predicted->utilization.clear();
  const json attempt = feedback_json(report, 1)["attempts"][1];
  EXPECT_EQ(attempt["predicted"]["dies_by_time"], nullptr);
  EXPECT_EQ(attempt["predicted"]["utilization"], nullptr);
}

}  // namespace
}  // namespace heddle::report
