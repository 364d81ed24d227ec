#include "profile/analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/testing.h"
#include "support/error.h"

namespace heddle::profile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kChip =
    "gpu_arch,cu_per_gpu,max_sclk,num_xcd,max_waves_per_cu,total_l2_chan,hbm_bw,compute_partition,"
    "memory_partition\n"
    "gfxt,10,1000,2,32,2,500,SPX,NPS4\n";

constexpr const char* kTable =
    "Dispatch_ID,Kernel_Name,GPU_ID,SQ_WAVES,A,B,TCC_EA0_X,TCC_HIT[0],TCC_HIT[1],GRBM_GUI_ACTIVE,"
    "SQ_BUSY_CU_CYCLES,Start_Timestamp,End_Timestamp\n"
    "1,\"one(int, int)\",4,10,20,1,7,1,2,2000,400,1000,1100\n"
    "2,two,4,20,60,0,7,3,4,2000,400,2000,2400\n"
    "3,two,5,0,80,4,7,5,6,2000,400,3000,3200\n";

constexpr const char* kPanel = R"toml(
panel = 2
title = "Two"
[[table]]
id = 1
title = "Peaks"
columns = ["Avg", "Unit", "Peak", "Pct of Peak"]
rows = [
  { metric = "Rate", value = "A / duration", unit = "GB/s", peak = "hbm_bw / 1000" },
  { metric = "No peak", value = "A", unit = "pct" },
  { metric = "Missing", value = "NOT_THERE + A", unit = "pct", peak = "1" },
  { metric = "Guarded", value = "A / B if B != 0", unit = "pct", peak = "0", compat_value = "A / B", compat_metric = "Unguarded", note = "guarded" },
  { metric = "Renamed", value = "TCC_EA_X", unit = "pct", peak = "active_cus" },
]
[[table]]
id = 2
title = "Spread (per normUnit)"
columns = ["Avg", "Min", "Q1", "Median", "Q3", "Max", "Std Dev", "Unit"]
rows = [ { metric = "A", value = "A / denom", unit = "Req per {denom}" } ]
[[table]]
id = 3
title = "Channels"
columns = ["Avg", "Own"]
per_channel = true
rows = [ { metric = "{channel}", value = "TCC_HIT[channel]", Own = "TCC_HIT[channel] * 10" } ]
[[table]]
id = 4
title = "Levels"
columns = ["Value"]
rows = [ { metric = "Level", value = "SQ_LEVEL.DEPTH / A * 5" }, { metric = "No file", value = "SQ_NONE.DEPTH" } ]
)toml";

class Analysis : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("w/sysinfo.csv", kChip);
    folder_.write("w/pmc_perf.csv", kTable);
    folder_.write("w/SQ_LEVEL.csv", "Kernel_Name,DEPTH\n\"one(int, int)\",10\nother,60\ntwo,40\n");
    folder_.write("d/gfxt/arch.toml", "[renamed]\nTCC_EA_ = \"TCC_EA0_\"\n");
    folder_.write("d/gfxt/02.toml", kPanel);
    definition_ = read_architecture("gfxt", folder_.path() + "/d");
  }

  std::vector<Panel> panels(const Choice& choice = {}, AnalysisOptions options = {}) const {
    const Workload workload = read_workload(folder_.path() + "/w");
    return analyze(workload, select(workload, choice), &definition_, options);
  }

  static const PanelTable& table(const std::vector<Panel>& panels, const std::string& id) {
    for (const Panel& panel : panels) {
      for (const PanelTable& one : panel.tables) {
        if (one.id == id) return one;
      }
    }
    throw std::runtime_error("no table " + id);
  }

  static double number(const PanelTable& table, std::size_t row, std::size_t column) {
    EXPECT_TRUE(table.rows.at(row).at(column).is_number())
        << table.id << ": " << table.rows[row][column].text;
    return table.rows[row][column].number;
  }

  Folder folder_;
  ArchitectureDefinition definition_;
};

TEST_F(Analysis, AveragesAreMeansOfDispatches) {
  const auto all = panels();
  const PanelTable& peaks = table(all, "2.1");
  EXPECT_DOUBLE_EQ(number(peaks, 0, 2), (0.2 + 0.15 + 0.4) / 3) << "not 160/700";
  EXPECT_DOUBLE_EQ(number(peaks, 0, 4), 2) << "NPS4 of a whole chip: four quarters of 500";
  EXPECT_DOUBLE_EQ(number(peaks, 0, 5), 12.5);
  EXPECT_EQ(peaks.rows[0][3].text, "GB/s");
}

