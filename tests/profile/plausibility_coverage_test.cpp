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
