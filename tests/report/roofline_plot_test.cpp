#include "report/roofline_plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "report/roofline_layout.h"
#include "support/child_process.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::report {
namespace {

namespace fs = std::filesystem;

RooflineReport sample(const std::vector<std::string>& kernels) {
  RooflineReport report;
  RooflineRun run;
  run.name = "lab/MI0";
  run.ceilings = {"roofline.csv, device 0 (measured)",
                  {{"HBM", 1000}, {"L2", 4000}, {"L1", 8000}},
                  {{"FP64", false, 10'000}, {"FP64", true, 20'000}, {"FP32", true, 20'001}}};
  for (const std::string& kernel : kernels) {
    RooflinePoint point;
    point.kernel = kernel;
    point.gflop_per_s = 90;
    point.intensity_l1 = 0.05;
    point.intensity_l2 = 0.08;
    point.intensity_hbm = 0.1;
    run.points.push_back(point);
  }
  report.runs = {run};
  report.charts = {{"FP32", "FP64"}};
  report.levels = roofline_levels();
  return report;
}

const fs::path kVictim = fs::path(HEDDLE_WORK_DIR) / "roofline_plot_ran";

/// Names that would leave a literal of gnuplot, or a label of SVG.
std::vector<std::string> hostile_names() {
  const std::string run = "system(\"touch " + kVictim.string() + "\")";
  const std::string run_single = "system('touch " + kVictim.string() + "')";
  return {"\"; " + run + "; \"",
          "'; " + run_single + "; '",
          "''; " + run_single,
          "'",
          "\\",
          "\\\"; " + run + " #",
          "`touch " + kVictim.string() + "`",
          "a\nEND\n" + run + "\nplot sin(x)",
          "a\r" + run,
          "@x ${x} $lines0 %s {/Bold=90 b}",
          "</text><script>x</script>&quot;",
          std::string("nul\0inside", 10),
          "gr\xC3\xB6\xC3\x9F"
          "e \xE2\x80\xA8 \xEF\xBF\xBF \xF0\x9F\x98\x80",
          "bytes \xff\xfe\x80 \x1b[2J",
          std::string(5000, '"'),
          ""};
}

TEST(RooflinePlot, LiteralsHoldOnlyHarmlessCharacters) {
  EXPECT_EQ(gnuplot_quoted("a<int>(b, 3)"), "\"a<int>(b, 3)\"");
  EXPECT_EQ(gnuplot_quoted("it's"), "\"it\\047s\"");
  EXPECT_EQ(gnuplot_quoted("a\"b`c\\d#e"), "\"a\\042b\\140c\\134d\\043e\"");
  for (const std::string& name : hostile_names()) {
    const std::string literal = gnuplot_quoted(name);
    const std::string inside = literal.substr(1, literal.size() - 2);
    EXPECT_EQ(inside.find_first_of("\"'`\n\r#@$"), std::string::npos) << literal;
    for (std::size_t at = 0; (at = inside.find('\\', at)) != std::string::npos; ++at)
      EXPECT_TRUE(at + 3 < inside.size() && inside[at + 1] >= '0' && inside[at + 1] <= '1');
  }
}

TEST(RooflinePlot, NamesDoNotLeaveTheirLiterals) {
  fs::remove(kVictim);
  RooflineReport report = sample(hostile_names());
  report.runs[0].name = hostile_names()[0];
  report.runs.push_back(report.runs[0]);
  report.notes = {{hostile_names()[1], hostile_names()[6]}};
  for (const PlotFormat format : {PlotFormat::svg, PlotFormat::pdf}) {
    ChildResult drawn;
    try {
      drawn = run_child({"gnuplot", "-d"}, roofline_plot(report, format), {});
    } catch (const Error& error) {
      GTEST_SKIP() << "there is no gnuplot";
    }
    EXPECT_EQ(drawn.exit_code, 0);
    EXPECT_EQ(drawn.errors, "");
    const bool is_svg = format == PlotFormat::svg;
    EXPECT_TRUE(drawn.output.starts_with(is_svg ? "<?xml" : "%PDF"));
    if (is_svg) {
      EXPECT_EQ(drawn.output.find("<script>x"), std::string::npos);
      EXPECT_NE(drawn.output.find("&lt;script>x"), std::string::npos);
    }
  }
  EXPECT_FALSE(fs::exists(kVictim));
}

TEST(RooflinePlot, AChartWithNothingInItIsDrawn) {
  RooflineReport report = sample({});
  report.charts = {{"INT8"}};
  EXPECT_NE(roofline_plot(report, PlotFormat::svg).find("plot NaN"), std::string::npos);
}

TEST(RooflinePlot, TheLegendSaysHowManyItLeavesOut) {
  const RooflineReport report = sample(std::vector<std::string>(75, "kernel"));
  EXPECT_NE(roofline_plot(report, PlotFormat::svg).find("and 15 more, which the text lists"),
            std::string::npos);
}

TEST(RooflineLayout, NamesOfRoofsAreApart) {
  const RooflineReport report = sample({});
  const PlotFrame frame(chart_axes(report, {"FP32", "FP64"}), 80, 30, 600, 400);
  std::vector<RooflineLine> roofs;
  for (const RooflineLine& line : chart_lines(report, {"FP32", "FP64"}, frame.axes())) {
    if (line.kind != RooflineLine::Kind::bandwidth) roofs.push_back(line);
  }
  const auto places = roof_places(roofs, frame);
  for (std::size_t a = 0; a < places.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) EXPECT_GE(std::abs(places[a].y - places[b].y), 14);
  }
}

TEST(RooflineLayout, NamesOfCloseBandwidthsFollowOneAnother) {
  RooflineReport report = sample({});
  report.runs[0].ceilings.bandwidths = {{"HBM", 1000}, {"L2", 1050}, {"L1", 1080}};
  const PlotFrame frame(chart_axes(report, {"FP64"}), 80, 30, 600, 400);
  const auto labels = bandwidth_labels(chart_lines(report, {"FP64"}, frame.axes()), frame);
  ASSERT_EQ(labels.size(), 3U);
  EXPECT_GT(labels[1].place.x, labels[0].place.x + 40);
  EXPECT_GT(labels[2].place.x, labels[1].place.x + 40);
}

TEST(RooflineLayout, LettersOfEqualPointsAreApart) {
  LetterPlacer placer;
  const PlotPlace point{100, 100};
  placer.avoid(point, point);
  std::vector<PlotPlace> letters;
  for (int i = 0; i < 10; ++i) letters.push_back(placer.place(point, 1));
  for (std::size_t a = 0; a < letters.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b)
      EXPECT_GE(std::max(std::abs(letters[a].x - letters[b].x) / 8,
                         std::abs(letters[a].y - letters[b].y) / 12),
                0.99);
  }
}

}  // namespace
}  // namespace heddle::report
