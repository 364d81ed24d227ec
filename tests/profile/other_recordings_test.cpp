// Recordings of ncu, of Proton and of rocprofv3 alone, as workloads.
#include "profile/other/other_recordings.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "profile/analysis.h"
#include "profile/counters/ncu_text.h"
#include "profile/other/ncu_labels.h"
#include "profile/packing.h"
#include "profile/roofline/roofline.h"
#include "profile/testing.h"
#include "support/csv.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle::profile::other_recordings_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kNsight = std::string(HEDDLE_TESTS_DIR) + "/golden/inputs/nsight/";

std::string fixture(const std::string& name) {
  return read_text(kNsight + name, std::size_t{1} << 20);
}

/// Every cell of the panels below the system's, as text.
std::string cells_of(const std::string& path, int most_digits = 12) {
  const Workload workload = read_workload(path);
  const ArchitectureDefinition definition = read_architecture(workload.arch);
  std::string text;
  for (const std::vector<std::string>& blocks : {std::vector<std::string>{}, {"40"}}) {
    AnalysisOptions options;
    options.blocks = blocks;
    for (const Panel& panel : analyze(workload, select(workload, {}), &definition, options)) {
      if (panel.id == 1) continue;
      for (const PanelTable& table : panel.tables) {
        for (const auto& row : table.rows) {
          text += table.id;
          for (const PanelCell& cell : row)
            text += cell.is_number() ? fmt::format("|{:.{}g}", cell.number, most_digits)
                                     : "|" + (cell.kind == PanelCell::Kind::text ? cell.text : "");
          text += '\n';
        }
      }
    }
  }
  return text;
}

double metric(const std::string& path, const std::string& id, const std::string& kernel) {
  const Workload workload = read_workload(path);
  const ArchitectureDefinition definition = read_architecture(workload.arch);
  AnalysisOptions options;
  options.blocks = {id};
  Choice choice;
  choice.kernels = {kernel};
  for (const Panel& panel : analyze(workload, select(workload, choice), &definition, options)) {
    for (const PanelTable& table : panel.tables) {
      for (const auto& row : table.rows) {
        if (row[0].text == id) return row[2].is_number() ? row[2].number : std::nan("");
      }
    }
  }
  return std::nan("");
}

std::vector<std::vector<std::string>> table_of(const std::string& text) {
  std::vector<ProfileNote> notes;
  const CounterTable table(text, "test", notes);
  std::vector<std::vector<std::string>> rows = {table.columns()};
  for (std::size_t row = 0; row < table.rows(); ++row) {
    rows.emplace_back();
    for (std::size_t column = 0; column < table.columns().size(); ++column)
      rows.back().push_back(table.text(column, row));
  }
  return rows;
}

std::string quoted_text(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      text += fmt::format("{}\"{}\"", i == 0 ? "" : ",", row[i]);
    text += '\n';
  }
  return text;
}

/// The page with a row per metric, under the metrics' names.
std::string as_details(const std::string& raw) {
  const auto rows = table_of(raw);
  constexpr std::size_t kNotMetrics = 11;
  std::string text =
      "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\","
      "\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric "
      "Unit\","
      "\"Metric Value\",\"Rule Name\",\"Rule Type\"\n";
  for (std::size_t row = 2; row < rows.size(); ++row) {
    for (std::size_t column = kNotMetrics; column < rows[row].size(); ++column) {
      for (std::size_t i = 0; i < kNotMetrics; ++i) text += fmt::format("\"{}\",", rows[row][i]);
      text += fmt::format("\"any\",\"{}\",\"{}\",\"{}\",\n", rows[0][column], rows[1][column],
                          rows[row][column]);
    }
  }
  return text;
}

