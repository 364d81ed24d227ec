#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/memory_chart.h"
#include "report/panel_files.h"
#include "report/panel_numbers.h"
#include "report/panel_text.h"

namespace heddle::report {
namespace {

using testing::HasSubstr;
using testing::Not;

PanelTable small_table() {
  PanelTable table;
  table.id = "16.1";
  table.title = "Speed, of / Light";
  table.columns = {{"Metric_ID", false}, {"Metric", false}, {"Avg", true}, {"Unit", false}};
  table.rows = {{PanelCell::of_text("16.1.0"), PanelCell::of_text("Hit rate"),
                 PanelCell::of_number(49.984), PanelCell::of_text("Pct")},
                {PanelCell::of_text("16.1.1"), PanelCell::of_text("Latency"),
                 PanelCell::blank("no counter"), PanelCell::of_text("Cycles")}};
  return table;
}

std::vector<Panel> small_panels() {
  return {{16, "Vector L1", {small_table()}}};
}

TEST(PanelText, ColumnsOfNumbersStayNumbers) {
  EXPECT_EQ(box_text(small_table(), {2, false}),
            "╒═════════════╤══════════╤═══════╤════════╕\n"
            "│ Metric_ID   │ Metric   │   Avg │ Unit   │\n"
            "╞═════════════╪══════════╪═══════╪════════╡\n"
            "│ 16.1.0      │ Hit rate │ 49.98 │ Pct    │\n"
            "├─────────────┼──────────┼───────┼────────┤\n"
            "│ 16.1.1      │ Latency  │       │ Cycles │\n"
            "╘═════════════╧══════════╧═══════╧════════╛\n");
}

TEST(PanelText, CompatTurnsThemIntoText) {
  EXPECT_THAT(box_text(small_table(), {1, true}), HasSubstr("│ Latency  │       │ Cycles │"));
  EXPECT_THAT(box_text(small_table(), {1, true}), HasSubstr("│ Hit rate │ 50.0  │ Pct    │"));
}

TEST(PanelText, NamesOfKernelsAreCutToLines) {
  PanelTable table;
  table.id = "0.1";
  table.columns = {{"Kernel_Name", false}};
  table.rows = {{PanelCell::of_text(std::string(100, 'a') + std::string(50, 'b'))}};
  const std::string text = box_text(table, {});
  EXPECT_THAT(text, HasSubstr("│ " + std::string(40, 'a') + " │"));
  EXPECT_THAT(text, HasSubstr("│ " + std::string(20, 'a') + std::string(17, 'b') + "... │"));
  table.rows = {{PanelCell::of_text(std::string(120, 'a'))}};
  EXPECT_THAT(box_text(table, {}), Not(HasSubstr("...")));
}

TEST(PanelText, ForeignBytesBreakNoBox) {
  PanelTable table;
  table.id = "0.2";
  table.columns = {{"Kernel_Name", false}};
  table.rows = {
      {PanelCell::of_text("a\x1b[2J\nb\tc\xff"
                          "d\xe2\x82\xac")}};
  EXPECT_THAT(box_text(table, {}), HasSubstr("│ a [2J b c\xef\xbf\xbd"
                                             "d\xe2\x82\xac  │"));
}

TEST(PanelText, BlankReasonsAreCounted) {
  EXPECT_THAT(blank_reasons(small_panels()), HasSubstr("1 cell: no counter"));
  EXPECT_EQ(blank_reasons({}), "");
}

TEST(PanelNumbers, AreWrittenAsTheOriginalDoes) {
  EXPECT_EQ(fixed(-0.001, 2), "0.00");
  EXPECT_EQ(fixed(-0.01, 2), "-0.01");
  EXPECT_EQ(fixed(2.675, 2), "2.67") << "the double below it";
  EXPECT_EQ(rounded_text(5, 2), "5.0");
  EXPECT_EQ(rounded_text(22630.4, 2), "22630.4");
  EXPECT_EQ(rounded_text(1e20, 2), "1e+20");
  EXPECT_EQ(rounded_text(std::numeric_limits<double>::infinity(), 2), "inf");
  EXPECT_EQ(exact(0.1), "0.1");
}

TEST(PanelFiles, JsonHasReasonsAndFullPrecision) {
  const nlohmann::json written = panels_json(small_panels());
  const auto& table = written[0]["tables"][0];
  EXPECT_EQ(table["rows"][0][2], 49.984);
  EXPECT_TRUE(table["rows"][1][2].is_null());
  EXPECT_EQ(table["blank"][0]["why"], "no counter");
}

TEST(PanelFiles, CsvHasOneLinePerCell) {
  EXPECT_EQ(panels_csv(small_panels(), "a,b", true),
            "run,table,row,metric,column,unit,value\n"
            "\"a,b\",16.1,16.1.0,Hit rate,Avg,Pct,49.984\n"
            "\"a,b\",16.1,16.1.1,Latency,Avg,Cycles,\n");
}

TEST(PanelFiles, TablesAreWrittenLikeTheOriginals) {
  EXPECT_EQ(table_csv(small_table(), {2, true}),
            "Metric_ID,Metric,Avg,Unit\n16.1.0,Hit rate,49.98,Pct\n16.1.1,Latency,,Cycles\n");
  EXPECT_EQ(table_file_name(small_table()), "16.1_Speed,_of___Light.csv");
}

TEST(PanelFiles, MarkdownIsEscaped) {
  std::vector<Panel> panels = small_panels();
  panels[0].tables[0].rows[0][1].text = "a|b<c>_d";
  EXPECT_THAT(panels_markdown(panels, {}), HasSubstr("a\\|b\\<c\\>\\_d"));
  EXPECT_THAT(panels_markdown(panels, {}), HasSubstr("| --- | --- | --: | --- |"));
}

TEST(MemoryChart, NeedsTheWholeTable) {
  EXPECT_EQ(memory_chart(small_table(), "wave"), "");
}

TEST(MemoryChart, FitsAndShowsDashesForWhatIsBlank) {
  PanelTable table;
  table.columns = {{"Metric_ID", false}, {"Metric", false}, {"Value", true}};
  const auto row = [&](const std::string& metric, PanelCell cell) {
    table.rows.push_back({PanelCell::of_text("3.1"), PanelCell::of_text(metric), std::move(cell)});
  };
  row("VL1 Rd", PanelCell::of_number(123456789));
  row("VL1 Hit", PanelCell::of_number(50));
  row("L2 Hit", PanelCell::blank("no counter"));
  row("HBM Rd", PanelCell::of_number(1e15));
  for (int i = 0; i < 51; ++i) row("x" + std::to_string(i), PanelCell::of_number(i));
  const std::string text = memory_chart(table, "wave");
  EXPECT_THAT(text, HasSubstr("Rd 123.46M ▶"));
  EXPECT_THAT(text, HasSubstr("Hit       50 %"));
  EXPECT_THAT(text, HasSubstr("Hit     -"));
  EXPECT_THAT(text, HasSubstr("Rd     1.00P ▶"));
  std::size_t width = 0;
  std::size_t longest = 0;
  for (const char c : text) {
    if (c == '\n')
      width = 0;
    else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80)
      longest = std::max(longest, ++width);
  }
  EXPECT_LE(longest, 100U);
}

/// The boxes stay whole, whatever the numbers.
TEST(MemoryChart, NoNumberBreaksABox) {
  PanelTable table;
  table.columns = {{"Metric_ID", false}, {"Metric", false}, {"Value", true}};
  const std::vector<std::string> metrics = {"Wavefront Occupancy",
                                            "Wave Life",
                                            "SALU",
                                            "LDS",
                                            "VGPR",
                                            "Wavefronts",
                                            "LDS Req",
                                            "LDS Util",
                                            "LDS Latency",
                                            "VL1 Rd",
                                            "VL1 Atomic",
                                            "VL1 Hit",
                                            "VL1 Lat",
                                            "VL1 Coalesce",
                                            "VL1_L2 Rd",
                                            "VL1_L2 Atomic",
                                            "sL1D Rd",
                                            "sL1D Hit",
                                            "sL1D_L2 Atomic",
                                            "IL1 Fetch",
                                            "IL1 Hit",
                                            "IL1_L2 Rd",
                                            "L2 Rd",
                                            "L2 Atomic",
                                            "L2 Hit",
                                            "L2 Rd Lat",
                                            "Fabric_L2 Rd",
                                            "Fabric_L2 Atomic",
                                            "Fabric Rd Lat",
                                            "Fabric Atomic Lat",
                                            "HBM Rd",
                                            "HBM Wr"};
  const auto drawn = [&](double value) {
    table.rows.clear();
    for (const std::string& metric : metrics)
      table.rows.push_back(
          {PanelCell::of_text("3.1"), PanelCell::of_text(metric), PanelCell::of_number(value)});
    for (int i = 0; i < 30; ++i)
      table.rows.push_back({PanelCell::of_text("3.1"), PanelCell::of_text("x" + std::to_string(i)),
                            PanelCell::of_number(i)});
    return memory_chart(table, "second");
  };
  const auto borders = [](const std::string& text) {
    std::vector<std::size_t> places;
    std::size_t column = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') column = 0;
      if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) continue;
      ++column;
      if (text.compare(i, 3, "│") == 0 || text.compare(i, 3, "▶") == 0) places.push_back(column);
    }
    return places;
  };
  const auto plain = borders(drawn(0));
  for (double value = 1; value < 1e24; value *= 9.7) {
    EXPECT_EQ(borders(drawn(value)), plain) << value;
    EXPECT_EQ(borders(drawn(-value)), plain) << -value;
  }
  EXPECT_EQ(borders(drawn(std::numeric_limits<double>::infinity())), plain);
}

TEST(PanelText, WideCharactersTakeTwoColumns) {
  PanelTable table;
  table.columns = {{"A", false}};
  table.rows = {{PanelCell::of_text("核函数")}, {PanelCell::of_text("abcdef")}};
  EXPECT_THAT(box_text(table, {}), HasSubstr("│ 核函数 │"));
  EXPECT_THAT(box_text(table, {}), HasSubstr("│ abcdef │"));
}

}  // namespace
}  // namespace heddle::report