TEST_F(Analysis, ARatioOfSumsIsWhatVersion37Prints) {
  AnalysisOptions options;
  options.compat = true;
  options.version = parse_compat("3.6");
  EXPECT_DOUBLE_EQ(number(table(panels({}, options), "2.1"), 0, 2), (0.2 + 0.15 + 0.4) / 3);
  options.version = parse_compat("3.7.0");
  const auto later = panels({}, options);
  EXPECT_DOUBLE_EQ(number(table(later, "2.1"), 0, 2), 160.0 / 700);
  EXPECT_EQ(table(later, "2.1").columns[5].title, "Pct of Peak");
  options.version = parse_compat("3.8");
  EXPECT_EQ(table(panels({}, options), "2.1").columns[5].title, "Percent of Peak");
}

TEST_F(Analysis, AFormulaOfTheOriginalHoldsUntilItsVersion) {
  folder_.write("d/gfxt/02.toml",
                "panel = 2\ntitle = \"Two\"\n[[table]]\nid = 1\ntitle = \"t\"\ncolumns = "
                "[\"Avg\", \"Unit\"]\nrows = [ { metric = \"M\", value = \"1\", unit = \"x\", "
                "compat_value = \"2\", compat_until = \"3.2\", note = \"why\" } ]\n");
  definition_ = read_architecture("gfxt", folder_.path() + "/d");
  AnalysisOptions options;
  options.compat = true;
  EXPECT_EQ(number(table(panels({}, options), "2.1"), 0, 2), 2);
  options.version = parse_compat("3.2");
  EXPECT_EQ(number(table(panels({}, options), "2.1"), 0, 2), 1);
}

TEST(Compat, versions_that_are_known) {
  EXPECT_EQ(parse_compat("").minor, 0);
  EXPECT_EQ(parse_compat("3").minor, 0);
  EXPECT_EQ(parse_compat("3.10.0").minor, 10);
  for (const char* text : {"2.0", "3.11", "3.-1", "4", "3.x", "3.1.2.3", "x"})
    EXPECT_THROW(parse_compat(text), Error) << text;
}

TEST_F(Analysis, BlankCellsSayWhy) {
  const auto all = panels();
  const PanelTable& peaks = table(all, "2.1");
  EXPECT_EQ(peaks.rows[1][4].kind, PanelCell::Kind::blank);
  EXPECT_EQ(peaks.rows[2][2].text, "pmc_perf.csv has no NOT_THERE");
  EXPECT_DOUBLE_EQ(number(peaks, 2, 4), 1) << "a peak is known without the value";
  EXPECT_EQ(peaks.rows[2][5].kind, PanelCell::Kind::blank);
}

TEST_F(Analysis, CompatHasTheOriginalsFormulas) {
  AnalysisOptions compat;
  compat.compat = true;
  const auto ours = panels();
  const auto theirs = panels({}, compat);
  EXPECT_DOUBLE_EQ(number(table(ours, "2.1"), 3, 2), 20);
  EXPECT_TRUE(std::isinf(number(table(theirs, "2.1"), 3, 2)));
  EXPECT_EQ(table(theirs, "2.1").rows[3][1].text, "Unguarded");
  EXPECT_DOUBLE_EQ(number(table(theirs, "2.1"), 0, 4), 0.5) << "as sysinfo.csv says";
  EXPECT_EQ(table(theirs, "2.1").rows[0][3].text, "Gb/s");
  EXPECT_EQ(table(theirs, "2.2").title, "Spread (per normUnit)");
  EXPECT_EQ(table(ours, "2.2").title, "Spread (per wave)");
}

TEST_F(Analysis, SpreadInterpolatesAndSkipsWhatHasNoValue) {
  AnalysisOptions kernel;
  kernel.normal_unit = "per_kernel";
  const auto all = panels({}, kernel);
  const PanelTable& spread = table(all, "2.2");
  const std::vector<double> wanted = {160.0 / 3, 20, 40, 60, 70, 80};
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_DOUBLE_EQ(number(spread, 0, 2 + i), wanted[i]) << spread.columns[2 + i].title;
  EXPECT_NEAR(number(spread, 0, 8), 30.550504633038933, 1e-12);
  EXPECT_EQ(spread.rows[0][9].text, "Req per kernel");

  const auto waves = panels();
  EXPECT_DOUBLE_EQ(number(table(waves, "2.2"), 0, 2), 2.5) << "20/10, 60/20; none of 0 waves";
  AnalysisOptions compat;
  compat.compat = true;
  EXPECT_TRUE(std::isinf(number(table(panels({}, compat), "2.2"), 0, 2)));
  const auto one = panels({.dispatches = {"1"}, .kernels = {}, .gpus = {}}, kernel);
  EXPECT_EQ(table(one, "2.2").rows[0][8].kind, PanelCell::Kind::blank) << "one has no spread";
}