/// Times in ns and sizes in bytes, as --print-units base prints them.
std::string in_base_units(const std::string& raw) {
  auto rows = table_of(raw);
  for (std::size_t column = 11; column < rows[0].size(); ++column) {
    const auto unit = ncu_unit(rows[1][column]);
    if (!unit || unit->factor == 1 || unit->kind == NcuUnit::Kind::other) continue;
    for (std::size_t row = 2; row < rows.size(); ++row) {
      const auto value = ncu_number(rows[row][column]);
      if (value) rows[row][column] = fmt::format("{}", *value * unit->factor);
    }
    rows[1][column] = unit->kind == NcuUnit::Kind::time        ? "ns"
                      : unit->kind == NcuUnit::Kind::frequency ? "hz"
                      : unit->is_rate                          ? "byte/s"
                      : rows[1][column].ends_with("/block")    ? "byte/block"
                                                               : "byte";
  }
  return quoted_text(rows);
}

TEST(Nsight, TheSameMetricsGiveTheSamePanelsInAnyContainer) {
  const std::string raw = fixture("raw.csv");
  const std::string expected = cells_of(kNsight + "raw.csv");
  EXPECT_THAT(expected, AllOf(HasSubstr("own_gemm"), HasSubstr("|DRAM Read BW|")));
  const Folder folder;
  const auto same = [&](const std::string& name, const std::string& text) {
    folder.write(name, text);
    EXPECT_EQ(cells_of(folder.file(name)), expected) << name;
  };
  same("printed.csv", "==PROF== Connected to process 1 (/bin/app)\nhello, \"world\"\n" + raw +
                          "==PROF== Disconnected from process 1\nbye\n");
  same("mark.csv", "\xef\xbb\xbf" + raw);
  same("lines.csv", replaced(raw, "\n", "\r\n"));
  same("packed.csv.gz", packed(raw));
  same("details.csv", as_details(raw));
  same("base.csv", in_base_units(raw));
}

