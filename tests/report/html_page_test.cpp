#include "report/html/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "report/check_report.h"
#include "report/html/assets.h"
#include "report/html/markup.h"
#include "report/html/plot_svg.h"
#include "report/html/tile_cells.h"
#include "report/markdown_page.h"
#include "report/optimization_samples.h"
#include "report/optimization_view.h"
#include "report/text_blocks.h"
#include "report/tile_figures.h"

namespace heddle::report {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kHostile = "<script>alert('1')</script>\"&";

std::size_t occurrences(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TileRun run_of(std::vector<TileRun::Axis> axes, int dies) {
  TileRun run;
  run.axes = std::move(axes);
  run.dies = dies;
  run.tiles.resize(static_cast<std::size_t>(run.tile_count()));
  std::iota(run.tiles.begin(), run.tiles.end(), 0);
  return run;
}

TEST(HtmlMarkup, EscapesWhateverATextHolds) {
  EXPECT_EQ(html_text("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  EXPECT_EQ(html_text("a\x1b[2J\xff"), "a [2J\xEF\xBF\xBD");
  EXPECT_EQ(html_line(ours("a") + code("b<") + strong("c")),
            "a<code>b&lt;</code><strong>c</strong>");
  EXPECT_EQ(number(3.14159), "3.14");
  EXPECT_EQ(number(2), "2");
  EXPECT_EQ(number(-0.001), "0");
  EXPECT_EQ(number(std::numeric_limits<double>::infinity()), "0");
  EXPECT_EQ(tick_text(2.5e6), "2500k");
}

TEST(HtmlPage, HostileTextsStayText) {
  Document page;
  page.verb = kHostile;
  page.title = kHostile;
  page.badge = kHostile;
  page.heading(kHostile);
  page.paragraph(code(kHostile));
  page.add(Items{{kHostile}});
  page.add(value(kHostile, kHostile));
  page.add(Table{kHostile, {{kHostile}}, {{kHostile}}});
  page.add(Code{"diff", std::string("+") + kHostile});
  page.add(Code{"", kHostile});
  page.add(KeyFigures{{{kHostile, kHostile, kHostile, Tone::good}}});
  Plot plot;
  plot.x.title = plot.y.title = kHostile;
  plot.series = {{kHostile, Plot::Series::Kind::points, {{1, 1, kHostile, {}}}, false, ""},
                 {kHostile, Plot::Series::Kind::line, {{1, 1, kHostile, {}}}, true, kHostile}};
  page.add(Picture{kHostile, kHostile, plot, {}});
  page.add(Picture{kHostile,
                   kHostile,
                   Bars{{kHostile, kHostile}, {{kHostile, {1.0, 2.0}, {kHostile, kHostile}}}},
                   {}});
  TileMap map{
      kHostile, std::make_shared<TileRun>(run_of({{kHostile, 4}, {"y", 4}}, 8)), {{3, kHostile}}};
  page.add(Picture{kHostile, kHostile, map, {}});
  const std::string text = html_page(page);
  EXPECT_EQ(occurrences(text, "<script>alert"), 0U);
  EXPECT_EQ(occurrences(text, "<script"), 2U);  // the cells of the map, and the page's own
  EXPECT_THAT(text, HasSubstr("&lt;script&gt;alert"));
}

TEST(HtmlPage, AllowsItsOwnStyleAndScriptAndNothingElse) {
  Document page;
  page.title = "x";
  const std::string text = html_page(page);
  EXPECT_THAT(text, HasSubstr("default-src 'none'; style-src 'sha256-"));
  EXPECT_THAT(text, Not(HasSubstr("unsafe-inline")));
  EXPECT_THAT(text, Not(HasSubstr("src=")));
  EXPECT_THAT(text, Not(HasSubstr("@import")));
  EXPECT_THAT(text, Not(HasSubstr("url(")));
  EXPECT_THAT(text, Not(HasSubstr(" style=\"")));
  for (const PageAsset& asset : page_assets()) {
    EXPECT_EQ(asset.sha256.size(), 64U);
    EXPECT_THAT(text, HasSubstr(std::string(asset.text)));
  }
  EXPECT_EQ(text, html_page(page));
}

TEST(HtmlPage, ASearchHasItsPartsAndNoPictureWithoutItsNumbers) {
  const std::string text = html_page(optimization_view(improved_report()));
  for (const char* const part :
       {"<h2 id=\"s1\">What changes and why</h2>", "<span class=\"badge good\">faster</span>",
        "Every order of the search", "class=\"added\"", "<caption>The fastest orders</caption>",
        "predicted speedup"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(text, Not(HasSubstr("Tile map")));  // this report has no record of tiles
  EXPECT_EQ(occurrences(text, "<figure>"), occurrences(text, "<details>"));
}

TEST(HtmlPage, ARefutedMapMarksItsCounterexample) {
  Document page;
  page.title = "x";
  TileRun run = run_of({{"axis 0", 16}}, 8);
  run.tiles[15] = 3;
  Counterexample example;
  example.tile = TileId{3};
  example.message = "launch ids 3 and 15 both compute tile 3";
  add_checked_map("order", run, example, page);
  const std::string text = html_page(page);
  EXPECT_THAT(text, HasSubstr("class=\"counterexample\"><rect x=\"3\" y=\"0\""));
  EXPECT_THAT(text, HasSubstr("launch ids 3 and 15 both compute tile 3"));
  EXPECT_THAT(text, HasSubstr("never computed"));
  EXPECT_THAT(text, HasSubstr("computed more than once"));
}

TEST(TileCells, AreTheTilesWhereThereAreFew) {
  const TilePlane plane = tile_plane(run_of({{"y", 3}, {"x", 5}}, 2));
  EXPECT_EQ(plane.cell_rows, 3);
  EXPECT_EQ(plane.cell_columns, 5);
  EXPECT_FALSE(plane.is_aggregated());
  EXPECT_EQ(plane.cells[7].first_turn, 7);
  EXPECT_EQ(plane.cells[7].die, 1);
  EXPECT_EQ(tile_plane(run_of({{"y", 128}, {"x", 128}}, 4096)).cells[4097].die, 1);
}

TEST(TileCells, AreSeveralTilesWhereThereAreMany) {
  const TilePlane plane = tile_plane(run_of({{"y", 1000}, {"x", 300}}, 8));
  EXPECT_LE(plane.cell_rows, kMostCells);
  EXPECT_LE(plane.cell_columns, kMostCells);
  std::int64_t tiles = 0;
  for (const TileCell& cell : plane.cells) {
    tiles += cell.tiles;
    EXPECT_EQ(cell.runs, cell.tiles);
  }
  EXPECT_EQ(tiles, 300'000);
  EXPECT_EQ(plane.cells[0].die, -1);  // x in turn: dies are mixed
  EXPECT_EQ(close_up(run_of({{"y", 1000}, {"x", 300}}, 8)).cells.size(), 4096U);
}

TEST(TileCells, HaveTheDieOfMostOfTheirTiles) {
  TileRun run = run_of({{"y", 256}, {"x", 256}}, 4);  // cells of 2 x 2 tiles
  std::vector<std::int64_t> first = {0, 1, 256, 257};
  // The first cell is computed by dies 0, 0, 0, 1, the second by 0, 0, 1, 2, the third by 0, 0, 1, 1.
  const auto swap = [&](std::int64_t tile, std::int64_t turn) {
    const auto at = std::ranges::find(run.tiles, tile) - run.tiles.begin();
    std::swap(run.tiles[static_cast<std::size_t>(at)], run.tiles[static_cast<std::size_t>(turn)]);
  };
  const std::vector<std::vector<std::int64_t>> turns = {
      {0, 4, 8, 1}, {12, 16, 5, 2}, {20, 24, 9, 13}};
  for (std::size_t cell = 0; cell < turns.size(); ++cell)
    for (std::size_t i = 0; i < first.size(); ++i)
      swap(first[i] + 2 * static_cast<std::int64_t>(cell), turns[cell][i]);
  const TilePlane plane = tile_plane(run);
  EXPECT_EQ(plane.cells[0].die, 0);
  EXPECT_EQ(plane.cells[0].die_share, 0.75);
  EXPECT_EQ(plane.cells[1].die, 0);
  EXPECT_EQ(plane.cells[1].die_share, 0.5);
  EXPECT_EQ(plane.cells[2].die, -1);
  Document page;
  page.title = "x";
  add_checked_map("order", run, std::nullopt, page);
  const std::string text = html_page(page);
  EXPECT_THAT(text, HasSubstr("<path class=\"k0 pale1\" d=\"M0 0h1v1h-1z"));
  EXPECT_THAT(text, HasSubstr("<path class=\"k0 pale2\" d=\"M1 0h1v1h-1z"));
  EXPECT_THAT(text, HasSubstr("\"share\":[75,50,"));
  EXPECT_THAT(text, HasSubstr("shared equally by several dies"));
}

TEST(HtmlPage, AMapHasTheCausesOfMissesWhereTheyAreKnown) {
  Document page;
  page.title = "x";
  TileRun run = run_of({{"y", 2}, {"x", 2}}, 2);
  run.turns.resize(4, {0, 1, 3});
  SimResult result;
  result.tiles = std::make_shared<TileRun>(run);
  add_tile_maps({{"a", &result}}, page);
  EXPECT_THAT(html_page(page), Not(HasSubstr("\"cause0\"")));
  run.causes.resize(4, {1, 2, 0, 0});
  result.tiles = std::make_shared<TileRun>(run);
  add_tile_maps({{"b", &result}}, page);
  EXPECT_THAT(html_page(page), HasSubstr("\"cause0\":[1,1,1,1],\"cause1\":[2,2,2,2]"));
}

TEST(PlotSvg, AnIntervalBeyondTheAxisEndsInAnArrow) {
  Plot plot;
  plot.series = {{"a",
                  Plot::Series::Kind::points,
                  {{1, 10, "", Interval{9.5, 11}}, {2, 11, "", Interval{10, 99}}},
                  false,
                  ""}};
  EXPECT_EQ(occurrences(plot_svg(plot, "x"), "l4 -7l4 7"), 1U);
}

TEST(TileCells, WrapALine) {
  const TilePlane plane = tile_plane(run_of({{"axis 0", 1000}}, 1));
  EXPECT_TRUE(plane.is_wrapped);
  EXPECT_EQ(plane.columns, 32);
  EXPECT_EQ(plane.rows, 32);
  EXPECT_EQ(plane.cells[999].first_turn, 999);
  EXPECT_EQ(plane.cells[1000].tiles, 0);  // beyond the line
}

TEST(TileCells, TilesOutsideAndTwiceAreCounted) {
  TileRun run = run_of({{"y", 2}, {"x", 2}}, 2);
  run.tiles = {0, 0, -1, 7};
  const TilePlane plane = tile_plane(run);
  EXPECT_TRUE(plane.cells[0].is_repeated());
  EXPECT_TRUE(plane.cells[1].is_missed());
  EXPECT_EQ(plane.cells[0].die, -1);
}

TEST(HtmlPage, AMillionTilesAreASmallPage) {
  Document page;
  page.title = "x";
  add_checked_map("order", run_of({{"y", 2048}, {"x", 1024}}, 8), std::nullopt, page);
  EXPECT_LT(html_page(page).size(), 5'000'000U);
}

TEST(PlotSvg, NumbersThatAreNoneAreLeftOut) {
  Plot plot;
  plot.y.is_logarithmic = true;
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  plot.series = {{"a",
                  Plot::Series::Kind::points,
                  {{nothing, 1, "", {}}, {1, -1, "", {}}, {1, 0, "", {}}},
                  false,
                  ""}};
  EXPECT_EQ(plot_svg(plot, "x"), "");
  plot.series[0].points.push_back({1, 10, "", Interval{-1, nothing}});
  const std::string text = plot_svg(plot, "x");
  EXPECT_EQ(occurrences(text, "class=\"mark\""), 1U);
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(text, Not(HasSubstr("inf")));
  EXPECT_EQ(bars_svg({{"a"}, {{"b", {nothing}, {"-"}}, {"c", {std::nullopt}, {"-"}}}}, "x"), "");
}

TEST(BarsSvg, LongLabelsKeepTheirEnds) {
  const std::string label = std::string(60, 'f') + "/gemm.py:matmul_kernel_persistent";
  const std::string text = bars_svg({{"a"}, {{label, {1.5}, {"1.5"}}}}, "x");
  EXPECT_THAT(text, HasSubstr(">...ffffff"));
  EXPECT_THAT(text, HasSubstr("/gemm.py:matmul_kernel_persistent</text>"));
  // Wide enough for it, and all of it where a pointer rests.
  EXPECT_THAT(text, HasSubstr("x=\"318\""));
  EXPECT_THAT(text, HasSubstr("<title>" + label + ": 1.5"));
}

TEST(Document, IsTextAndMarkdownToo) {
  Document page;
  page.title = ours("A ") + Text("b_c");
  page.add(value("label", "text") + value("", "more"));
  page.add(Table{"caption", {{"name"}, {"size", true}}, {{Text("a|b"), ours("1")}}});
  page.add(Picture{"picture", "", Bars{{"a"}, {{"b", {1.0}, {"1"}}}}, {}});
  EXPECT_EQ(markdown_page(page),
            "# A b\\_c\n\n* label: text\n* more\n\n| name | size |\n|---|--:|\n| a\\|b | 1 |\n");
  EXPECT_EQ(text_blocks(page.blocks, {}),
            "  label          text\n                 more\n\n  name  size\n  a|b      1\n");
}

}  // namespace
}  // namespace heddle::report
