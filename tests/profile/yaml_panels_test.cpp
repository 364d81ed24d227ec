// Panels of rocprofiler-compute's own configuration.
#include "profile/metric/yaml_panels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/analysis.h"
#include "profile/metric/yaml_document.h"
#include "profile/testing.h"

namespace heddle::profile {
namespace {

using ::testing::HasSubstr;

constexpr const char* kYaml = R"yaml(# made up after the published format
Panel Config:
  id: 200
  title: System Speed-of-Light
  metrics_description:
    Rate: 'It''s a rate: bytes
      over time.'
    Other: >-
      Folded text
      over lines.
  data source:
  - metric_table:
      id: 201
      title: Speed-of-Light
      header:
        metric: Metric
        value: Avg
        unit: Unit
        peak: Peak
        pop: Pct of Peak
      metric:
        Rate:
          value: SUM(64 * A) / SUM((End_Timestamp
            - Start_Timestamp))
          unit: GB/s
          peak: (($max_sclk / 1000) * $cu_per_gpu)
          pop: ((100 * (SUM(64 * A) / SUM((End_Timestamp - Start_Timestamp)))) / (($max_sclk
            / 1000) * $cu_per_gpu))
        Guarded:
          value: AVG(((100 * A) / B) if (B != 0) else None)
          unit: (Req + $normUnit)
          peak: None
          pop: None
        Level:
          value: AVG((SQ_ACCUM_PREV_HIRES / TO_INT(SQ_WAVES)))
          coll_level: SQ_LEVEL_WAVES
          unit: Cycles
        Odd:
          value: QUANTILE(A, 0.5)
          unit: x
  - metric_table:
      id: 202
      title: Channels
      header:
        channel: Channel
        expr: Expression
      metric:
        ::_1:
          expr: (TO_INT(TCC_HIT[::_1]) / $denom)
        placeholder_range:
          ::_1: $total_l2_chan
  - pc_sampling_table:
      id: 2101
      source: ps_file
)yaml";

TEST(YamlPanels, CellsHaveTheFormulasOfTheConfiguration) {
  const PanelDefinition panel = parse_yaml_panel(kYaml, "0200.yaml");
  EXPECT_EQ(panel.id, 2);
  EXPECT_EQ(panel.title, "System Speed-of-Light");
  ASSERT_EQ(panel.tables.size(), 2U);
  const TableDefinition& table = panel.tables[0];
  EXPECT_EQ(table.columns, (std::vector<std::string>{"Avg", "Unit", "Peak", "Pct of Peak"}));
  ASSERT_EQ(table.rows.size(), 4U);
  EXPECT_EQ(table.rows[0].values.at("Avg"), "SUM(64 * A) / SUM((duration))");
  EXPECT_EQ(table.rows[0].values.at("peak"), "((max_sclk / 1000) * cus)");
  EXPECT_EQ(table.rows[1].values.at("Avg"), "AVG(((100 * A) / B) if (B != 0))");
  EXPECT_EQ(table.rows[1].unit, "Req per {denom}");
  EXPECT_EQ(table.rows[2].values.at("Avg"),
            "AVG((SQ_LEVEL_WAVES.SQ_ACCUM_PREV_HIRES / (SQ_LEVEL_WAVES.SQ_WAVES)))");
  EXPECT_THAT(table.rows[3].blank, HasSubstr("the formula of Avg cannot be read"));
  EXPECT_EQ(table.rows[1].blank, "the configuration has no formula for it") << "its peak";
  EXPECT_TRUE(panel.tables[1].per_channel);
  EXPECT_EQ(panel.tables[1].rows[0].values.at("value"), "((TCC_HIT[channel]) / denom)");
}

TEST(YamlPanels, Formulas) {
  EXPECT_EQ(translated_formula("ROUND(AVG((A / $denom)), 0)", ""), "ROUND(AVG((A / denom)), 0)");
  EXPECT_EQ(translated_formula("AVG(MAX((TCC_A - TCC_B), 0))", "L"),
            "AVG(MAX((L.TCC_A - L.TCC_B), 0))");
  EXPECT_EQ(translated_formula("NOISE_CLAMP(TCC_A, TCC_B)", "L"), "NOISE_CLAMP(L.TCC_A, L.TCC_B)");
}

TEST(YamlPanels, AFolderOfThemIsAnArchitecture) {
  const Folder folder;
  folder.write("c/gfx90a/0200_speed.yaml", kYaml);
  folder.write(
      "c/gfx90a/0000_top.yaml",
      "Panel Config:\n  id: 0\n  title: Top\n  data source:\n  - raw_csv_table:\n      id: 1\n");
  folder.write("w/sysinfo.csv", kSystem);
  folder.write("w/pmc_perf.csv",
               "Dispatch_ID,Kernel_Name,Start_Timestamp,End_Timestamp,A,B,SQ_WAVES\n"
               "0,k,100,200,50,1,1\n1,k,300,700,50,0,1\n");
  const ArchitectureDefinition definition = read_architecture("gfx90a", folder.path() + "/c");
  ASSERT_EQ(definition.panels.size(), 1U);
  const Workload workload = read_workload(folder.path() + "/w");
  const auto panels = analyze(workload, select(workload, {}), &definition, {});
  for (const Panel& panel : panels) {
    if (panel.id != 2) continue;
    const auto& rows = panel.tables[0].rows;
    EXPECT_DOUBLE_EQ(rows[0][2].number, 6400.0 / 500);
    EXPECT_DOUBLE_EQ(rows[0][4].number, 1.7 * 104);
    EXPECT_DOUBLE_EQ(rows[1][2].number, 5000);
    EXPECT_EQ(rows[2][2].text, "there is no SQ_LEVEL_WAVES.csv");
  }
  EXPECT_EQ(panels.size(), 3U);
}

TEST(YamlPanels, OtherFilesAreRefused) {
  EXPECT_THROW(parse_yaml_panel("a: b\n", "f"), Error);
  EXPECT_THROW(parse_yaml_panel("", "f"), Error);
  const Folder folder;
  folder.write("gfx90a/a.yaml", kYaml);
  folder.write("gfx90a/b.yaml", kYaml);
  EXPECT_THROW(read_architecture("gfx90a", folder.path()), Error);
}

TEST(Yaml, MapsListsAndScalars) {
  const YamlNode root = parse_yaml(
      "---\na: 1 # one\n'b c': \"two\\\"\"\nlist:\n- x: 1\n  y: |\n    l1\n    l2\n- plain\n-\n  "
      "z: ~\n"
      "empty: {}\nmore: a\n  b\n",
      "f");
  EXPECT_EQ(root.text_of("a"), "1");
  EXPECT_EQ(root.text_of("b c"), "two\"");
  const YamlNode* list = root.find("list");
  ASSERT_EQ(list->items.size(), 3U);
  EXPECT_EQ(list->items[0].text_of("y"), "l1\nl2");
  EXPECT_EQ(list->items[1].text, "plain");
  EXPECT_EQ(list->items[2].text_of("z"), "");
  EXPECT_EQ(root.find("empty")->kind, YamlNode::Kind::map);
  EXPECT_EQ(root.text_of("more"), "a b");
}

TEST(Yaml, CharactersByTheirNumber) {
  EXPECT_EQ(parse_yaml("a: \"x\\u2122 \\u00e9\\u0041\"\n", "f").text_of("a"),
            "x\xe2\x84\xa2 \xc3\xa9"
            "A");
  EXPECT_THROW(parse_yaml("a: \"\\ud800\"\n", "f"), Error);
  EXPECT_THROW(parse_yaml("a: \"\\u12\"\n", "f"), Error);
}

TEST(Yaml, WhatIsNotReadIsAnErrorWithItsLine) {
  for (const std::string text :
       {"a: &x 1\n", "a: [1, 2]\n", "a: {b: c}\n", "a: !tag x\n", "\ta: 1\n", "a: 'open\n",
        "just text\n", "a: 1\n  b: 2\n c: 3\n", "a:\n  b: 1\n c: 2\n"}) {
    try {
      parse_yaml(text, "f");
      // A plain scalar may go on below its key, whatever stands there.
      EXPECT_EQ(text, "a: 1\n  b: 2\n c: 3\n");
    } catch (const Error& error) {
      EXPECT_GT(error.position().line, 0) << text;
    }
  }
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_THROW(parse_yaml(deep, "f"), Error);
  EXPECT_THROW(parse_yaml(std::string(2 << 20, 'a'), "f"), Error);
}

}  // namespace
}  // namespace heddle::profile
