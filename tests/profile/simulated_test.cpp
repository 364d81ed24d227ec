#include "profile/simulated/simulated.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/analysis.h"
#include "profile/roofline/roofline.h"
#include "profile/testing.h"
#include "support/error.h"

namespace heddle::profile {
namespace {

using testing::HasSubstr;

/// 4 blocks of two waves; each wave reads 512 B once, half of the lines hit in the L2.
SimResult small_result() {
  SimResult result;
  result.gpu = "mi210";
  result.counter_names = CounterNames::gfx90a;
  result.kernel = "copy(double*, \"odd\" name)";
  result.grid = {4};
  result.blocks = 3;
  result.blocks_idle = 1;
  result.threads = 100;
  result.lanes_counted = true;
  result.time_us = 12.5;
  result.occupancy.registers = 24;
  result.l1.cache = {96, 48, 48};
  result.l1.reads_to_l2 = 48;
  result.l1.read_requests = 384;
  result.l2.cache = {24, 12, 12};
  result.l2.reads = 24;
  result.l2.fabric_reads_128 = 12;
  DieResult die;
  die.channels.assign(32, {});
  die.channels[7] = result.l2;
  result.dies = {die};
  result.latencies = Latencies{500, 400, 300};
  result.arithmetic = {{"fused", "fp64", 6400}, {"add", "int32", 640}, {"dot", "fp16", 51200}};
  return result;
}

class Simulated : public testing::Test {
 protected:
  Workload written(const SimResult& result, const std::string& gpu = "mi210") {
    const SimulatedWorkload workload =
        simulated_workload(result, config::read_gpu(gpu), "small", "a job");
    for (const WorkloadFile& file : workload.files) folder_.write(file.name, file.text);
    return read_workload(folder_.path());
  }

  static PanelCell cell(const Workload& workload, const std::string& id, std::size_t column = 2) {
    const ArchitectureDefinition definition = read_architecture(workload.arch);
    AnalysisOptions options;
    options.blocks = {id};
    const auto panels = analyze(workload, select(workload, {}), &definition, options);
    return panels.back().tables.back().rows.front().at(column);
  }

  Folder folder_;
};

TEST_F(Simulated, AFolderThatAnalyzeReads) {
  const Workload workload = written(small_result());
  EXPECT_TRUE(workload.notes.empty()) << workload.notes[0].what;
  ASSERT_EQ(workload.dispatches.size(), 1U);
  EXPECT_EQ(workload.dispatches[0].id, 1);
  EXPECT_EQ(workload.dispatches[0].kernel, "copy(double*, \"odd\" name)");
  EXPECT_EQ(workload.dispatches[0].duration_ns, 12500);
  EXPECT_EQ(workload.arch, "gfx90a");
}

TEST_F(Simulated, BothFormatsGiveTheSamePanels) {
  std::vector<std::string> texts;
  for (const SimulatedFormat format : {SimulatedFormat::csv, SimulatedFormat::rocpd}) {
    const Folder folder;
    for (const WorkloadFile& file :
         simulated_workload(small_result(), config::read_gpu("mi210"), "small", "a job", format)
             .files)
      folder.write(file.name, file.text);
    const Workload workload = read_workload(folder.path());
    EXPECT_TRUE(workload.notes.empty()) << workload.notes[0].what;
    const ArchitectureDefinition definition = read_architecture(workload.arch);
    std::string text;
    for (const Panel& panel : analyze(workload, select(workload, {}), &definition, {})) {
      for (const PanelTable& table : panel.tables) {
        for (const auto& row : table.rows) {
          // Reasons of blank cells name columns that only one of them has.
          for (std::size_t i = 0; panel.id > 1 && i < row.size(); ++i) {
            text += "|";
            if (row[i].is_number()) text += fmt::format("{:.12g}", row[i].number);
            if (row[i].kind == PanelCell::Kind::text) text += row[i].text;
          }
        }
      }
    }
    texts.push_back(text);
  }
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_GT(texts[0].size(), 10'000U);
}

TEST_F(Simulated, CountsArePerLaunchedWave) {
  const Workload workload = written(small_result());
  EXPECT_DOUBLE_EQ(cell(workload, "16.3.1").number, 384.0 / 8) << "idle blocks launch waves too";
  EXPECT_DOUBLE_EQ(cell(workload, "16.3.5").number, 50);
  EXPECT_DOUBLE_EQ(cell(workload, "17.3.7").number, 50);
  EXPECT_DOUBLE_EQ(cell(workload, "17.2.0").number, 12 * 128.0 / 8);
  EXPECT_DOUBLE_EQ(cell(workload, "17.5.2").number, 3) << "a line is two reads of 64 B";
  EXPECT_DOUBLE_EQ(cell(workload, "16.3.13").number, 500);
  EXPECT_DOUBLE_EQ(cell(workload, "16.3.14").number, 400);
  EXPECT_DOUBLE_EQ(cell(workload, "17.2.9").number, 300) << "of reads of 64 B as well";
  EXPECT_DOUBLE_EQ(cell(workload, "18.3.7").number, 3);
}

TEST_F(Simulated, WhatTheModelDoesNotCountIsAbsent) {
  const Workload workload = written(small_result());
  EXPECT_EQ(cell(workload, "17.1.0").text, "the model does not count TCC_BUSY_sum");
  EXPECT_EQ(cell(workload, "2.1.15").text, "the model does not count SQ_ACCUM_PREV_HIRES");
  SimResult triton = small_result();
  triton.lanes_counted = false;
  EXPECT_FALSE(written(triton).counters.has("TCP_TOTAL_READ_sum"));
  triton.latencies.reset();
  EXPECT_FALSE(written(triton).counters.has("TCP_TCP_LATENCY_sum"));
}

TEST_F(Simulated, RooflinesHaveArithmeticAndCeilings) {
  const Workload workload = written(small_result());
  const auto points = roofline_points(workload, select(workload, {}), {});
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].missing, "");
  EXPECT_DOUBLE_EQ(points[0].flops, 64.0 * 2 * 100 + 512.0 * 200);
  EXPECT_EQ(measured_ceilings(workload, 0).bandwidths.front().gb_per_s, 1638);
}

TEST_F(Simulated, OtherChipsHaveTheirOwnNames) {
  SimResult result = small_result();
  result.counter_names = CounterNames::gfx942;
  const Workload workload = written(result, "mi300x");
  EXPECT_TRUE(workload.counters.has("TCC_BUBBLE_sum"));
  EXPECT_TRUE(workload.counters.has("TCC_EA0_RDREQ_sum"));
  EXPECT_EQ(workload.arch, "gfx942");
  EXPECT_THROW(simulated_workload(result, config::read_gpu("h200"), "n", "c"), Error);
}

}  // namespace
}  // namespace heddle::profile
