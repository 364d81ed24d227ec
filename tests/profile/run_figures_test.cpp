#include "profile/run_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/testing.h"

namespace heddle::profile {
namespace {

using ::testing::HasSubstr;

RunFigures figures_of(const std::string& counters, const std::string& system = "") {
  const Folder folder;
  folder.write("pmc_perf.csv", counters);
  folder.write("sysinfo.csv", system.empty() ? "gpu_arch,gpu_l2,num_xcd,hbm_bw,max_sclk\n"
                                               "gfx90a,8192,1,1638.4,1700\n"
                                             : system);
  const Workload workload = read_workload(folder.path());
  return read_figures(workload, select(workload, {}));
}

TEST(RunFigures, AreMeansAndTheLeastOfAllDispatches) {
  const RunFigures run = figures_of(
      "Dispatch_ID,Kernel_Name,TCP_TOTAL_ACCESSES_sum,TCC_HIT_sum,TCC_MISS_sum,"
      "Start_Timestamp,End_Timestamp\n"
      "0,k,100,1,3,1000000,1002000\n1,k,300,1,3,1010000,1014000\n");
  EXPECT_EQ(run.dispatches, 2);
  EXPECT_EQ(run.kernel, "k");
  ASSERT_TRUE(run.duration_ns && run.lane_requests && run.hit_rate_pct);
  EXPECT_DOUBLE_EQ(run.duration_ns->mean, 3000);
  EXPECT_DOUBLE_EQ(run.lane_requests->mean, 200);
  EXPECT_DOUBLE_EQ(run.lane_requests->least, 100);
  EXPECT_DOUBLE_EQ(*run.hit_rate_pct, 25);
  EXPECT_DOUBLE_EQ(run.cache_bytes, 8192 * 1024);
  EXPECT_FALSE(run.operations || run.lookups || run.written || run.cycles);
}

TEST(RunFigures, ACounterThatOneDispatchLacksIsAbsent) {
  const RunFigures run =
      figures_of("Dispatch_ID,Kernel_Name,TCP_TOTAL_ACCESSES_sum\n0,k,100\n1,k,\n");
  EXPECT_FALSE(run.lane_requests);
}

TEST(RunFigures, BytesAreExactOrAnUpperBound) {
  const std::string head = "Dispatch_ID,Kernel_Name,TCC_MISS_sum";
  const auto read = [&](const std::string& names, const std::string& values) {
    const RunFigures run = figures_of(head + names + "\n0,k,1000" + values + "\n");
    return run.read_bytes ? run.read_bytes->mean : -1;
  };
  EXPECT_DOUBLE_EQ(read(",TCC_EA_RDREQ_sum,TCC_EA_RDREQ_32B_sum,TCC_EA_WRREQ_sum,"
                        "TCC_EA_WRREQ_64B_sum",
                        ",100,10,5,5"),
                   64 * 100 - 32 * 10);
  EXPECT_DOUBLE_EQ(read(",TCC_EA_RDREQ_sum,TCC_EA_RDREQ_32B_sum", ",100,10"), 64 * 100 - 32 * 10);
  EXPECT_DOUBLE_EQ(read(",TCC_EA_RDREQ_sum", ",100"), 6400);
  EXPECT_DOUBLE_EQ(read("", ""), 128'000);
}

TEST(RunFigures, OfAnMi300AreThoseOfADieOrOfAll) {
  const RunFigures run = figures_of(
      "Dispatch_ID,Kernel_Name,GRBM_GUI_ACTIVE,TCC_EA0_RDREQ_sum,TCC_EA0_RDREQ_32B_sum,"
      "TCC_EA0_WRREQ_sum,TCC_EA0_WRREQ_64B_sum,TCC_BUBBLE_sum,TCP_TCC_WRITE_REQ_sum\n"
      "0,k,8000,100,0,10,10,100,7\n",
      "gpu_arch,gpu_l2,num_xcd,hbm_bw\ngfx942,4096,8,5300\n");
  EXPECT_DOUBLE_EQ(run.cycles->mean, 1000);
  EXPECT_DOUBLE_EQ(run.read_bytes->mean, 128 * 100);
  EXPECT_DOUBLE_EQ(run.moved_bytes->mean, 128 * 100 + 640);
  EXPECT_DOUBLE_EQ(run.written_bytes->mean, 7 * 128);
  EXPECT_DOUBLE_EQ(run.cache_bytes, 32.0 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(*run.peak_gb_per_s, 17'200);
}

TEST(RunFigures, SeveralKernelsHaveToBeChosenFrom) {
  try {
    figures_of("Dispatch_ID,Kernel_Name,SQ_WAVES\n0,copy,1\n1,scale,1\n");
    FAIL() << "figures of two kernels";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("copy and scale"));
    EXPECT_THAT(error.hint(), HasSubstr("-k"));
  }
}

}  // namespace
}  // namespace heddle::profile