TEST_F(Analysis, UnitsOfNormalisation) {
  const std::vector<std::pair<std::string, double>> wanted = {
      {"per_wave", 2}, {"per_cycle", 0.02}, {"per_second", 2e8}, {"per_kernel", 20}};
  for (const auto& [unit, value] : wanted) {
    AnalysisOptions options;
    options.normal_unit = unit;
    const auto all = panels({.dispatches = {"1"}, .kernels = {}, .gpus = {}}, options);
    EXPECT_DOUBLE_EQ(number(table(all, "2.2"), 0, 2), value) << unit;
  }
}

TEST_F(Analysis, ChannelsHaveARowEach) {
  const auto all = panels();
  const PanelTable& channels = table(all, "2.3");
  ASSERT_EQ(channels.rows.size(), 2U);
  EXPECT_EQ(channels.columns[1].title, "Channel");
  EXPECT_EQ(channels.rows[1][0].text, "2.3.1");
  EXPECT_DOUBLE_EQ(number(channels, 1, 2), 4);
  EXPECT_DOUBLE_EQ(number(channels, 1, 3), 40);
}

TEST_F(Analysis, LevelsOfAnotherKernelDoNotCount) {
  const auto ours = panels();
  EXPECT_DOUBLE_EQ(number(table(ours, "2.4"), 0, 2), 2) << "mean of 2.5 and 2.5, to even";
  EXPECT_EQ(table(ours, "2.4").rows[1][2].text, "there is no SQ_NONE.csv");
  AnalysisOptions compat;
  compat.compat = true;
  EXPECT_DOUBLE_EQ(number(table(panels({}, compat), "2.4"), 0, 2), 3) << "2.5, 5 and 2.5";
}

TEST_F(Analysis, BlocksAreChosen) {
  const auto ids = [&](const std::vector<std::string>& blocks) {
    AnalysisOptions options;
    options.blocks = blocks;
    std::vector<std::string> found;
    for (const Panel& panel : panels({}, options)) {
      for (const PanelTable& one : panel.tables)
        found.push_back(one.id + "x" + std::to_string(one.rows.size()));
    }
    return found;
  };
  EXPECT_THAT(ids({}), ElementsAre("0.1x2", "0.2x3", "1.1x9", "2.1x5", "2.2x1", "2.3x2", "2.4x2"));
  EXPECT_THAT(ids({"2.2"}), ElementsAre("0.1x2", "0.2x3", "2.2x1"));
  EXPECT_THAT(ids({"2.1.3", "2.3.1", "1"}),
              ElementsAre("0.1x2", "0.2x3", "1.1x9", "2.1x1", "2.3x1"));
  for (const std::string wrong : {"9", "2.9", "2.1.99", "x", "", "2.1.1.1", "-1"})
    EXPECT_THROW(ids({wrong}), Error) << wrong;
}

TEST_F(Analysis, TopStatisticsHeedDispatchesAndNotKernels) {
  const auto all = panels({.dispatches = {"2-3"}, .kernels = {"0"}, .gpus = {}});
  const PanelTable& top = table(all, "0.1");
  ASSERT_EQ(top.rows.size(), 1U);
  EXPECT_EQ(top.rows[0][1].text, "two");
  EXPECT_DOUBLE_EQ(number(top, 0, 3), 600);
  EXPECT_DOUBLE_EQ(number(top, 0, 4), 300);
  EXPECT_DOUBLE_EQ(number(top, 0, 6), 100);
  EXPECT_EQ(top.rows[0][7].text, "*");
  AnalysisOptions options;
  options.time_unit = "us";
  options.most_rows = 1;
  const auto cut = panels({}, options);
  EXPECT_EQ(table(cut, "0.1").columns[3].title, "Sum(us)");
  EXPECT_DOUBLE_EQ(number(table(cut, "0.1"), 0, 3), 0.6);
  EXPECT_THAT(table(cut, "0.2").footnote, HasSubstr("1 of 3 rows"));
}

TEST_F(Analysis, WithoutADefinitionThereAreStillTheLists) {
  const Workload workload = read_workload(folder_.path() + "/w");
  const auto all = analyze(workload, select(workload, {}), nullptr, {});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].id, 1);
}

