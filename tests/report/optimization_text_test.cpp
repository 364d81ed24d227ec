#include "report/optimization_text.h"

#include <gtest/gtest.h>

#include "report/optimization_samples.h"
#include "report/style.h"

namespace heddle::report {
namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

TEST(OptimizationText, AnswerFirstInOneLine) {
  EXPECT_EQ(first_line(optimization_text(improved_report(), {})),
            "faster, predicted 1.12x: xcd(8) | columns, PROVED for all sizes");
  EXPECT_EQ(first_line(optimization_text(already_best_report(), {})),
            "leave it: no order is predicted to gain 1 % on the launch order");
  EXPECT_EQ(first_line(optimization_text(not_independent_report(), {})),
            "not independent: tiles depend on one another, so their order must not change");
  EXPECT_EQ(first_line(optimization_text(unknown_report(), {})),
            "unknown: the trace was cut after 60 s");
  OptimizationReport one_size = improved_report();
  one_size.best.sizes = ProvedSizes::grid;
  EXPECT_EQ(first_line(optimization_text(one_size, {})),
            "faster, predicted 1.12x: xcd(8) | columns, PROVED for grid 256x256");
}

TEST(OptimizationText, SpeedupsHaveAnInterval) {
  OptimizationReport report = improved_report();
  report.best.predicted.intervals.speedup = Interval{0.96, 1.05};
  const std::string text = optimization_text(report, {});
  EXPECT_EQ(first_line(text),
            "faster, predicted 1.12x (1.08 to 1.18): xcd(8) | columns, PROVED for all sizes");
  EXPECT_TRUE(contains(text, "1.122 times as fast, 1.08 to 1.18 in 9 of 10 kernels like it."))
      << text;
  EXPECT_FALSE(contains(text, "reaches below 1"));
  report.best.predicted.intervals.speedup = Interval{0.88, 1.05};
  EXPECT_TRUE(contains(optimization_text(report, {}),
                       "That interval reaches below 1: measure it before you take it."));
}

TEST(OptimizationText, BeforeAndAfter) {
  const std::string text = optimization_text(improved_report(), {});
  for (const char* row :
       {"predicted launch order best change", "time 167 us 149 us -10.9 %",
        "L2 hit rate 31.9 % 69.2 % +37.3 points", "last level hit rate 60.2 % 60.2 %",
        "bytes past the L2 450 MiB 256 MiB -43.1 %", "against the bound 1.76x 1.00x",
        "HBM bytes 256 MiB 256 MiB", "slowest die over mean 1.02x 1.02x",
        "limited by latency memory, 62 % busy", "misses, conflict 2,290,439 0 -100.0 %",
        "misses, other die 36,312 0 -100.0 %"}) {
    EXPECT_TRUE(contains(text, row)) << row << "\n" << text;
  }
  EXPECT_TRUE(contains(text, "Misses due to conflicts in a set fall from 2,290,439 to 0"));
  EXPECT_TRUE(contains(text, "4 xcd(8) | columns 69.2 % 149 us 1.122 all sizes"));
  EXPECT_TRUE(
      contains(text, "6 orders proposed: 3 replayed, 1 duplicate, 1 refuted, 1 unknown, 0 from"));
}

TEST(OptimizationText, SaysWhyNothingHelps) {
  const std::string text = optimization_text(already_best_report(), {});
  EXPECT_TRUE(contains(text,
                       "The best of 2 other orders, xcd(8) | columns, is predicted 0.2 % slower "
                       "than the launch order."))
      << text;
  EXPECT_TRUE(contains(text,
                       "The launch order moves 264 MiB past the L2, 1.03 times the "
                       "256 MiB that any order must move."));
  EXPECT_TRUE(contains(text,
                       "limited by L1, which is busy for 98 % of it: every order sends it the "
                       "same 27,246,080 requests."));
  EXPECT_TRUE(contains(text, "predicted launch order best other change"));
  OptimizationReport report = already_best_report();
  report.attempts[3].speedup = 1.002;
  EXPECT_TRUE(contains(optimization_text(report, {}),
                       "is predicted 0.2 % faster than the launch order, too little to call it an "
                       "improvement."));
}

TEST(OptimizationText, ConflictOfTiles) {
  const std::string text = optimization_text(not_independent_report(), {});
  EXPECT_TRUE(contains(text,
                       "why Read-after-write: tile (0, 0) reads byte 1,048,580 of x_ptr on line "
                       "14, which tile (1, 0) writes on line 17"))
      << text;
  EXPECT_TRUE(contains(text, "traced on grid 64x64; rows = 4096"));
  EXPECT_FALSE(contains(text, "launch order best"));
}

TEST(OptimizationText, GpuWithoutALastLevelHasNoRowOfIt) {
  const std::string text = optimization_text(nvidia_report({8, 64, 128}), {});
  EXPECT_FALSE(contains(text, "last level")) << text;
  EXPECT_FALSE(contains(text, "slowest die")) << text;
  EXPECT_TRUE(contains(text, "on grid 8x64x128, NVIDIA H200 (h200)"));
  EXPECT_TRUE(contains(text, "on lines that the other half of the L2 held"));
}

TEST(OptimizationText, FinalistsRankFirstAndMarksAreShown) {
  OptimizationReport report = improved_report();
  report.attempts[0].finalist = report.attempts[3].finalist = true;
  report.attempts[1].speedup = 1.5;
  report.attempts[1].from_history = true;
  report.attempts[1].predicted->sample.sampled = true;
  report.attempts[1].fidelity = "sampled 2000000";
  const std::string text = flat(optimization_text(report, {}));
  EXPECT_TRUE(contains(text, "*~1.500")) << text;
  EXPECT_LT(text.find("4 xcd(8) | columns 69.2 %"), text.find("2 xcd(8) 4.8 %"));
  EXPECT_LT(text.find("1 identity 31.9 %"), text.find("2 xcd(8) 4.8 %"));
}

TEST(OptimizationText, HundredColumnsAndNoControlCharacters) {
  for (const OptimizationReport& report : all_reports()) {
    const std::string text = optimization_text(report, {});
    EXPECT_FALSE(has_broken_figure(text)) << text;
    EXPECT_EQ(text.find("\n\n\n"), std::string::npos) << text;
    for (const std::string_view line : split_lines(text)) {
      EXPECT_LE(width_of(line), 100U) << line;
      for (const char c : line) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20U) << line;
    }
  }
}

TEST(OptimizationText, ColourChangesNothingElse) {
  std::string coloured = optimization_text(improved_report(), {true});
  EXPECT_NE(coloured.find("\x1b["), std::string::npos);
}

}  // namespace
}  // namespace heddle::report
