#include "report/check_report.h"

#include <gtest/gtest.h>

#include "report/map_report.h"
#include "report/style.h"
#include "support/text.h"

namespace heddle::report {
namespace {

using nlohmann::json;

GridReport refuted_grid() {
  GridReport report;
  report.verdict = Verdict::refuted;
  report.grid = {256, 256};
  report.tile_space = {256, 256};
  report.launched = 65536;
  report.tiles = 65536;
  report.distinct_tiles = 256;
  report.out_of_grid = 3;
  report.blocks_per_die = std::vector<std::int64_t>(8, 8192);
  Counterexample example;
  example.kind = Counterexample::Kind::collision;
  example.grid = report.grid;
  example.first = LaunchId{0};
  example.second = LaunchId{1};
  example.tile = TileId{0};
  example.message = "launch ids 0 and 1 both compute tile 0 at (0, 0)";
  report.counterexample = example;
  report.notes = {"result: pid_m, pid_n (assigned from program ids and reassigned)",
                  "line 3: assertion skipped"};
  return report;
}

RangeReport refuted_range(bool plane) {
  RangeReport report;
  report.verdict = Verdict::refuted;
  report.range = plane ? "1..8x1..8" : "1..4096";
  report.grids_checked = plane ? 64 : 4096;
  for (std::int64_t size = 2; size < 40; ++size) {
    report.failing_sizes.push_back(plane ? std::vector<std::int64_t>{size, size + 1}
                                         : std::vector<std::int64_t>{size});
  }
  report.smallest_failure = refuted_grid();
  return report;
}

std::vector<std::string> all_texts(const Style& style) {
  CheckContext context{"remap.py", "xcd(8) | group(4)", "launch id 3: tile 5 here, tile 7 there"};
  GridReport proved = refuted_grid();
  proved.verdict = Verdict::proved;
  proved.counterexample.reset();
  proved.distinct_tiles = proved.tiles;
  proved.identity = true;
  proved.idle = 5;
  proved.blocks_per_die[3] = 8000;
  GridReport unknown;
  unknown.reason = "the loop at line 2 runs more than 4096 times at launch id 0";
  AllSizesReport all;
  all.verdict = Verdict::proved;
  all.method = "by construction";
  all.argument = {
      "xcd(8): die d owns the ids d, d+dies, ...: n//dies of them, one more where d < n%dies. Its "
      "run begins at "
      "d*(n//dies) + min(d, n%dies), where the runs of the dies before it end, and t//dies counts "
      "through it.",
      "permutations of one tile space compose"};
  AllSizesReport open;
  open.reason = "line 2: loops are not encoded for all sizes";
  open.checked_range = "1..1024";
  AllSizesReport failed;
  failed.verdict = Verdict::refuted;
  failed.method = "by counterexample";
  failed.failure = refuted_grid();
  return {check_text(refuted_grid(), context, style),
          check_text(proved, context, style),
          check_text(unknown, context, style),
          check_text(refuted_range(false), context, style),
          check_text(refuted_range(true), context, style),
          check_text(all, context, style),
          check_text(open, context, style),
          check_text(failed, context, style)};
}

TEST(CheckJson, Grid) {
  const json result = check_json(refuted_grid(), {"remap.py", std::nullopt, std::nullopt});
  EXPECT_EQ(result.at("version"), 1);
  EXPECT_EQ(result.at("order"), "remap.py");
  EXPECT_EQ(result.at("verdict"), "REFUTED");
  EXPECT_EQ(result.at("reason"), nullptr);
  EXPECT_EQ(result.at("grid"), json({256, 256}));
  EXPECT_EQ(result.at("tiles"), 65536);
  EXPECT_EQ(result.at("distinct_tiles"), 256);
  EXPECT_EQ(result.at("never_computed"), 65280);
  EXPECT_EQ(result.at("out_of_grid"), 3);
  EXPECT_EQ(result.at("failed"), 0);
  EXPECT_EQ(result.at("idle"), 0);
  EXPECT_EQ(result.at("identity"), false);
  EXPECT_EQ(result.at("blocks_per_die"), json(std::vector<int>(8, 8192)));
  EXPECT_EQ(result.at("imbalance"), 1.0);
  const json& example = result.at("counterexample");
  EXPECT_EQ(example.at("kind"), "collision");
  EXPECT_EQ(example.at("launch_ids"), json({0, 1}));
  EXPECT_EQ(example.at("tile"), 0);
  EXPECT_EQ(example.at("grid"), json({256, 256}));
  EXPECT_FALSE(example.at("message").get<std::string>().empty());
  EXPECT_FALSE(result.contains("compared"));
}

TEST(CheckJson, ProvedAndUnknownGrids) {
  GridReport report = refuted_grid();
  report.verdict = Verdict::proved;
  report.counterexample.reset();
  EXPECT_EQ(check_json(report, {}).at("counterexample"), nullptr);
  report.verdict = Verdict::unknown;
  report.reason = "why";
  EXPECT_EQ(check_json(report, {}).at("verdict"), "UNKNOWN");
  EXPECT_EQ(check_json(report, {}).at("reason"), "why");
}

TEST(CheckJson, Ranges) {
  const json line = check_json(refuted_range(false), {});
  EXPECT_EQ(line.at("version"), 1);
  EXPECT_EQ(line.at("range"), "1..4096");
  EXPECT_EQ(line.at("grids_checked"), 4096);
  EXPECT_EQ(line.at("failing_sizes").size(), 38U);
  EXPECT_EQ(line.at("failing_sizes").at(0), 2);
  EXPECT_TRUE(line.at("failing_sizes").at(0).is_number_integer());
  EXPECT_EQ(line.at("counterexample").at("kind"), "collision");
  const json plane = check_json(refuted_range(true), {});
  EXPECT_EQ(plane.at("failing_sizes").at(0), json({2, 3}));
  RangeReport good;
  good.verdict = Verdict::proved;
  good.identity = true;
  EXPECT_EQ(check_json(good, {}).at("failing_sizes"), json::array());
  EXPECT_EQ(check_json(good, {}).at("counterexample"), nullptr);
  EXPECT_EQ(check_json(good, {}).at("identity"), true);
}

TEST(CheckJson, AllSizes) {
  AllSizesReport report;
  report.verdict = Verdict::proved;
  report.method = "by Z3";
  report.checked_range = "1..1024";
  const json result = check_json(report, {});
  EXPECT_EQ(result.at("version"), 1);
  EXPECT_EQ(result.at("method"), "by Z3");
  EXPECT_EQ(result.at("scope"), "every grid under 2^31 blocks");
  EXPECT_EQ(result.at("checked_range"), "1..1024");
  EXPECT_EQ(result.at("counterexample"), nullptr);
  report.failure = refuted_grid();
  EXPECT_EQ(check_json(report, {}).at("grid"), json({256, 256}));
}

TEST(CheckJson, Comparison) {
  const json same = check_json(refuted_grid(), {"a", "b", std::nullopt}).at("compared");
  EXPECT_EQ(same.at("order"), "b");
  EXPECT_EQ(same.at("equal"), true);
  EXPECT_EQ(same.at("difference"), nullptr);
  EXPECT_EQ(check_json(refuted_grid(), {"a", "b", "launch id 3"}).at("compared").at("equal"),
            false);
}

TEST(CheckText, SaysTheVerdictFirst) {
  const std::string text = check_text(refuted_grid(), {"remap.py", std::nullopt, std::nullopt}, {});
  EXPECT_EQ(text.rfind("REFUTED  remap.py on grid 256x256\n", 0), 0U);
  EXPECT_NE(text.find("256 of 65,536 computed, 65,280 never"), std::string::npos);
  EXPECT_NE(text.find("  counterexample launch ids 0 and 1 both compute tile 0 at (0, 0)\n"),
            std::string::npos);
  EXPECT_NE(text.find("8 x 8,192 blocks"), std::string::npos);
  EXPECT_NE(text.find("  result         pid_m, pid_n"), std::string::npos);
}

TEST(CheckText, KeepsTo100Columns) {
  for (const std::string& text : all_texts({})) {
    for (const std::string_view line : split_lines(text)) EXPECT_LE(line.size(), 100U) << line;
    EXPECT_EQ(text.back(), '\n');
  }
}

TEST(CheckText, ColoursOnlyWhenAsked) {
  for (const std::string& text : all_texts({false}))
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
  for (const std::string& text : all_texts({true})) EXPECT_NE(text.find('\x1b'), std::string::npos);
}

TEST(CheckText, ShowsSomeFailingSizes) {
  const std::string text =
      check_text(refuted_range(false), {"remap.py", std::nullopt, std::nullopt}, {});
  EXPECT_NE(text.find("4,096 checked, 38 fail"), std::string::npos);
  EXPECT_NE(text.find("2 3 4 5 6 7 8 9 10 11 12 13 ... 26 more (check --json lists all)"),
            std::string::npos);
}

TEST(Style, Labels) {
  EXPECT_EQ(labelled("tiles", "all"), "  tiles          all\n");
  const std::string wrapped =
      labelled("reason", std::string(200, 'a').replace(60, 1, " ").replace(130, 1, " "));
  for (const std::string_view line : split_lines(wrapped)) EXPECT_LE(line.size(), 100U);
  EXPECT_NE(wrapped.find("\n                 a"), std::string::npos);
}

TEST(Style, Choice) {
  EXPECT_TRUE(choose_style("always", false).color);
  EXPECT_FALSE(choose_style("never", true).color);
  EXPECT_FALSE(choose_style("auto", false).color);
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(choose_style("auto", true).color);
  EXPECT_TRUE(choose_style("always", true).color);
  unsetenv("NO_COLOR");
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(choose_style("auto", true).color);
  setenv("TERM", "xterm", 1);
  EXPECT_TRUE(choose_style("auto", true).color);
}

TEST(MapText, DrawsLinesAndPlanes) {
  const std::string line = map_text({1, 0, 2}, {3}, false);
  EXPECT_NE(line.find(" 1  0  2"), std::string::npos) << line;
  const std::string plane = map_text({0, 2, 1, 3}, {2, 2}, false);
  EXPECT_NE(plane.find(" 0  2\n   1  3"), std::string::npos) << plane;
  const std::string rows = map_text({0, 1, 2, 3, 4, 5}, {2, 3}, true);
  EXPECT_NE(rows.find(" 0  1  2\n   3  4  5"), std::string::npos) << rows;
  const std::string twice = map_text({0, 0, -1}, {3}, false);
  EXPECT_NE(twice.find(" 0+ -  -"), std::string::npos) << twice;
  EXPECT_NE(map_text({0}, {100, 100}, false).find("not drawn"), std::string::npos);
  EXPECT_NE(map_text({0}, {2, 2, 2}, false).find("not drawn"), std::string::npos);
}

}  // namespace
}  // namespace heddle::report
