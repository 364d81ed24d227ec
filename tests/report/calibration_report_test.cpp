#include "report/calibration_report.h"

#include <gtest/gtest.h>

namespace heddle::report {
namespace {

FittedParameter parameter(std::string key, std::string before, std::string after) {
  FittedParameter result;
  result.key = std::move(key);
  result.why = "nobody says";
  result.values = 3;
  result.before = std::move(before);
  result.after = std::move(after);
  return result;
}

CalibrationReport calibration_sample() {
  CalibrationReport report;
  report.gpu = "mi300x";
  report.gpu_title = "AMD Instinct MI300X";
  report.mode = "SPX";
  report.tables = {"t.csv"};
  report.points = 16;
  report.kernels = {"stencil_2d", "ising"};
  report.parameters = {parameter("l2.replacement", "\"lru\"", "\"random\""),
                       parameter("compute.dispatch_cycles", "4", "4"),
                       parameter("l1.hashed_sets", "false", "false")};
  report.parameters[0].gains = {0.21, 0.001};
  report.parameters[1].refused = {"8"};
  report.evaluations = 40;
  report.loss_before = 2.5;
  report.loss_after = 1.25;
  report.before.l2 = {16, 6.9, 26.4, {}};
  report.after = GpuScore{};
  report.after->l2 = {16, 3.1, 7, {}};
  report.left_out = {{"stencil_2d", {6, 8, 3, 4.1}, {5, 9, 4, 6.5}}, {"ising", {3, 5, 2, 2.1}, {}}};
  return report;
}

TEST(CalibrationReport, text_says_what_changed_and_what_it_is_worth) {
  EXPECT_EQ(calibration_text(calibration_sample(), {}),
            R"(mi300x  AMD Instinct MI300X, mode SPX, 16 points of 2 kernels
  changed        l2.replacement = "random", was "lru"
                 worth, in each kernel's loss: stencil_2d +0.21
  refused        compute.dispatch_cycles = 8: helps one kernel alone
  kept           l1.hashed_sets
  search         40 settings looked at, loss 2.500 -> 1.250
  L2 hit rate    mean error 6.9 -> 3.1 points, largest 26.4 -> 7.0; 16 points
  left out       stencil_2d: mean error 4.1 points by numbers fitted to the others, 3.0 to all, 8.0
                 by the file's
                 stencil_2d: mean error of speedups 6.5 % by numbers fitted to the others, 4.0 to
                 all, 9.0 by the file's
  left out       ising: mean error 2.1 points by numbers fitted to the others, 2.0 to all, 5.0 by
                 the file's
                 mean over left-out kernels 3.1 points, 6.5 % of speedups
)");
}

TEST(CalibrationReport, json_has_every_figure) {
  CalibrationReport report = calibration_sample();
  nlohmann::json written = calibration_json(report);
  EXPECT_EQ(written["version"], 1);
  EXPECT_EQ(written["parameters"][0]["after"], "\"random\"");
  EXPECT_EQ(written["parameters"][0]["gains"]["stencil_2d"], 0.21);
  EXPECT_EQ(written["parameters"][1]["refused"][0], "8");
  EXPECT_EQ(written["left_out"][0]["speedup_pct"]["mean_error_fitted_to_others"], 6.5);
  EXPECT_TRUE(written["left_out"][1]["speedup_pct"].is_null());
  EXPECT_EQ(written["checked"], true);
  EXPECT_NEAR(written["left_out_mean"].get<double>(), 3.1, 1e-9);
  EXPECT_EQ(written["after"]["l2_hit_pct"]["mean"], 3.1);
  report.after.reset();
  report.left_out.clear();
  report.interrupted = true;
  written = calibration_json(report);
  EXPECT_TRUE(written["after"].is_null());
  EXPECT_TRUE(written["left_out_mean"].is_null());
  EXPECT_EQ(written["interrupted"], true);
}

TEST(CalibrationReport, what_was_not_reached_is_left_out) {
  CalibrationReport report = calibration_sample();
  report.interrupted = true;
  report.checked = false;
  report.loss_before.reset();
  report.loss_after.reset();
  report.after.reset();
  report.left_out.clear();
  const std::string text = calibration_text(report, {});
  EXPECT_NE(text.find("search         40 settings looked at; interrupted\n"), std::string::npos);
  EXPECT_NE(text.find("\n  not checked    whether a change helps one kernel alone"),
            std::string::npos)
      << text;
  EXPECT_TRUE(calibration_json(report)["loss_after"].is_null());
  EXPECT_EQ(calibration_json(report)["checked"], false);
}

}  // namespace
}  // namespace heddle::report
