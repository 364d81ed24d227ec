#include "report/roofline_report.h"

#include <gtest/gtest.h>

#include <limits>

#include "report/roofline_words.h"
#include "report/style.h"
#include "support/text.h"

namespace heddle::report {
namespace {

using nlohmann::json;

RooflinePoint point(const std::string& kernel, double gflop_per_s, double l1, double l2,
                    double hbm) {
  RooflinePoint result;
  result.kernel = kernel;
  result.calls = 1;
  result.gflop_per_s = gflop_per_s;
  result.intensity_l1 = l1;
  result.intensity_l2 = l2;
  result.intensity_hbm = hbm;
  return result;
}

RooflineReport roofline_sample() {
  RooflineReport report;
  RooflineRun run;
  run.name = "lab/MI0";
  run.ceilings = {"roofline.csv, device 0 (measured)",
                  {{"HBM", 1000}, {"L2", 4000}, {"L1", 8000}, {"LDS", 16'000}},
                  {{"FP64", false, 10'000},
                   {"FP64", true, 20'000},
                   {"FP32", false, 11'000},
                   {"FP32", true, 21'000},
                   {"FP16", true, 80'000},
                   {"INT8", true, 81'000}}};
  run.points = {point("stream(double*)", 90, 0.05, 0.08, 0.1), point("fill(int*)", 0, 0, 0, 0),
                point("product(float*)", 15'000, 8, 30, 100)};
  RooflinePoint lacking;
  lacking.kernel = "old(float*)";
  lacking.missing = "TCC_EA_RDREQ_sum";
  run.points.push_back(lacking);
  report.runs = {run};
  report.charts = {{"FP32", "FP64"}, {"FP16", "INT8"}};
  report.levels = roofline_levels();
  return report;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(RooflineChart, BandwidthsRiseToTheHighestRoof) {
  const auto lines = roofline_lines(roofline_sample().ceilings(), "FP64", {"HBM", "L2"});
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0].name, "HBM");
  EXPECT_DOUBLE_EQ(lines[0].y_from, 10);
  EXPECT_DOUBLE_EQ(lines[0].x_to, 20);
  EXPECT_DOUBLE_EQ(lines[0].y_to, 20'000);
  EXPECT_EQ(roof_name(lines[2]), "vector FP64");
  EXPECT_DOUBLE_EQ(lines[2].x_from, 2.5);  // where the L2, the last level, meets it
  EXPECT_TRUE(roofline_lines(roofline_sample().ceilings(), "BF16", {}).empty());
}

TEST(RooflineChart, ALevelIsDrawnOnce) {
  const RooflineReport report = roofline_sample();
  const auto lines = chart_lines(report, {"FP32", "FP64"}, {});
  EXPECT_EQ(lines.size(), 4U + 4U);
  EXPECT_DOUBLE_EQ(lines[0].y_to, 21'000);
}

TEST(RooflineChart, AxesHoldEveryPoint) {
  RooflineReport report = roofline_sample();
  report.runs[0].points.push_back(point("slow(float*)", 0.02, 0.0004, 0.5, 5000));
  const RooflineAxes axes = chart_axes(report, {"FP32", "FP64"});
  EXPECT_LE(axes.x_first, 0.0004);
  EXPECT_GE(axes.x_last, 5000);
  EXPECT_LE(axes.y_first, 0.02);
  EXPECT_GE(axes.y_last, 21'000);
}

TEST(RooflineChart, TheLowestRoofOverAPointLimitsIt) {
  const RooflineReport report = roofline_sample();
  const std::vector<std::string> types = {"FP32", "FP64"};
  const auto limit = [&](const std::string& level, const RooflinePoint& one) {
    return roofline_limit(report.ceilings(), types, level, one);
  };
  EXPECT_EQ(limit("HBM", report.runs[0].points[0]).roof, "HBM");
  EXPECT_DOUBLE_EQ(limit("HBM", report.runs[0].points[0]).share, 0.9);
  EXPECT_EQ(limit("HBM", report.runs[0].points[2]).roof, "matrix FP64");
  EXPECT_DOUBLE_EQ(limit("HBM", report.runs[0].points[2]).share, 0.75);
  const RooflineLimit over = limit("HBM", point("fast", 200, 1, 1, 0.1));
  EXPECT_TRUE(over.over);
  EXPECT_DOUBLE_EQ(over.share, 2);
  EXPECT_TRUE(limit("HBM", report.runs[0].points[1]).roof.empty());
}

TEST(RooflineChart, APointAboveAllArithmeticIsAboveTheHighestRoof) {
  const RooflineReport report = roofline_sample();
  // The bandwidths would allow it: 8000 GB/s at 1e6 FLOP/byte.
  for (const char* level : {"L1", "L2", "HBM"}) {
    const RooflineLimit limit = roofline_limit(report.ceilings(), {"FP32", "FP64"}, level,
                                               point("wild", 4.2e6, 1e6, 1e6, 1e6));
    EXPECT_EQ(limit.roof, "matrix FP32");
    EXPECT_DOUBLE_EQ(limit.share, 200);
    EXPECT_TRUE(limit.over);
  }
  const RooflineLimit both =
      roofline_limit(report.ceilings(), {"FP32", "FP64"}, "HBM", point("wild", 42'000, 1, 1, 1));
  EXPECT_EQ(both.roof, "matrix FP32");
  EXPECT_TRUE(both.over);
}

TEST(RooflineChart, ImpossibleFiguresAreListedAndNotDrawn) {
  for (const double figure : {-5.0, 1e300, std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()}) {
    RooflineReport report = roofline_sample();
    report.runs[0].points = {point("odd(float*)", figure, 1, 1, 1)};
    EXPECT_EQ(why_not_drawn(report.runs[0].points[0]),
              "its counters give impossible figures: not on the chart");
    EXPECT_TRUE(has(roofline_text(report, {}), "odd(float*)"));
  }
}

TEST(RooflineChart, LettersGoOnAfterZ) {
  EXPECT_EQ(point_letter(0), "A");
  EXPECT_EQ(point_letter(25), "Z");
  EXPECT_EQ(point_letter(26), "AA");
  EXPECT_EQ(point_letter(26 + 26 * 26), "AAA");
}

TEST(RooflineText, FitsAndLosesNoKernel) {
  RooflineReport report = roofline_sample();
  report.runs[0].points[0].kernel = std::string(300, 'x');
  const std::string text = roofline_text(report, {});
  for (const std::string_view line : split_lines(text)) EXPECT_LE(width_of(line), 100U) << line;
  for (const char* part : {"fill(int*)", "product(float*)", "old(float*)", "A1", "Ah", "C2",
                           "no floating-point work: not on the chart",
                           "not recorded: TCC_EA_RDREQ_sum; not on the chart", "at HBM 90 % of HBM",
                           "matrix FP64 20,000", "whatever the type"})
    EXPECT_TRUE(has(text, part)) << part;
  EXPECT_FALSE(has(roofline_chart_text(report, {"FP32"}), "B1"));
}

TEST(RooflineText, WholeNamesAreBroken) {
  RooflineReport report = roofline_sample();
  report.whole_names = true;
  std::string name;
  for (int i = 0; i < 30; ++i) name += "argument_" + std::to_string(i) + ", ";
  report.runs[0].points[0].kernel = name;
  const std::string text = roofline_text(report, {});
  EXPECT_TRUE(has(text, "argument_29"));
  for (const std::string_view line : split_lines(text)) EXPECT_LE(width_of(line), 100U) << line;
}

TEST(RooflineText, SeveralRunsSayWhoseCeilingsAreDrawn) {
  RooflineReport report = roofline_sample();
  report.runs.push_back(report.runs[0]);
  report.runs[1].name = "tuned/MI0";
  const std::string text = roofline_text(report, {});
  EXPECT_TRUE(has(text, "those of lab/MI0, the first run"));
  EXPECT_TRUE(has(text, "tuned/MI0"));
  EXPECT_TRUE(has(text, "  H   old(float*)"));
}

TEST(RooflineText, NothingAtAllStillPrints) {
  RooflineReport report = roofline_sample();
  report.runs[0].points.clear();
  report.runs[0].ceilings = {};
  const std::string text = roofline_text(report, {});
  EXPECT_TRUE(has(text, "FLOP/B L1"));
  EXPECT_TRUE(has(text, "Ceilings: none known."));
}

TEST(RooflineText, WithoutCeilingsPointsAreListed) {
  RooflineReport report = roofline_sample();
  report.runs[0].ceilings = {};
  const std::string text = roofline_text(report, {});
  EXPECT_FALSE(has(text, "FLOP/byte"));
  EXPECT_TRUE(has(text, "product(float*)"));
  EXPECT_FALSE(has(text, "no roof is known"));
  EXPECT_TRUE(json::parse(roofline_json(report).dump())["runs"][0]["ceilings"]["source"].is_null());
}

/// The row of a chart that ends with this label.
std::string row_with(const std::string& chart, const std::string& label) {
  for (const std::string_view line : split_lines(chart)) {
    if (line.ends_with(label)) return std::string(line);
  }
  return {};
}

TEST(RooflineText, ALabelStandsBesideItsOwnRow) {
  RooflineReport report = roofline_sample();
  report.runs[0].points.clear();
  const std::string chart = roofline_chart_text(report, {"FP32", "FP64"});
  EXPECT_TRUE(has(row_with(chart, " matrix FP32, FP64"), "====")) << chart;
  EXPECT_TRUE(has(row_with(chart, " vector FP32, FP64"), "----")) << chart;
  EXPECT_TRUE(has(chart, "on one row: matrix FP32 21,000, matrix FP64 20,000, vector FP32 11,000"));
  report.runs[0].ceilings.rates.push_back({"FP16", false, 20'500});
  EXPECT_FALSE(
      row_with(roofline_chart_text(report, {"FP16", "FP32", "FP64"}), " matrix FP32 and 2 more")
          .empty());
  const std::string alone = roofline_chart_text(report, {"INT8"});
  EXPECT_FALSE(row_with(alone, " matrix INT8 81,000").empty());
  EXPECT_FALSE(has(alone, "on one row"));
}

TEST(RooflineJson, HoldsFiguresAndReasons) {
  RooflineReport report = roofline_sample();
  report.runs[0].points[0].kernel = "bad\xff";
  const json result = json::parse(roofline_json(report).dump());
  EXPECT_EQ(result["version"], 1);
  const json& points = result["runs"][0]["points"];
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[0]["intensity_hbm"], 0.1);
  EXPECT_EQ(points[0]["limits"]["HBM"]["roof"], "HBM");
  EXPECT_TRUE(points[0]["not_drawn"].is_null());
  EXPECT_EQ(points[1]["not_drawn"], "no floating-point work: not on the chart");
  EXPECT_TRUE(points[1]["intensity_l1"].is_null());
  EXPECT_FALSE(points[3].contains("gflop_per_s"));
  EXPECT_EQ(result["charts"][0]["lines"].size(), 8U);
  EXPECT_EQ(result["runs"][0]["ceilings"]["bandwidths"][0]["gb_per_s"], 1000);
}

}  // namespace
}  // namespace heddle::report
