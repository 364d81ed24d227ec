// Variants and shapes in print, from reports made by hand.
#include "report/tuning_report.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "report/optimization_explanation.h"
#include "report/optimization_json.h"
#include "report/optimization_samples.h"
#include "report/optimization_text.h"
#include "report/optimization_view.h"

namespace heddle::report {
namespace {

using ::testing::HasSubstr;

OptimizationReport tuned_report() {
  OptimizationReport report = improved_report();
  TunedVariant job;
  job.title = "as it is";
  job.written_us = 200;
  job.order = "group(8)";
  job.best_us = 190;
  job.speedup = 200.0 / 190;
  TunedVariant best = job;
  best.title = "BLOCK_M = 128, num_warps = 8";
  best.overrides = best.set = {"BLOCK_M=128", "num_warps=8"};
  best.best_us = 160;
  best.speedup = 1.25;
  TunedVariant wrong;
  wrong.title = "BLOCK_M = 96";
  wrong.reason = "arange takes powers of two";
  report.tuning = Tuning{{job, best, wrong}, 1, false};
  return report;
}

TEST(TuningReport, TheFirstLineIsAgainstTheJobAsItIs) {
  EXPECT_EQ(answer_line(tuned_report()),
            "faster, predicted 1.25x: BLOCK_M = 128, num_warps = 8, xcd(8) | columns, PROVED for "
            "all sizes");
  OptimizationReport as_written = tuned_report();
  as_written.best.iteration = 1;
  EXPECT_EQ(answer_line(as_written),
            "faster, predicted 1.25x: BLOCK_M = 128, num_warps = 8, its own order");
  OptimizationReport measured = tuned_report();
  measured.tuning->measured = true;
  measured.tuning->variants[0].measured_written_us = 220;
  measured.tuning->variants[1].measured_us = 110;
  EXPECT_THAT(answer_line(measured), HasSubstr("faster, measured 2.00x: BLOCK_M = 128"));
}

TEST(TuningReport, EveryVariantIsARow) {
  const std::string text = tuning_text(tuned_report());
  EXPECT_THAT(text, HasSubstr("as it is"));
  EXPECT_THAT(text, HasSubstr("1.250  chosen"));
  EXPECT_THAT(text, HasSubstr("does not work: arange takes powers of two"));
  const std::string whole = optimization_text(tuned_report(), Style{});
  EXPECT_THAT(whole, HasSubstr("--set BLOCK_M=128 --set num_warps=8"));
  EXPECT_THAT(optimization_markdown(tuned_report()),
              HasSubstr("| BLOCK\\_M = 96 | - | does not work: arange takes powers of two |"));
  EXPECT_EQ(tuning_text(improved_report()), "");
  EXPECT_THAT(optimization_markdown(improved_report()), Not(HasSubstr("## Variants")));
}

TEST(TuningReport, Shapes) {
  OptimizationReport report = improved_report();
  report.shapes = {{"M = 1", {4}, 100, 80.0, "group(4)", 75, false},
                   {"M = 2", {8}, 100, 100.0, "as written", 100, true}};
  EXPECT_THAT(answer_line(report),
              HasSubstr("faster, predicted 1.12x on 2 shapes: xcd(8) | columns"));
  EXPECT_THAT(tuning_text(report), HasSubstr("1.250  group(4)"));
  EXPECT_THAT(tuning_text(report), HasSubstr("~1.000"));
  EXPECT_THAT(optimization_markdown(report), HasSubstr("## Shapes"));
  report.answer = Answer::already_best;
  EXPECT_EQ(answer_line(report), "leave it: no order is faster on both shapes");
  report.shapes.push_back(report.shapes[0]);
  EXPECT_EQ(answer_line(report), "leave it: no order is faster on all 3 shapes");
}

TEST(TuningReport, Json) {
  const auto all = optimization_json(tuned_report());
  EXPECT_EQ(all["shapes"], nullptr);
  EXPECT_EQ(all["tuning"]["chosen"], 1);
  EXPECT_EQ(all["tuning"]["variants"].size(), 3U);
  EXPECT_EQ(all["tuning"]["variants"][1]["set"][0], "BLOCK_M=128");
  EXPECT_EQ(all["tuning"]["variants"][2]["best_us"], nullptr);
  EXPECT_EQ(optimization_json(improved_report())["tuning"], nullptr);
}

}  // namespace
}  // namespace heddle::report