TEST(Nsight, OwnKernelsAsMeasured) {
  const std::string raw = kNsight + "raw.csv";
  // 2 * 2048^3 in 27.36 us; 64 MiB read in 31.072 and 30.784 us.
  EXPECT_NEAR(metric(raw, "2.1.8", "own_gemm"), 627'919.2, 0.1);
  EXPECT_NEAR(metric(raw, "40.1.4", "own_gemm"), 627'919.2, 0.1);
  EXPECT_NEAR(metric(raw, "40.1.9", "own_copy"), 67'114'240, 2000);
  EXPECT_NEAR(metric(raw, "40.1.6", "own_copy"), 2 * 67'108'864, 1);
  EXPECT_NEAR(metric(raw, "17.1.2", "own_copy"), 50.8, 0.3);
  EXPECT_EQ(metric(raw, "7.1.2", "own_gemm"), 1024);
  EXPECT_NEAR(metric(raw, "2.1.6", "own_copy"), 0, 1e-9);
}

TEST(Nsight, LabelsOfThePageDetails) {
  const std::string details = kNsight + "details.csv";
  const std::string raw = kNsight + "raw.csv";
  for (const char* id : {"2.1.0", "2.1.1", "2.1.2", "2.1.3", "2.1.4", "2.1.15", "2.1.16", "2.1.17",
                         "2.1.21", "7.1.0", "7.1.2", "7.2.0", "7.2.1", "17.1.1"})
    EXPECT_NEAR(metric(details, id, "own_gemm"), metric(raw, id, "own_gemm"), 0.006) << id;
  EXPECT_NEAR(metric(details, "2.1.23", "own_gemm"), 307.1, 0.01);
  EXPECT_TRUE(std::isnan(metric(details, "2.1.24", "own_gemm")));
  EXPECT_EQ(ncu_metric("Memory Workload Analysis", "Memory Throughput"),
            "dram__bytes.sum.per_second");
  EXPECT_EQ(ncu_metric("any", "Memory Throughput"),
            "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed");
  EXPECT_EQ(ncu_metric("any", "Something New"), "");
}

std::string refusal(const std::string& name, const std::string& text) {
  const Folder folder;
  folder.write(name, text);
  try {
    read_workload(folder.file(name));
  } catch (const Error& error) {
    EXPECT_FALSE(error.hint().empty());
    return replaced(error.full_text(), folder.path(), "");
  }
  return "read";
}

TEST(Nsight, NothingIsMisreadSilently) {
  const std::string raw = fixture("raw.csv");
  // A locale with decimal commas; 31.072 would be 31,072 in it.
  EXPECT_THAT(refusal("a.csv", replaced(raw, "\"67.114240\"", "\"67,114240\"")),
              AllOf(HasSubstr("67,114240"), HasSubstr("LC_ALL=C")));
  // The row of units is gone.
  auto rows = table_of(raw);
  rows.erase(rows.begin() + 1);
  EXPECT_THAT(refusal("a.csv", quoted_text(rows)), HasSubstr("row of units"));
  EXPECT_THAT(refusal("a.csv", "==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM\n"),
              HasSubstr("not allowed"));
  EXPECT_THAT(refusal("a.csv", ""), HasSubstr("not a recording"));
  EXPECT_THAT(refusal("a.csv", "a;b\n1;2\n"), HasSubstr("not a recording"));
  // Values that are none, units that cannot be, columns that were renamed: blank, with the reason.
  const Folder folder;
  const auto reason = [&](const std::string& from, const std::string& to, const char* id) {
    folder.write("b.csv", replaced(raw, from, to));
    EXPECT_TRUE(std::isnan(metric(folder.file("b.csv"), id, "own_gemm"))) << from;
    const Workload workload = read_workload(folder.file("b.csv"));
    std::string why;
    for (const auto& [name, what] : workload.unreadable) why += name + ": " + what + "\n";
    return why;
  };
  EXPECT_THAT(reason("\"97.35", "\"n/a97.35", "2.1.21"), HasSubstr("'n/a97.35"));
  EXPECT_EQ(reason("lts__t_sector_hit_rate.pct", "lts__hit.pct", "2.1.21"), "");
}

TEST(Nsight, ProcessesAndUnitsOfTime) {
  const auto rows = table_of(fixture("raw.csv"));
  const Folder folder;
  auto two = rows;
  two.push_back(rows[2]);
  two.back()[1] = "999";  // another process, the same ID
  folder.write("two.csv", quoted_text(two));
  const Workload workload = read_workload(folder.file("two.csv"));
  ASSERT_EQ(workload.dispatches.size(), 4U);
  EXPECT_NE(workload.dispatches[3].id, workload.dispatches[0].id);
  EXPECT_NEAR(workload.dispatches[2].duration_ns.value(), 27'360, 1e-6);
  // The same ID again: launches of a raw page, and a contradiction of a details page.
  const std::string raw = replaced(fixture("raw.csv"), "\n\"2\",", "\n\"0\",");
  folder.write("raw.csv", raw);
  const Workload same = read_workload(folder.file("raw.csv"));
  ASSERT_EQ(same.dispatches.size(), 3U);
  EXPECT_EQ(same.dispatches[2].kernel, "own_gemm");
  EXPECT_NEAR(same.dispatches[2].duration_ns.value(), 27'360, 1e-6);
  EXPECT_THAT(refusal("a.csv", as_details(raw)), HasSubstr("'own_copy' in one row"));
  folder.write("negative.csv", replaced(fixture("raw.csv"), "\"27.360000\"", "\"-1\""));
  EXPECT_THAT(read_workload(folder.file("negative.csv")).notes.at(0).what,
              HasSubstr("1 of 3 launches"));
}

TEST(Nsight, AReportIsReadByNcu) {
  const Folder folder;
  folder.write("own.ncu-rep", "NVR\1binary");
  folder.write("bin/ncu", "#!/bin/sh\necho \"==PROF== $2\"\ncat '" + kNsight + "raw.csv'\n");
  std::filesystem::permissions(folder.file("bin/ncu"), std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  EXPECT_THAT(refusal("own.ncu-rep", "NVR"),
              AllOf(HasSubstr("not in PATH"), HasSubstr("--page raw")));
  setenv("PATH", (folder.file("bin") + ":" + path).c_str(), 1);
  EXPECT_EQ(cells_of(folder.file("own.ncu-rep")), cells_of(kNsight + "raw.csv"));
  folder.write("bin/ncu", "#!/bin/sh\necho 'unsupported version' >&2\nexit 1\n");
  EXPECT_THAT(refusal("own.ncu-rep", "NVR"), HasSubstr("unsupported version"));
  setenv("PATH", path.c_str(), 1);
}

TEST(Nsight, Rooflines) {
  const Workload workload = read_workload(kNsight + "raw.csv");
  std::vector<ProfileNote> notes;
  const RooflineCeilings ceilings = choose_ceilings(workload, {}, notes);
  EXPECT_THAT(ceilings.source, HasSubstr("h200"));
  const auto points = roofline_points(workload, select(workload, {}), {});
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[1].kernel, "own_gemm");
  EXPECT_TRUE(points[1].missing.empty()) << points[1].missing;
  EXPECT_NEAR(points[1].gflop_per_s, 627'919.2, 0.1);
  EXPECT_NEAR(points[1].intensity_hbm, 17'179'869'184.0 / (8'401'664 + 512), 0.1);
  EXPECT_NEAR(points[1].intensity_l2, 17'179'869'184.0 / 276'824'064, 0.01);
}

TEST(Proton, KernelsAndTimes) {
  const Workload workload = read_workload(kNsight + "own.hatchet");
  EXPECT_EQ(workload.arch, "sm_90");
  EXPECT_TRUE(workload.times_only);
  const Selection selection = select(workload, {});
  ASSERT_EQ(selection.kernels.size(), 2U);
  EXPECT_EQ(selection.kernels[0].name, "own_copy");
  EXPECT_EQ(selection.kernels[0].count, 4U);
  EXPECT_NEAR(selection.kernels[0].sum_ns, 63'359 + 64'287, 1e-6);
  EXPECT_NEAR(selection.kernels[1].sum_ns, 27'456 + 26'335, 1e-6);
  const std::string text = fixture("own.hatchet");
  EXPECT_NEAR(read_workload([&] {
                static const Folder folder;
                folder.write("us.hatchet", replaced(text, "time (ns)", "time (us)"));
                return folder.file("us.hatchet");
              }())
                  .dispatches[0]
                  .duration_ns.value(),
              63'359e3 / 2, 1e-3);
  EXPECT_THAT(refusal("a.hatchet", replaced(text, "time (ns)", "time (min)")),
              HasSubstr("'time (min)'"));
  EXPECT_THAT(refusal("a.hatchet", text.substr(0, text.size() / 2)), HasSubstr("cut off"));
  EXPECT_THAT(refusal("a.hatchet", replaced(text, "\"count\"", "\"number\"")),
              HasSubstr("no kernel"));
  EXPECT_THAT(refusal("a.hatchet", replaced(text, "\"count\": 2", "\"count\": 1e12")),
              HasSubstr("launches"));
  const std::string long_name(std::size_t{1} << 16, 'k');
  EXPECT_THAT(refusal("a.hatchet", replaced(replaced(text, "\"count\": 2", "\"count\": 400000"),
                                            "own_copy", long_name)),
              HasSubstr("longer names"));
  std::string deep = "[";
  for (int i = 0; i < 5000; ++i) deep += R"({"frame":{"name":"a"},"children":[)";
  EXPECT_THAT(refusal("a.hatchet", deep), HasSubstr("a.hatchet"));
}

constexpr const char* kTrace =
    "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Dispatch_Id\",\"Kernel_Id\",\"Kernel_Name\","
    "\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n"
    "\"KERNEL_DISPATCH\",\"Agent 4\",1,1,7,\"copy(int*, int)\",1,1000,1500\n"
    "\"KERNEL_DISPATCH\",\"Agent 4\",1,2,8,\"sum\",2,2000,2700\n";
constexpr const char* kAgents =
    "\"Node_Id\",\"Agent_Type\",\"Wave_Front_Size\",\"Num_Xcc\",\"Cu_Count\",\"Num_Shader_Banks\","
    "\"Max_Engine_Clk_Fcompute\",\"Name\",\"Product_Name\"\n"
    "0,\"CPU\",0,0,0,0,0,\"cpu\",\"cpu\"\n"
    "3,\"GPU\",64,1,104,8,1700,\"gfx90a\",\"AMD Instinct MI210\"\n"
    "4,\"GPU\",64,8,304,32,2100,\"gfx942\",\"AMD Instinct MI300X\"\n";
constexpr const char* kCollection =
    "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Process_Id\",\"Grid_Size\",\"Kernel_Name\","
    "\"Counter_Name\",\"Counter_Value\"\n"
    "1,1,\"Agent 4\",9,640,\"copy(int*, int)\",\"SQ_WAVES\",10\n"
    "2,2,\"Agent 4\",9,640,\"sum\",\"SQ_WAVES\",20\n";

TEST(Rocprofv3Alone, TraceAgentsAndCollection) {
  const Folder folder;
  folder.write("7_kernel_trace.csv", kTrace);
  folder.write("7_agent_info.csv", kAgents);
  for (const std::string& path : {folder.path(), folder.file("7_kernel_trace.csv")}) {
    const Workload workload = read_workload(path);
    EXPECT_EQ(workload.arch, "gfx942");
    EXPECT_EQ(workload.system_number("cu_per_gpu"), 304);
    EXPECT_TRUE(workload.times_only);
    ASSERT_EQ(workload.dispatches.size(), 2U);
    EXPECT_EQ(workload.dispatches[1].kernel, "sum");
    EXPECT_EQ(workload.dispatches[1].duration_ns, 700);
  }
  folder.write("7_counter_collection.csv", kCollection);
  for (const std::string& path : {folder.path(), folder.file("7_counter_collection.csv")}) {
    const Workload workload = read_workload(path);
    EXPECT_FALSE(workload.times_only);
    EXPECT_EQ(workload.arch, "gfx942");
    ASSERT_EQ(workload.dispatches.size(), 2U);
    EXPECT_EQ(workload.dispatches[0].duration_ns, 500) << path;
    EXPECT_EQ(
        workload.counters.number(*workload.counters.find("SQ_WAVES"), workload.dispatches[1].row),
        20);
  }
  // Two processes count their dispatches from 1 each.
  folder.write("8_counter_collection.csv", kCollection);
  EXPECT_THROW(read_workload(folder.path()), Error);
}

TEST(Rocprofv3Alone, ReplaysAndStatistics) {
  const Folder folder;
  folder.write("pmc_1/7_counter_collection.csv", kCollection);
  folder.write("pmc_2/8_counter_collection.csv",
               replaced(kCollection, "SQ_WAVES", "SQ_INSTS_VALU"));
  const Workload workload = read_workload(folder.path());
  ASSERT_EQ(workload.dispatches.size(), 2U);
  EXPECT_TRUE(workload.counters.has("SQ_WAVES") && workload.counters.has("SQ_INSTS_VALU"));
  folder.write("7_kernel_stats.csv",
               "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\",\"MinNs\","
               "\"MaxNs\",\"StdDev\"\n\"copy(int*, int)\",4,2000,500,80,400,600,1\n"
               "\"sum\",1,500,500,20,500,500,0\n");
  const Selection times = select(read_workload(folder.file("7_kernel_stats.csv")), {});
  ASSERT_EQ(times.kernels.size(), 2U);
  EXPECT_EQ(times.kernels[0].count, 4U);
  EXPECT_EQ(times.kernels[0].sum_ns, 2000);
}

constexpr const char* kSamples =
    "Sample_Timestamp,Exec_Mask,Dispatch_Id,Instruction,Instruction_Comment,Correlation_Id,"
    "Wave_Issued_Instruction,Instruction_Type,Stall_Reason,Wave_Count\n"
    "1,255,1,\"global_load_dword v0, v[2:3], off\",/home/me/copy.hip:12,1,0,NO_INST,"
    "ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_WAITCNT,4\n"
    "2,255,1,\"v_add_f32 v0, v1, v2\",/home/me/copy.hip:13,1,1,VALU,,4\n"
    "3,255,2,\"global_load_dword v0, v[2:3], off\",/home/me/copy.hip:12,1,0,NO_INST,"
    "ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_BARRIER_WAIT,4\n"
    "4,255,2,\"s_waitcnt\",/home/me/copy.hip:12,1,1,OTHER,,4\n";

TEST(PcSampling, LinesWithTheMostSamplesFirst) {
  const Folder folder;
  folder.write("sysinfo.csv", kSystem);
  folder.write("pmc_perf.csv", kCountersText);
  folder.write("ps_file_pc_sampling_stochastic.csv", kSamples);
  const Workload workload = read_workload(folder.path());
  AnalysisOptions options;
  options.blocks = {"21"};
  const auto panels = analyze(workload, select(workload, {}), nullptr, options);
  ASSERT_EQ(panels.back().id, 21);
  const auto& rows = panels.back().tables.at(0).rows;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0][1].text, ".../copy.hip:12");
  EXPECT_EQ(rows[0][2].text, "global_load_dword v0, v[2:3], off");
  EXPECT_EQ(rows[0][3].number, 3);
  EXPECT_EQ(rows[0][4].number, 1);
  EXPECT_EQ(rows[0][5].number, 2);
  EXPECT_EQ(rows[0][6].text, "BARRIER_WAIT 1, WAITCNT 1");
  // Of another form: said, not shown.
  folder.write("ps_file_pc_sampling_stochastic.csv", "a,b\n1,2\n");
  const Workload other = read_workload(folder.path());
  EXPECT_TRUE(other.samples.tables.empty());
  EXPECT_THAT(other.notes.back().what, HasSubstr("Instruction_Comment"));
  folder.remove("ps_file_pc_sampling_stochastic.csv");
  folder.write("77_ps_file_results.json", "{}");
  EXPECT_THAT(read_workload(folder.path()).notes.back().what, HasSubstr("as JSON are not read"));
}

TEST(RooflineRates, BesideMeasuredPeaks) {
  const Folder folder;
  folder.write("sysinfo.csv",
               "gpu_arch,cu_per_gpu,max_sclk,wave_size,lds_banks_per_cu\ngfx950,256,2400,64,32\n");
  folder.write("pmc_perf.csv",
               "Dispatch_ID,Kernel_Name,Start_Timestamp,End_Timestamp,SQ_INSTS_VALU_MFMA_MOPS_F64,"
               "SQ_INSTS_VALU_MFMA_MOPS_F6F4\n0,k,0,1000,4,8\n1,k,2000,4000,8,8\n");
  folder.write("roofline.csv", "device,HBMBw,MFMAF64Flops,MFMAF6F4Flops\n0,5000,70000,0\n");
  const Workload workload = read_workload(folder.path());
  const ArchitectureDefinition definition = read_architecture("gfx950");
  AnalysisOptions options;
  options.blocks = {"4"};
  const auto panels = analyze(workload, select(workload, {}), &definition, options);
  ASSERT_EQ(panels.back().tables.size(), 3U);
  const auto& rows = panels.back().tables[0].rows;
  EXPECT_EQ(rows[1][1].text, "MFMA FLOPs (F64)");
  EXPECT_NEAR(rows[1][2].number, 512 * 4 / 1000.0, 1e-9);
  EXPECT_EQ(rows[1][4].number, 70000);
  EXPECT_EQ(rows[6][1].text, "MFMA FLOPs (F6F4)");
  EXPECT_THAT(rows[6][4].text, HasSubstr("no MFMAF6F4Flops"));
  EXPECT_EQ(panels.back().tables[2].id, "4.3");
  options.blocks = {"4.3"};
  EXPECT_EQ(analyze(workload, select(workload, {}), &definition, options).back().tables.size(), 1U);
}

TEST(SideBySide, BothVendorsHaveTheSameRows) {
  const auto names = [](const char* arch) {
    std::string text;
    for (const MetricLine& line : list_metrics(read_architecture(arch), false)) {
      if (line.id.starts_with("40.")) text += line.id + line.title + "\n";
    }
    return text;
  };
  for (const char* arch : {"gfx908", "gfx90a", "gfx942", "gfx950", "sm_80"})
    EXPECT_EQ(names(arch), names("sm_90")) << arch;
  EXPECT_THAT(names("sm_90"), HasSubstr("40.1.11Bandwidth behind the L2"));
}

}  // namespace
}  // namespace heddle::profile::other_recordings_test
