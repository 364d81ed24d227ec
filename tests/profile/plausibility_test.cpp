// Every kind of finding: a recording that raises it, and one that only nearly does.
#include "profile/plausibility/plausibility.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "profile/analysis.h"
#include "profile/testing.h"

namespace heddle::profile {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Columns and values of one dispatch; others have what a healthy one has.
using Values = std::map<std::string, std::string>;

struct Sample {
  std::vector<Values> dispatches = {{}};
  std::vector<Panel> panels;
  Values system;
  std::string level;  ///< SQ_LEVEL_WAVES.csv
};

Values healthy(std::size_t row) {
  return {{"Dispatch_ID", std::to_string(row)},
          {"Kernel_Name", "copy"},
          {"Grid_Size", "6400"},
          {"Workgroup_Size", "128"},
          {"SQ_WAVES", "100"},
          {"GRBM_GUI_ACTIVE", "20000"},
          {"Start_Timestamp", std::to_string(1411551767635712 + 100'010 * row)},
          {"End_Timestamp", std::to_string(1411551767635712 + 100'010 * row + 10'000)}};
}

std::string csv(const std::vector<Values>& rows) {
  std::string text;
  for (const auto& [name, value] : rows[0]) text += (text.empty() ? "" : ",") + name;
  for (const Values& row : rows) {
    std::string line;
    for (const auto& [name, first] : rows[0])
      line += (line.empty() ? "" : ",") + (row.contains(name) ? row.at(name) : first);
    text += "\n" + line;
  }
  return text + "\n";
}

Workload workload_of(const Sample& sample) {
  std::vector<Values> rows;
  for (std::size_t i = 0; i < sample.dispatches.size(); ++i) {
    Values row = healthy(i);
    for (const auto& [name, value] : sample.dispatches[i]) row[name] = value;
    rows.push_back(row);
  }
  Values system = {{"gpu_arch", "gfx90a"}, {"cu_per_gpu", "100"},     {"wave_size", "64"},
                   {"max_sclk", "1000"},   {"hbm_bw", "1000"},        {"total_l2_chan", "32"},
                   {"num_xcd", "1"},       {"max_waves_per_cu", "32"}};
  for (const auto& [name, value] : sample.system) system[name] = value;
  const Folder folder;
  folder.write("pmc_perf.csv", csv(rows));
  folder.write("sysinfo.csv", csv({system}));
  if (!sample.level.empty()) folder.write("SQ_LEVEL_WAVES.csv", sample.level);
  return read_workload(folder.path());
}

std::vector<Finding> findings_of(const Sample& sample) {
  const Workload workload = workload_of(sample);
  return find_implausible(workload, select(workload, {}), sample.panels);
}

std::string findings_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings)
    text += finding.id + " | " + finding.where + " | " + finding.what + "\n";
  return text;
}

PanelCell cell(double value) {
  return PanelCell::of_number(value);
}
PanelCell cell(const char* text) {
  return PanelCell::of_text(text);
}

PanelTable table_of(const std::vector<const char*>& titles, std::vector<PanelCell> row) {
  PanelTable table;
  for (const char* title : titles) table.columns.push_back({title, false});
  table.rows.push_back(std::move(row));
  return table;
}

/// A row of the speed-of-light table.
Panel speed(const char* id, const char* name, double average, const char* unit, double peak) {
  return {2,
          "System Speed-of-Light",
          {table_of({"Metric_ID", "Metric", "Avg", "Unit", "Peak", "Pct of Peak"},
                    {cell(id), cell(name), cell(average), cell(unit), cell(peak),
                     cell(100 * average / peak)})}};
}

/// A row of any other table.
Panel metric(const char* id, const char* name, double average, double least, double most,
             const char* unit) {
  return {16,
          "",
          {table_of({"Metric_ID", "Metric", "Avg", "Min", "Max", "Unit"},
                    {cell(id), cell(name), cell(average), cell(least), cell(most), cell(unit)})}};
}

/// A table without units: quartiles, or one value.
Panel quartiles(const char* id, const char* name, double median, double most) {
  return {16,
          "",
          {table_of(
              {"Metric_ID", "Metric", "Min", "Q1", "Median", "Q3", "Max"},
              {cell(id), cell(name), cell(0.0), cell(0.0), cell(median), cell(most), cell(most)})}};
}
Panel chart(const char* id, const char* name, double value) {
  return {3,
          "Memory Chart",
          {table_of({"Metric_ID", "Metric", "Value"}, {cell(id), cell(name), cell(value)})}};
}

/// 20 counters with these values.
Values counters(const std::string& kernel, int first) {
  Values values = {{"Kernel_Name", kernel}};
  for (int i = 0; i < 20; ++i) values["SQ_X" + std::to_string(i)] = std::to_string(first + i);
  return values;
}

struct PlausibleCase {
  std::string id;
  Sample raises;
  std::string figures;  ///< what the finding says
  Sample near;
};

Sample one(Values values) {
  return {{std::move(values)}, {}, {}, {}};
}
Sample shown(Panel panel, Values system = {}) {
  return {{{}}, {std::move(panel)}, std::move(system), {}};
}

std::vector<PlausibleCase> time_cases() {
  const std::string start = "1411551767635712";
  const double dies = 8;
  return {
      {"zero-duration", one({{"End_Timestamp", start}}), "0 ns",
       one({{"End_Timestamp", "1411551767636712"}})},
      {"negative-duration", one({{"End_Timestamp", "1411551767635702"}}), "ends 10 ns before",
       one({{"End_Timestamp", "1411551767636712"}})},
      {"rounded-timestamps",
       {{{{"Start_Timestamp", "1411551767000"}, {"End_Timestamp", "1411551777000"}},
         {{"Start_Timestamp", "1411551787000"}, {"End_Timestamp", "1411551797000"}}},
        {},
        {},
        {}},
       "all 4 timestamps are multiples of 1,000 ns",
       {{{{"Start_Timestamp", "1411551767000"}, {"End_Timestamp", "1411551777000"}},
         {{"Start_Timestamp", "1411551787000"}, {"End_Timestamp", "1411551797010"}}},
        {},
        {},
        {}}},
      {"zero-cycles", one({{"GRBM_GUI_ACTIVE", "0"}}), "GRBM_GUI_ACTIVE is 0",
       one({{"GRBM_GUI_ACTIVE", "1"}})},
      // 10,000 ns at 1000 MHz are 10,000 cycles; 45,000 are tolerated, of several dies 420,000.
      {"cycles-against-duration", one({{"GRBM_GUI_ACTIVE", "100000"}}),
       "100,000 cycles, but 10,000 ns at 1,000 MHz are 10,000: 10 times",
       one({{"GRBM_GUI_ACTIVE", "44900"}})},
      {"cycles-against-duration",
       {{{{"GRBM_GUI_ACTIVE", std::to_string(dies * 500'000)}}}, {}, {{"num_xcd", "8"}}, {}},
       "500,000 cycles per XCD, but 10,000 ns at 1,000 MHz are 10,000: 50 times",
       {{{{"GRBM_GUI_ACTIVE", std::to_string(dies * 419'000)}}}, {}, {{"num_xcd", "8"}}, {}}},
      // 10 ms at 1000 MHz are 10,000,000 cycles; 100,000 are enough.
      {"duration-against-cycles",
       one({{"End_Timestamp", "1411551777635712"}, {"GRBM_GUI_ACTIVE", "10000"}}),
       "10,000,000 ns, but only 10,000 cycles: a clock of 1 MHz, where 1,000 are possible",
       one({{"End_Timestamp", "1411551777635712"}, {"GRBM_GUI_ACTIVE", "100100"}})},
      {"duplicate-dispatch",
       {{{}, {{"Dispatch_ID", "0"}}}, {}, {}, {}},
       "rows 1 and 2 both have Dispatch_ID 0",
       {{{{"GPU_ID", "0"}}, {{"Dispatch_ID", "0"}, {"GPU_ID", "1"}}}, {}, {}, {}}},
      {"duplicate-dispatch",
       {{{{"PID", "7"}}, {}, {{"Dispatch_ID", "1"}, {"PID", "7"}}}, {}, {}, {}},
       "rows 2 and 3 both have Dispatch_ID 1",
       {{{{"PID", "7"}}, {}, {{"Dispatch_ID", "1"}, {"PID", "8"}}}, {}, {}, {}}},
  };
}

std::vector<PlausibleCase> counter_cases() {
  Values other_counter = counters("scale", 1);
  other_counter["SQ_X7"] = "0";
  return {
      {"frozen-counters",
       {{counters("copy", 1), counters("scale", 1), counters("add", 1)}, {}, {}, {}},
       "all its counters are those of dispatch 0, copy",
       {{counters("copy", 1), other_counter, counters("add", 1)}, {}, {}, {}}},
      {"no-waves", one({{"SQ_WAVES", "0"}}), "a grid of 6,400 lanes needs 100 waves",
       one({{"SQ_WAVES", "0"}, {"Grid_Size", "0"}})},
      {"wave-count", one({{"SQ_WAVES", "25"}}), "SQ_WAVES is 25", one({{"SQ_WAVES", "92"}})},
      {"part-exceeds-whole",
       one({{"TCC_HIT_sum", "90000"}, {"TCC_MISS_sum", "60000"}, {"TCC_REQ_sum", "100000"}}),
       "is 150,000, more than TCC_REQ_sum with 100,000",
       one({{"TCC_HIT_sum", "90000"}, {"TCC_MISS_sum", "30000"}, {"TCC_REQ_sum", "100000"}})},
      // Small counters have little room.
      {"part-exceeds-whole", one({{"SQC_DCACHE_HITS", "46"}, {"SQC_DCACHE_REQ", "16"}}),
       "is 46, more than SQC_DCACHE_REQ with 16",
       one({{"SQC_DCACHE_HITS", "35"}, {"SQC_DCACHE_REQ", "16"}})},
      {"channel-sum",
       one({{"TCC_REQ[0]", "90000"}, {"TCC_REQ[1]", "60000"}, {"TCC_REQ_sum", "70000"}}),
       "its 2 channels add up to 150,000, the sum is 70,000",
       // Two of 32 channels; cycles.
       one({{"TCC_REQ[0]", "9"},
            {"TCC_REQ[1]", "6"},
            {"TCC_REQ_sum", "70000"},
            {"TCC_CYCLE[0]", "900000"},
            {"TCC_CYCLE_sum", "70000"}})},
      {"channel-sum",
       {{{{"TCC_HIT[0]", "20000"}, {"TCC_HIT[1]", "6"}, {"TCC_HIT_sum", "70000"}}},
        {},
        {{"total_l2_chan", "2"}},
        {}},
       "its 2 channels add up to 20,006, the sum is 70,000",
       {{{{"TCC_HIT[0]", "40000"}, {"TCC_HIT[1]", "6"}, {"TCC_HIT_sum", "70000"}}},
        {},
        {{"total_l2_chan", "4"}},
        {}}},
      {"negative-counter", one({{"TCC_HIT_sum", "-5"}}), "TCC_HIT_sum is -5",
       one({{"TCC_HIT_sum", "0"}})},
      {"counter-overflow", one({{"TCC_BUSY_sum", "18446744073709551611"}}),
       "TCC_BUSY_sum is 1.845e+19", one({{"TCC_BUSY_sum", "9007199254740991"}})},
      {"negative-counter",
       {{{}}, {}, {}, "Kernel_Name,SQ_WAVES,SQ_ACCUM_PREV_HIRES\ncopy,100,-7\n"},
       "SQ_ACCUM_PREV_HIRES is -7",
       {{{}}, {}, {}, "Kernel_Name,SQ_WAVES,SQ_ACCUM_PREV_HIRES\ncopy,100,0\n"}},
      {"counter-overflow",
       {{{}}, {}, {}, "Kernel_Name,SQ_WAVES,SQ_ACCUM_PREV_HIRES\ncopy,100,1.8e19\n"},
       "SQ_ACCUM_PREV_HIRES is 1.8e+19",
       {{{}}, {}, {}, "Kernel_Name,SQ_WAVES,SQ_ACCUM_PREV_HIRES\ncopy,100,1e15\n"}},
      {"level-mismatch",
       {{{}}, {}, {}, "Kernel_Name,SQ_WAVES,SQ_ACCUM_PREV_HIRES\ncopy,200,5\n"},
       "SQ_WAVES is 200 there and 100 in pmc_perf.csv",
       {{{}}, {}, {}, "Kernel_Name,SQ_WAVES,SQ_ACCUM_PREV_HIRES\ncopy,109,5\n"}},
      {"system-value",
       {{{}}, {}, {{"max_sclk", "0"}}, {}},
       "it is '0'",
       {{{}}, {}, {{"max_sclk", ""}}, {}}},
  };
}

std::vector<PlausibleCase> rate_cases() {
  // The L2 moves 128 bytes x 32 channels a cycle: 40,960,000 bytes in 10,000 cycles.
  // Memory moves 1000 bytes a ns, 25 % more are tolerated: 12,500,000 bytes in 10,000 ns.
  const auto fabric = [](const char* reads) {
    return one({{"TCC_EA_RDREQ_sum", reads},
                {"TCC_EA_RDREQ_32B_sum", "0"},
                {"TCC_EA_WRREQ_sum", "0"},
                {"TCC_EA_WRREQ_64B_sum", "0"}});
  };
  const auto fused = [](const char* count) {
    Values values;
    for (const char* type : {"F16", "F32", "F64"}) {
      for (const char* kind : {"ADD", "MUL", "TRANS", "FMA"})
        values[std::string("SQ_INSTS_VALU_") + kind + "_" + type] = "0";
    }
    values["SQ_INSTS_VALU_FMA_F32"] = count;
    return one(values);
  };
  return {
      {"impossible-bandwidth", one({{"TCC_REQ_sum", "640000"}}),
       "81,920,000 bytes in 10,000 ns are 8,192 GB/s, 200 % of the 4,096",
       one({{"TCC_REQ_sum", "350000"}})},
      {"impossible-bandwidth", one({{"TCP_TOTAL_CACHE_ACCESSES_sum", "1200000"}}), "120 %",
       one({{"TCP_TOTAL_CACHE_ACCESSES_sum", "1050000"}})},
      {"impossible-bandwidth", fabric("400000"), "256 %", fabric("190000")},
      // 256 operations x 100 CUs a cycle: 256,000,000 in 10,000 cycles.
      {"impossible-arithmetic", fused("4000000"), "200 %", fused("2100000")},
  };
}

std::vector<PlausibleCase> panel_cases() {
  const double infinity = std::numeric_limits<double>::infinity();
  const Values mi300 = {{"gpu_arch", "gfx942"}, {"hbm_bw", "5300"}};
  return {
      {"above-peak", shown(speed("2.1.22", "L2-Fabric Read BW", 1925.1, "GB/s", 1638.4)),
       "1,925 GB/s, 117.5 % of the peak of 1,638",
       shown(speed("2.1.22", "L2-Fabric Read BW", 1700, "GB/s", 1638.4))},
      // Packed instructions; channels of 128 bytes.
      {"above-peak", shown(speed("2.1.0", "VALU FLOPs", 250, "GFLOP", 100)), "125 %",
       shown(speed("2.1.0", "VALU FLOPs", 190, "GFLOP", 100))},
      {"above-peak", shown(speed("2.1.21", "L2 Cache BW", 5000, "GB/s", 2048)), "4,096",
       shown(speed("2.1.21", "L2 Cache BW", 4000, "GB/s", 2048))},
      {"above-peak", shown(speed("2.1.22", "L2-Fabric Read BW", 18'000, "GB/s", 5300), mi300),
       "339.6 %", shown(speed("2.1.22", "L2-Fabric Read BW", 5500, "GB/s", 5300), mi300)},
      {"above-hbm", shown(speed("2.1.22", "L2-Fabric Read BW", 8000, "GB/s", 5300), mi300),
       "150.9 %", shown(speed("2.1.22", "L2-Fabric Read BW", 5500, "GB/s", 5300), mi300)},
      {"negative-rate", shown(speed("2.1.18", "vL1D Cache Hit Rate", -27, "pct", 100)), "-27 %",
       shown(speed("2.1.18", "vL1D Cache Hit Rate", -0.9, "pct", 100))},
      {"negative-rate", shown(metric("16.3.5", "Cache Hit Rate", 20, -12, 50, "Pct")),
       "-12 % (min)", shown(metric("16.3.5", "Cache Hit Rate", 20, 0, 50, "Pct"))},
      {"rate-above-100", shown(metric("17.2.1", "HBM Read Traffic", 99, 90, 130, "pct")),
       "130 % (max)", shown(metric("17.2.1", "HBM Read Traffic", 99, 90, 100.9, "pct"))},
      {"rate-above-100", shown(metric("17.2.3", "Uncached Read Traffic", 99, 90, 260, "pct")),
       "260 % (max)", shown(metric("17.2.3", "Uncached Read Traffic", 99, 90, 199.8, "pct"))},
      {"rate-above-100", shown(metric("17.1.0", "Utilization", 6457, 0, 0, "Pct of peak")),
       "6,457 %", shown(metric("17.1.0", "Utilization", 109, 0, 0, "Pct of peak"))},
      {"rate-above-100", shown(quartiles("16.2.1", "Stalled on L2 Req", 90, 741)), "741 % (q3)",
       shown(quartiles("16.2.1", "Stalled on L2 Req", 90, 109))},
      {"rate-above-100", shown(quartiles("18.2.7", "7", 102, 0)), "102 % (median)",
       shown(quartiles("18.2.7", "7", 100.5, 0))},
      {"rate-above-100", shown(chart("3.1.27", "VL1 Stall", 741)), "741 % (value)",
       shown(chart("3.1.26", "VL1 Coalesce", 1600))},
      {"rate-above-100", shown(chart("3.1.32", "sL1D Hit", 288)), "288 % (value)",
       shown(chart("3.1.31", "sL1D Rd", 288))},
      {"short-latency", shown(metric("17.2.9", "Read Latency", 0.0002, 0, 0, "Cycles")),
       "0.0002 cycles", shown(metric("17.2.9", "Read Latency", 1.5, 0, 0, "Cycles"))},
      {"no-active-cus", shown(speed("2.1.7", "Active CUs", 0, "CUs", 104)),
       "0 of 104 CUs, though 1 dispatch ran", shown(speed("2.1.7", "Active CUs", 1, "CUs", 104))},
      {"infinite-value", shown(metric("16.3.0", "Total Req", infinity, 0, 0, "Req per wave")),
       "division by zero", shown(metric("16.3.0", "Total Req", 1e300, 0, 0, "Req per wave"))},
  };
}

std::vector<PlausibleCase> all_cases() {
  std::vector<PlausibleCase> all;
  for (const auto& some : {time_cases(), counter_cases(), rate_cases(), panel_cases()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

TEST(Plausibility, a_healthy_recording_has_no_finding) {
  EXPECT_EQ(findings_text(findings_of({})), "");
}

TEST(Plausibility, every_kind_is_raised_and_nearly_raised) {
  std::set<std::string> raised;
  for (const PlausibleCase& one_case : all_cases()) {
    const std::vector<Finding> findings = findings_of(one_case.raises);
    bool found = false;
    for (const Finding& finding : findings) {
      ASSERT_NE(find_finding_kind(finding.id), nullptr) << finding.id;
      if (finding.id != one_case.id) continue;
      found = true;
      EXPECT_FALSE(finding.where.empty());
      EXPECT_THAT(finding.what, HasSubstr(one_case.figures));
    }
    EXPECT_TRUE(found) << one_case.id << " was not raised, but\n" << findings_text(findings);
    raised.insert(one_case.id);
    EXPECT_EQ(findings_text(findings_of(one_case.near)), "") << one_case.id;
  }
  std::set<std::string> all;
  for (const FindingKind& kind : finding_kinds()) all.insert(std::string(kind.id));
  all.erase("not-same-work");  // of two runs: tests/audit, tests/golden
  EXPECT_EQ(raised, all);
}

TEST(Plausibility, kinds_are_explained) {
  for (const FindingKind& kind : finding_kinds()) {
    EXPECT_EQ(find_finding_kind(kind.id), &kind) << "twice: " << kind.id;
    EXPECT_LT(kind.summary.size(), 90U) << kind.id;
    EXPECT_GT(kind.explanation.size(), 150U) << kind.id;
    EXPECT_TRUE(kind.explanation.ends_with('.')) << kind.id;
  }
  EXPECT_EQ(find_finding_kind("no-such"), nullptr);
  EXPECT_EQ(find_finding_kind("ABOVE-Peak"), find_finding_kind("above-peak"));
}

TEST(Plausibility, many_dispatches_are_one_finding_with_the_worst) {
  Sample sample;
  sample.dispatches.assign(30, {{"End_Timestamp", "1411551767635702"}});
  sample.dispatches[7]["End_Timestamp"] = "1411551767635000";
  const std::vector<Finding> findings = findings_of(sample);
  ASSERT_THAT(findings, SizeIs(1)) << findings_text(findings);
  // Start times grow by 100,010 ns each.
  EXPECT_THAT(findings[0].what, HasSubstr("; 29 more dispatches"));
  EXPECT_THAT(findings[0].where, HasSubstr("dispatch 29, copy"));
}

TEST(Plausibility, digits_that_are_missing) {
  const std::string text = findings_text(findings_of(
      one({{"Start_Timestamp", "1.411551767e+15"}, {"End_Timestamp", "1.411551768e+15"}})));
  EXPECT_THAT(text, HasSubstr("rounded-timestamps"));
  EXPECT_THAT(text, HasSubstr("written as 1.411551767e+15"));
}

TEST(Plausibility, a_level_row_of_another_kernel) {
  EXPECT_THAT(findings_text(findings_of({{{}}, {}, {}, "Kernel_Name,SQ_WAVES\nother,100\n"})),
              AllOf(HasSubstr("level-mismatch"), HasSubstr("row 1 is about other there")));
}

TEST(Plausibility, the_same_value_in_several_panels_is_told_once) {
  Sample sample;
  sample.panels = {speed("2.1.18", "vL1D Cache Hit Rate", -26.98, "pct", 100),
                   metric("16.1.0", "Hit rate", -26.98, 0, 0, "Pct of peak"),
                   speed("2.1.19", "vL1D Cache BW", 200, "GB/s", 100),
                   metric("16.1.1", "Bandwidth", 200, 0, 0, "Pct of peak")};
  EXPECT_THAT(findings_of(sample), SizeIs(2));
  // Without decimals in the memory chart.
  sample.panels = {speed("2.1.18", "vL1D Cache Hit Rate", -26.98, "pct", 100),
                   chart("3.1.24", "VL1 Hit", -27)};
  EXPECT_THAT(findings_of(sample), SizeIs(1));
}

TEST(Plausibility, the_same_value_of_other_metrics_is_told_again) {
  Sample sample;
  sample.panels = {metric("16.1.2", "Utilization", 741.2, 0, 0, "Pct of peak"),
                   metric("17.1.0", "Utilization", 741.2, 0, 0, "pct")};
  EXPECT_THAT(findings_of(sample), SizeIs(2));
}

TEST(Plausibility, of_many_metrics_the_worst_are_told) {
  Sample sample;
  for (int i = 0; i < 5; ++i)
    sample.panels.push_back(
        metric(("16.3." + std::to_string(i)).c_str(), "Hit", 200 + 10 * i, 0, 0, "pct"));
  const std::string text = findings_text(findings_of(sample));
  EXPECT_THAT(text, AllOf(HasSubstr("16.3.2"), HasSubstr("16.3.4"),
                          HasSubstr("; 2 more metrics: 16.3.0, 16.3.1"),
                          ::testing::Not(HasSubstr("200 %"))));
}

TEST(Plausibility, the_worst_is_told_after_equals) {
  Sample sample;
  for (int i = 0; i < 4; ++i)
    sample.panels.push_back(
        metric(("16.3." + std::to_string(i)).c_str(), "Hit", i == 3 ? 900 : 200, 0, 0, "pct"));
  EXPECT_THAT(findings_text(findings_of(sample)),
              AllOf(HasSubstr("900 %"), HasSubstr("1 more metric: 16.3.2")));
}

TEST(Plausibility, findings_are_few_whatever_is_wrong) {
  Sample sample;
  for (int i = 0; i < 500; ++i) {
    const std::string id = "16.9." + std::to_string(i);
    sample.panels.push_back(
        metric(id.c_str(), "Hit", 200 + i, std::numeric_limits<double>::infinity(), 0, "pct"));
    sample.panels.push_back(metric(id.c_str(), "Hit", -200 - i, 0, 0, "pct"));
  }
  EXPECT_THAT(findings_of(sample), SizeIs(7));
}

TEST(Plausibility, rates_without_a_firm_100) {
  for (const char* id : {"6.2.4", "16.1.3", "12.1.1", "17.2.12", "17.2.13", "30.10.2", "30.16.0"})
    EXPECT_THAT(findings_of(shown(metric(id, "Coalescing", 1600, 0, 0, "Pct of peak"))), IsEmpty());
}

TEST(Plausibility, without_sysinfo_or_counters_nothing_is_made_up) {
  const Folder folder;
  folder.write("pmc_perf.csv", "Kernel_Name,TCC_REQ_sum\ncopy,1e12\n");
  const Workload workload = read_workload(folder.path());
  EXPECT_THAT(find_implausible(workload, select(workload, {}), {}), IsEmpty());
}

TEST(Plausibility, only_chosen_dispatches_count) {
  const Workload workload =
      workload_of({{{}, {{"End_Timestamp", "1411551767635702"}}}, {}, {}, {}});
  EXPECT_THAT(find_implausible(workload, select(workload, {{"0"}, {}, {}, {}}), {}), IsEmpty());
  EXPECT_THAT(find_implausible(workload, select(workload, {{"1"}, {}, {}, {}}), {}), SizeIs(1));
}

/// The ids of what is found in a recorded folder.
std::string recorded(const std::string& path) {
  const Workload workload = read_workload(path);
  const Selection selection = select(workload, {});
  const ArchitectureDefinition definition = read_architecture(workload.arch, "");
  const std::vector<Finding> findings =
      find_implausible(workload, selection, analyze(workload, selection, &definition, {}));
  if (getenv("HEDDLE_SHOW_FINDINGS") != nullptr)
    fmt::print("{}\n{}", path, findings_text(findings));
  std::string ids;
  for (const Finding& finding : findings) ids += finding.id + " ";
  return ids;
}

TEST(Plausibility, the_examples_are_plausible) {
  const std::string folder = std::string(HEDDLE_TESTS_DIR) + "/../examples/workloads/scale/";
  for (const char* model : {"MI200", "MI300X_A1"}) EXPECT_EQ(recorded(folder + model), "") << model;
}

TEST(PlausibilityRecorded, three_folders) {
  const std::string root = std::string(HEDDLE_SHARED_DIR) + "/rocprof-compute/workloads/";
  if (!std::filesystem::is_directory(root))
    GTEST_SKIP() << "there are no recorded folders at " << root;
  EXPECT_EQ(recorded(root + "vcopy/MI200"), "");
  EXPECT_EQ(recorded(root + "path/MI300X_A1"), "");
  EXPECT_THAT(recorded(root + "multikernel/MI200"),
              AllOf(HasSubstr("frozen-counters"), HasSubstr("no-waves"), HasSubstr("negative-rate"),
                    HasSubstr("above-peak"), HasSubstr("no-active-cus"),
                    HasSubstr("rate-above-100 rate-above-100 rate-above-100"),
                    HasSubstr("part-exceeds-whole"), HasSubstr("channel-sum")));
}

}  // namespace
}  // namespace heddle::profile
