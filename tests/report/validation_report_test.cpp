#include "report/validation_report.h"

#include <gtest/gtest.h>

#include "support/text.h"

namespace heddle::report {
namespace {

ComparedPoint compared_point(std::string order, double real, double model,
                             std::optional<double> speedup, double predicted) {
  ComparedPoint result;
  result.measured.table = "t.csv";
  result.measured.line = 3;
  result.measured.order = std::move(order);
  result.measured.l2_hit_pct = real;
  result.measured.source = "a | log";
  result.predicted.l2_hit_pct = model;
  result.measured_speedup = speedup;
  result.predicted.speedup = predicted;
  result.baseline = !speedup;
  return result;
}

ValidationReport validation_sample() {
  ValidationReport report;
  report.tables = {"t.csv"};
  ComparedGroup group;
  group.job = "examples/stencil_2d.toml";
  group.kernel = "stencil_2d_kernel";
  group.grid = {256, 256};
  group.gpu = "mi300x";
  group.points = {compared_point("identity", 29.7, 28.1, {}, 1),
                  compared_point("xcd(8) | group(4)", 4.34, 4.6, 0.936, 1.02),
                  compared_point("0, p0", 99.63, 99.6, 1.283, 1.31)};
  group.points[2].permutation = false;
  group.l2_rank = 1;
  group.fastest_measured = 0;
  group.fastest_predicted = 1;
  report.groups = {group};
  GpuScore score;
  score.gpu = "mi300x";
  score.points = 3;
  score.l2 = {3, 0.63, 1.6, {0, 0}};
  score.speedup = {1, 9, 9, {0, 1}};
  score.speedup_others = {1, 2.1, 2.1, {0, 2}};
  score.clear_effects = 1;
  score.wrong_signs = {{0, 1}};
  score.groups = {0};
  report.scores = {score};
  return report;
}

TEST(ValidationReport, text_sets_predicted_beside_measured) {
  EXPECT_EQ(validation_text(validation_sample(), {}),
            R"(examples/stencil_2d.toml  stencil_2d_kernel on grid 256x256, mi300x
                          L2 hit rate, %            speedup
  order                 real  model  error    real  model     error
  identity              29.7   28.1   -1.6       1      1
  xcd(8) | group(4)      4.3    4.6   +0.3   0.936  1.020  +9.0 % !
  0, p0             *   99.6   99.6   -0.0   1.283  1.310    +2.1 %

* not a permutation: scored separately, as "others"

mi300x, 3 points
  L2 hit rate    mean error 0.6 points, largest 1.6 (stencil_2d under identity, t.csv:3); 3 points
  L2 ranks       stencil_2d 1.00
  speedup        mean error 9.0 %, largest 9.0 (stencil_2d under xcd(8) | group(4), t.csv:3); 1
                 point
  signs          1 of 1 effect beyond 5 % goes the wrong way: stencil_2d under xcd(8) | group(4),
                 t.csv:3
  fastest        right for 0 of 1 group; stencil_2d: measured identity, predicted xcd(8) | group(4)
  others         mean error 2.1 %, largest 2.1 (stencil_2d under 0, p0, t.csv:3); 1 point
)");
}

TEST(ValidationReport, text_keeps_to_a_hundred_columns) {
  ValidationReport report = validation_sample();
  for (ComparedPoint& point : report.groups[0].points) {
    point.measured.order = std::string(200, 'x');
    point.measured.last_level_hit_pct = 50;
    point.predicted.last_level_hit_pct = 100;
    point.measured.time_us = 1;
    point.predicted.time_us = 1000;
  }
  const std::string text = validation_text(report, {});
  for (const std::string_view line : split_lines(text)) EXPECT_LE(line.size(), 100U) << line;
  EXPECT_NE(text.find("time, us"), std::string::npos);
  EXPECT_NE(text.find("last level, %"), std::string::npos);
}

TEST(ValidationReport, text_marks_samples_and_idle_blocks) {
  ValidationReport report = validation_sample();
  report.groups[0].points[0].predicted.kind.sampled = true;
  report.groups[0].points[2].predicted.kind.sampled = true;
  report.groups[0].points[2].note = "simulated as idle: 3 blocks";
  report.groups[0].points[1].measured.order = "y = p0\ny, µ";
  report.groups[0].points[1].measured_speedup = 1e4;
  const std::string text = validation_text(report, {});
  EXPECT_NE(text.find("\n  identity    ~   29.7"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  0, p0      *~   99.6"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  y = p0 y, µ      4.3"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  note           0, p0: simulated as idle: 3 blocks\n"),
            std::string::npos);
  EXPECT_NE(text.find("\n~ predicted from a sample of the launch\n"), std::string::npos);
  EXPECT_NE(text.find("under y = p0 y, µ, t.csv:3"), std::string::npos) << text;
  const std::string page = validation_markdown(report, "");
  EXPECT_NE(page.find("| `0, p0` \\* \\~ |"), std::string::npos) << page;
  EXPECT_NE(page.find("`~` marks a prediction from a sample."), std::string::npos);
}

TEST(ValidationReport, dram_reads_in_per_cent_and_small_ones_in_megabytes) {
  ValidationReport report = validation_sample();
  ComparedGroup& group = report.groups[0];
  group.points[0].measured.dram_read_mb = 134;
  group.points[0].predicted.dram_read_mb = 140.7;
  group.points[2].measured.dram_read_mb = 1;
  group.points[2].predicted.dram_read_mb = 0.5;
  report.scores[0].dram_read = {1, 5, 5, {0, 0}};
  report.scores[0].small_dram_read = {1, 0.5, 0.5, {0, 2}};
  const std::string text = validation_text(report, {});
  EXPECT_NE(text.find("DRAM reads, MB"), std::string::npos) << text;
  EXPECT_NE(text.find("134    141     +5 %"), std::string::npos) << text;
  EXPECT_NE(text.find("-0.5 MB"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  DRAM reads     mean error 5.0 %, largest 5.0 (stencil_2d under "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\n  small reads    mean error 0.5 MB, largest 0.5 (stencil_2d under 0, p0"),
            std::string::npos)
      << text;
  const nlohmann::json written = validation_json(report);
  EXPECT_EQ(written["scores"][0]["dram_read_pct"]["mean"], 5);
  EXPECT_EQ(written["scores"][0]["small_dram_read_mb"]["points"], 1);
  const nlohmann::json& points = written["groups"][0]["points"];
  EXPECT_NEAR(points[0]["dram_read_mb"]["error"].get<double>(), 5, 1e-9);
  EXPECT_TRUE(points[2]["dram_read_mb"]["error"].is_null());
}

TEST(ValidationReport, signs_without_effects) {
  ValidationReport report = validation_sample();
  report.scores[0].clear_effects = 0;
  report.scores[0].wrong_signs.clear();
  EXPECT_NE(validation_text(report, {}).find("no effect of a permutation is beyond 5 %"),
            std::string::npos);
  report.scores[0].clear_effects = 1;
  EXPECT_NE(validation_text(report, {}).find("the one effect beyond 5 % goes the right way"),
            std::string::npos);
}

/// The sample, with a second family and what its orders cost.
ValidationReport two_families() {
  ValidationReport report = validation_sample();
  GpuScore& score = report.scores[0];
  score.time_rank = {1, 0.5};
  score.regret_pct = {1, 6.84};
  score.baseline_regret_pct = {1, 0};
  score.gains = 3;
  score.harmful = {{0, 1}};
  FamilyScore first{score, "stencil_2d"};
  FamilyScore second;
  second.family = "copy|y";
  second.points = 12;
  second.l2 = {12, 1.25, 3, {0, 0}};
  score.families = {first, second};
  return report;
}

TEST(ValidationReport, families_have_a_row_each) {
  const std::string text = validation_text(two_families(), {});
  EXPECT_TRUE(text.ends_with(R"(
  family      points  L2 hit rate  speedup  ranks   signs  regret
  stencil_2d       3          0.6    9.0 %   0.50  0 of 1   6.8 %
  copy|y          12          1.2
)")) << text;
  const std::string page = validation_markdown(two_families(), "");
  EXPECT_NE(page.find("| family | points | L2 hit rate | speedup | ranks | signs | regret |\n"
                      "|---|--:|--:|--:|--:|--:|--:|\n"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("| copy\\|y | 12 | 1.2 |"), std::string::npos) << page;
  const nlohmann::json written = validation_json(two_families());
  EXPECT_EQ(written["scores"][0]["families"][1]["family"], "copy|y");
  EXPECT_EQ(written["scores"][0]["regret_pct"]["mean"], 6.84);
  EXPECT_TRUE(written["scores"][0]["families"][1]["regret_pct"].is_null());
  EXPECT_EQ(written["scores"][0]["harmful"][0]["point"], 1);
}

TEST(ValidationReport, regret_and_harmful_orders) {
  const std::string text = validation_text(two_families(), {});
  EXPECT_NE(text.find("  regret         the order predicted fastest takes 6.8 % longer than the "
                      "fastest measured, mean of 1\n                 group; the baseline 0.0 %\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  harmful        1 of 3 orders predicted faster by over 3 % is measured "
                      "slower by that:"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("(1.020 predicted, 0.936"), std::string::npos) << text;
  ValidationReport report = two_families();
  report.scores[0].harmful.clear();
  EXPECT_NE(validation_text(report, {})
                .find("none of 3 orders predicted faster by over 3 % is measured slower by that"),
            std::string::npos);
}

TEST(ValidationReport, coverage_of_intervals) {
  ValidationReport report = two_families();
  report.scores[0].coverage = {{Figure::l2_hit_rate, 1235, 1000}, {Figure::speedup, 8, 6}};
  EXPECT_NE(validation_text(report, {})
                .find("  coverage       intervals from the other families hold: L2 hit rate 81.0 % "
                      "of 1,235 (80 "
                      "%\n                 interval), speedup 75.0 % of 8 (80 % interval)\n"),
            std::string::npos)
      << validation_text(report, {});
  const nlohmann::json written = validation_json(report);
  EXPECT_EQ(written["scores"][0]["coverage"][1]["figure"], "speedup");
  EXPECT_EQ(written["scores"][0]["coverage"][1]["inside"], 6);
}

TEST(ValidationReport, text_leaves_many_points_to_other_forms) {
  ValidationReport report = two_families();
  report.scores[0].points = 101;
  const std::string text = validation_text(report, {});
  EXPECT_TRUE(
      text.starts_with("101 points in 1 group: single points are in the output of --json "
                       "and -o FILE.md\n\nmi300x, 101 points\n"))
      << text;
  report.scores[0].points = 100;
  EXPECT_TRUE(validation_text(report, {}).starts_with("examples/stencil_2d.toml"));
}

TEST(ValidationReport, markdown_says_how_it_was_made) {
  ValidationReport report = validation_sample();
  report.options = {"--gpu a=b", "-o x.md"};
  report.groups[0].points[0].measured.order = "a `b`";
  report.breaches = {
      {"largest error of the L2 hit rate", "points", 1, 1.6, "mi300x", PointPlace{0, 1}}};
  const std::string page = validation_markdown(report, "");
  EXPECT_NE(page.find("```\nheddle validate t.csv --gpu a=b -o x.md\n```"), std::string::npos);
  EXPECT_NE(page.find("| `` a `b` `` |"), std::string::npos) << page;
  EXPECT_NE(page.find("## Limits exceeded\n\n* mi300x: the largest error of the L2 hit rate is 1.6 "
                      "points, the limit 1 (stencil_2d under `xcd(8) | group(4)`, t.csv:3)\n"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("under `xcd(8) \\| group(4)`, t.csv:3"), std::string::npos) << "a cell";
}

TEST(ValidationReport, limits_stand_at_the_end) {
  ValidationReport report = validation_sample();
  report.breaches = {
      {"largest error of the L2 hit rate", "points", 1, 1.6, "mi300x", PointPlace{0, 0}}};
  const std::string text = validation_text(report, {});
  EXPECT_TRUE(
      text.ends_with("\nlimits exceeded\n  mi300x: the largest error of the L2 hit rate is 1.6 "
                     "points, the limit 1 "
                     "(stencil_2d under\n    identity, t.csv:3)\n"))
      << text;
}

TEST(ValidationReport, json_has_every_figure) {
  const nlohmann::json written = validation_json(validation_sample());
  EXPECT_EQ(written["version"], 1);
  const nlohmann::json& point = written["groups"][0]["points"][1];
  EXPECT_EQ(point["order"], "xcd(8) | group(4)");
  EXPECT_EQ(point["l2_hit_pct"]["measured"], 4.34);
  EXPECT_NEAR(point["l2_hit_pct"]["error"].get<double>(), 0.26, 1e-9);
  EXPECT_TRUE(point["time_us"]["measured"].is_null());
  EXPECT_EQ(point["wrong_sign"], true);
  EXPECT_EQ(written["groups"][0]["fastest"]["right"], false);
  EXPECT_EQ(written["scores"][0]["l2_hit_pct"]["mean"], 0.63);
  EXPECT_TRUE(written["scores"][0]["last_level_hit_pct"].is_null());
  EXPECT_TRUE(written["limits"]["max_mean"].is_null());
  EXPECT_TRUE(written["exceeded"].empty());
}

TEST(ValidationReport, markdown_escapes_bars_and_numbers_sources) {
  const std::string page =
      validation_markdown(validation_sample(), "## Known deviations\n\n1. One.\n");
  EXPECT_EQ(page.substr(0, 25), "# Predicted and measured\n");
  EXPECT_NE(page.find("| `xcd(8) \\| group(4)` | 4.3 | 4.6 | +0.3 | 0.936 | 1.020 | +9.0 % ! | "
                      "[[1]](#sources) |"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("| `0, p0` \\* |"), std::string::npos);
  EXPECT_NE(page.find("## Sources\n\n1. a \\| log\n"), std::string::npos);
  EXPECT_TRUE(page.ends_with("## Known deviations\n\n1. One.\n"));
}

}  // namespace
}  // namespace heddle::report