TEST_F(Analysis, ComparisonPairsRowsByName) {
  const auto before = panels({.dispatches = {"1"}, .kernels = {}, .gpus = {}});
  const auto after = panels({.dispatches = {"2"}, .kernels = {}, .gpus = {}});
  const auto both = compare({before, after}, 2, false);
  const PanelTable& top = table(both, "0.1");
  ASSERT_EQ(top.rows.size(), 2U) << "each run has a kernel of its own";
  EXPECT_EQ(top.rows[1][1].text, "two");
  const PanelTable& peaks = table(both, "2.1");
  EXPECT_EQ(peaks.columns[2].title, "Avg");
  EXPECT_EQ(peaks.columns[3].title, "Avg [2]");
  EXPECT_EQ(peaks.columns[4].title, "Abs Diff [2]");
  EXPECT_EQ(peaks.rows[0][3].text, "0.15 (-25.00%)");
  EXPECT_EQ(peaks.rows[2][3].kind, PanelCell::Kind::blank) << "blank is not zero";
  EXPECT_EQ(table(both, "1.1").columns.size(), 3U);
}

TEST_F(Analysis, ComparisonOfTheOriginalTakesBlankForZero) {
  AnalysisOptions options;
  options.compat = true;
  const auto before =
      panels({.dispatches = {"0"}, .kernels = {}, .gpus = {}, .by_row = true}, options);
  const auto both = compare({before, before}, 2, true);
  const PanelTable& peaks = table(both, "2.1");
  EXPECT_EQ(peaks.columns[3].title, "Avg");
  EXPECT_EQ(peaks.rows[0][3].text, "0.2 (0.0%)");
  EXPECT_EQ(peaks.rows[2][3].text, "0.0 (0.0%)");
}

TEST_F(Analysis, GapsOfSingleDispatchesAreNoted) {
  std::string counters = kTable;
  counters.replace(counters.find(",60,"), 4, ",x,");
  folder_.write("w/pmc_perf.csv", counters);
  const Workload workload = read_workload(folder_.path() + "/w");
  std::vector<ProfileNote> notes;
  analyze(workload, select(workload, {}), &definition_, {}, &notes);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0].what, HasSubstr("A: 1 of 3 dispatches has no number ('x')"));
}

TEST_F(Analysis, AColumnOfTextIsNamed) {
  std::string counters = kTable;
  for (const char* number : {",20,1,", ",60,0,", ",80,4,"})
    counters.replace(counters.find(number), 3, ",one");
  folder_.write("w/pmc_perf.csv", counters);
  EXPECT_EQ(table(panels(), "2.1").rows[0][2].text, "pmc_perf.csv has no number in A, but 'one'");
}

TEST_F(Analysis, OneDispatchWithoutTimeDoesNotHideTheOthers) {
  std::string counters = kTable;
  counters.replace(counters.find(",1000,1100"), 10, ",1000,1000");
  folder_.write("w/pmc_perf.csv", counters);
  EXPECT_DOUBLE_EQ(number(table(panels(), "2.1"), 0, 2), (0.15 + 0.4) / 2);
  AnalysisOptions compat;
  compat.compat = true;
  EXPECT_TRUE(std::isinf(number(table(panels({}, compat), "2.1"), 0, 2)));
}

TEST_F(Analysis, ComparisonKeepsSmallDifferencesAndLaterTables) {
  const auto before = panels({.dispatches = {"1"}, .kernels = {}, .gpus = {}});
  auto after = before;
  for (Panel& panel : after) {
    for (PanelTable& one : panel.tables) {
      if (one.id == "2.1") one.rows[0][2].number *= 1.001;
      if (one.id == "2.3") one.id = "2.9";
    }
  }
  const auto both = compare({before, after}, 2, false);
  EXPECT_EQ(table(both, "2.1").rows[0][3].text, "0.20 (+0.10%)") << "not of the rounded difference";
  const PanelTable& added = table(both, "2.9");
  ASSERT_EQ(added.rows.size(), 2U);
  EXPECT_EQ(added.rows[0][0].text, "2.3.0 [2]");
}

TEST_F(Analysis, MetricsAreListed) {
  const auto lines = list_metrics(definition_, false);
  std::vector<std::string> ids;
  for (const MetricLine& line : lines) ids.push_back(line.id);
  EXPECT_THAT(ids, testing::IsSupersetOf({"0", "1", "2", "2.1", "2.1.0", "2.3", "2.4.1"}));
}

}  // namespace
}  // namespace heddle::profile
