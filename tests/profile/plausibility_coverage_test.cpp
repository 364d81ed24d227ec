// What could not be checked is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/analysis.h"
#include "profile/plausibility/plausibility.h"
#include "profile/testing.h"

namespace heddle::profile {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// What is not checked of a folder with this table and this sysinfo.csv.
std::vector<std::string> unchecked(const std::string& table, const std::string& system,
                                   const std::vector<Panel>& panels = {}) {
  const Folder folder;
  folder.write("pmc_perf.csv", table);
  if (!system.empty()) folder.write("sysinfo.csv", system);
  const Workload workload = read_workload(folder.path());
  return check_plausibility(workload, select(workload, {}), panels).not_checked;
}

TEST(PlausibilityCoverage, what_could_not_be_checked_is_named) {
  PanelTable table;
  table.columns = {{"Metric_ID", false}, {"Avg", false}};
  table.rows = {{PanelCell::of_text("2.1.21"), PanelCell::of_number(5)}};
  const std::string times = "Dispatch_ID,Kernel_Name,Start_Timestamp,End_Timestamp";
  EXPECT_THAT(unchecked(times + "\n0,copy,1411551767635712,1411551767645713\n", ""),
              ElementsAre("counters and metrics (no counter was recorded as a number)",
                          "level files (there is none)"));
  EXPECT_THAT(unchecked(times + ",TCC_REQ_sum\n0,copy,1411551767635712,1411551767645713,many\n",
                        "gpu_arch,max_sclk\ngfx90a,1700\n"),
              Contains("counters and metrics (no counter was recorded as a number)"));
  const std::vector<std::string> bare =
      unchecked("Dispatch_ID,Kernel_Name,TCC_REQ_sum\n0,copy,5\n", "");
  EXPECT_THAT(bare, Contains("durations (no dispatch has a duration)"));
  EXPECT_THAT(bare, Contains("metrics (the architecture is not known)"));
  EXPECT_THAT(bare, Contains(AllOf(HasSubstr("bandwidth of the L2"),
                                   HasSubstr("(there is no sysinfo.csv)"))));
  EXPECT_THAT(unchecked(times + ",TCC_REQ_sum\n0,copy,1411551767635712,1411551767645713,5\n",
                        "gpu_arch,cu_per_gpu,total_l2_chan,hbm_bw\ngfx90a,104,32,1600\n",
                        {{2, "", {table}}}),
              Contains(AllOf(HasSubstr("bandwidth of the L2"), HasSubstr("peaks of metrics"),
                             HasSubstr("(sysinfo.csv has no max_sclk)"))));
}

TEST(PlausibilityCoverage, kernels_too_short_for_counters_of_several_dies_are_named) {
  const std::string row = "0,copy,1411551767635712,1411551767645712,";
  const std::string header =
      "Dispatch_ID,Kernel_Name,Start_Timestamp,End_Timestamp,"
      "GRBM_GUI_ACTIVE\n";
  const std::string system = "gpu_arch,max_sclk,num_xcd\ngfx942,1000,8\n";
  EXPECT_THAT(unchecked(header + row + "800000\n", system),
              Contains(HasSubstr("cycles against durations (counters of several dies take up to "
                                 "400,000 cycles around a kernel; 1 dispatch is so short that "
                                 "utilizations are too low, by up to 10 times)")));
  EXPECT_THAT(unchecked(header + row + "80000\n", system),
              testing::Not(Contains(HasSubstr("cycles against durations"))));
}

TEST(PlausibilityCoverage, levels_among_the_counters_are_levels) {
  EXPECT_THAT(unchecked("Dispatch_ID,Kernel_Name,SQ_LEVEL_WAVES_ACCUM\n0,copy,5\n", ""),
              testing::Not(Contains(HasSubstr("level files"))));
}

TEST(PlausibilityCoverage, of_a_whole_folder_everything_is_checked) {
  const std::string folder = std::string(HEDDLE_TESTS_DIR) + "/../examples/workloads/scale/";
  for (const char* model : {"MI200", "MI300X_A1"}) {
    const Workload workload = read_workload(folder + model);
    const Selection selection = select(workload, {});
    const ArchitectureDefinition definition = read_architecture(workload.arch, "");
    EXPECT_THAT(
        check_plausibility(workload, selection, analyze(workload, selection, &definition, {}))
            .not_checked,
        IsEmpty())
        << model;
  }
}

}  // namespace
}  // namespace heddle::profile
