// Folders of other versions of the profiler, by the names they use.
#include "profile/workload/recorded_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/testing.h"

namespace heddle::profile {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// The header of Omniperf 1.x: rocprof's own names, times in a file of their own.
constexpr const char* kOldCounters =
    "Index,KernelName,gpu-id,queue-id,grd,wgr,lds,scr,vgpr,sgpr,SQ_WAVES,TCC_EA_RDREQ_sum\n"
    "0,copy.kd,1,0,6400,256,0,0,8,32,100,7\n1,scale.kd,1,0,6400,256,0,0,8,32,100,7\n";
constexpr const char* kOldTimes =
    "Index,KernelName,gpu-id,DispatchNs,BeginNs,EndNs,CompleteNs\n"
    "0,copy.kd,1,12075944713040777,12075944713091723,12075944713416199,12075944713499991\n"
    "1,scale.kd,1,12075944713040777,12075944713091723,12075944713091823,12075944713499991\n";
constexpr const char* kOldSystem =
    "workload_name,host_name,gpu_soc,numSE,numCU,numSIMD,waveSize,maxWavesPerCU,sclk,mclk,L2Banks,"
    "name,numSQC,hbmBW,ip_blocks\n"
    "Axes,node,gfx908,8,120,4,64,40,1502,1200,32,mi100,48,1228.8,SQ|LDS|CPF";

TEST(OtherVersions, a_folder_of_2022_has_kernels_times_and_its_own_architecture) {
  const Folder folder;
  folder.write("pmc_perf.csv", kOldCounters);
  folder.write("timestamps.csv", kOldTimes);
  folder.write("sysinfo.csv", kOldSystem);
  const Workload workload = read_workload(folder.path());
  ASSERT_EQ(workload.dispatches.size(), 2U);
  EXPECT_EQ(workload.dispatches[0].kernel, "copy.kd");
  EXPECT_EQ(workload.dispatches[0].duration_ns, 324476);
  EXPECT_EQ(workload.dispatches[1].id, 1);
  EXPECT_EQ(workload.dispatches[1].gpu, "1");
  EXPECT_EQ(workload.arch, "gfx908");
  EXPECT_FALSE(workload.arch_guessed);
  EXPECT_EQ(workload.system_number("max_sclk"), 1502);
  EXPECT_EQ(workload.system_number("cu_per_gpu"), 120);
  EXPECT_EQ(workload.system_number("hbm_bw"), 1228.8);
  EXPECT_EQ(workload.system_number("total_l2_chan"), 32);
  EXPECT_EQ(workload.counters.number(*workload.counters.find("Arch_VGPR"), 0), 8);
}

TEST(OtherVersions, times_of_other_kernels_are_not_taken) {
  const Folder folder;
  folder.write("pmc_perf.csv", kOldCounters);
  folder.write("timestamps.csv", replaced(kOldTimes, "scale", "other"));
  folder.write("sysinfo.csv", kOldSystem);
  const Workload workload = read_workload(folder.path());
  EXPECT_EQ(workload.dispatches[0].duration_ns, std::nullopt);
  EXPECT_THAT(text_of(workload.notes), HasSubstr("its kernels are not those of pmc_perf.csv"));
}

TEST(OtherVersions, rows_that_name_no_kernel_give_way_to_the_times) {
  const Folder folder;
  folder.write("pmc_perf.csv", "Index,KernelName,BeginNs,EndNs\n,,100,200\n,,300,400\n");
  EXPECT_THAT(refusal(folder.path()), HasSubstr("pmc_perf.csv: no row of it names a kernel"));
  folder.write("timestamps.csv", kOldTimes);
  const Workload workload = read_workload(folder.path());
  EXPECT_EQ(workload.dispatches[0].kernel, "copy.kd");
  EXPECT_THAT(text_of(workload.notes), HasSubstr("no row of it names a kernel"));
}

TEST(OtherVersions, the_name_of_the_chip_tells_where_nothing_else_does) {
  for (const auto& [model, arch] :
       std::vector<std::pair<std::string, std::string>>{{"mi100", "gfx908"},
                                                        {"MI210", "gfx90a"},
                                                        {"MI300X_A1", "gfx942"},
                                                        {"MI355X", "gfx950"},
                                                        {"RDNA35_HALO", "gfx115x"},
                                                        {"unheard of", ""}}) {
    EXPECT_EQ(recorded_arch({{"gpu_model", model}}), arch) << model;
  }
  EXPECT_EQ(recorded_arch({{"gpu_arch", "gfx90a:sramecc+:xnack-"}, {"gpu_model", "mi100"}}),
            "gfx90a");
}

TEST(OtherVersions, counters_tell_the_architecture_only_where_no_other_has_them) {
  const auto guess = [](const std::string& header) {
    std::vector<ProfileNote> notes;
    return guessed_arch(CounterTable(header + "\n", "t", notes));
  };
  EXPECT_EQ(guess("TCC_EA_RDREQ_sum,SQ_INSTS_VALU_MFMA_MOPS_F64"), "gfx90a");
  EXPECT_EQ(guess("TCC_EA0_RDREQ_sum,SQ_INSTS_VALU_MFMA_MOPS_F64,SPI_CSN_WAVE"), "gfx942");
  EXPECT_EQ(guess("TCC_EA0_RDREQ_sum,SQ_INSTS_VALU_MFMA_MOPS_F64,SQ_INSTS_VALU_MFMA_MOPS_F6F4"),
            "gfx950");
  EXPECT_EQ(guess("GL2C_EA_RDREQ_DRAM_sum"), "gfx115x");
  // MI100 has the first, and under rocprofv3 the second.
  EXPECT_EQ(guess("TCC_EA_RDREQ_sum"), "");
  EXPECT_EQ(guess("TCC_EA0_RDREQ_sum"), "");
  EXPECT_EQ(guess("TCC_EA0_RDREQ_sum,SQ_INSTS_VALU_MFMA_MOPS_F64"), "");
}

TEST(OtherVersions, the_bandwidth_is_made_of_clock_and_channels) {
  EXPECT_DOUBLE_EQ(*derived_bandwidth({{"max_mclk", "1300"}, {"num_hbm_channels", "128"}}), 5324.8);
  EXPECT_DOUBLE_EQ(*derived_bandwidth({{"max_mclk", "1300"}, {"num_memory_channels", "128"}}),
                   5324.8);
  EXPECT_EQ(derived_bandwidth({{"max_mclk", ""}, {"num_hbm_channels", "128"}}), std::nullopt);
  EXPECT_EQ(derived_bandwidth({{"max_mclk", "0"}, {"num_hbm_channels", "128"}}), std::nullopt);
}

TEST(OtherVersions, a_newer_profiler_is_refused_by_its_version) {
  const Folder folder;
  folder.write("pmc_perf.csv", kCountersText);
  folder.write("sysinfo.csv", "version,gpu_arch\n4,gfx942\n");
  EXPECT_THAT(refusal(folder.path()), HasSubstr("was recorded by rocprofiler-compute 4"));
  folder.write("sysinfo.csv", "version,gpu_arch\n3.9.0,gfx942\n");
  EXPECT_EQ(read_workload(folder.path()).dispatches.size(), 3U);
}

TEST(OtherVersions, a_table_of_something_else_is_refused) {
  const Folder folder;
  folder.write("pmc_perf.csv", "alpha,beta\n1,2\n");
  EXPECT_THAT(refusal(folder.path()),
              HasSubstr("it is not a table of dispatches that heddle knows: it has 2 columns "
                        "(alpha, beta)"));
}

TEST(OtherVersions, recordings_of_other_formats_are_refused_by_name) {
  const Folder folder;
  folder.write("77_results.json", "{}");
  EXPECT_THAT(refusal(folder.path()), HasSubstr("'77_results.json' is of a format"));
}

TEST(OtherVersions, messages_of_rocprof_are_not_level_files) {
  const Folder folder;
  write_sample(folder);
  folder.write("SQ_LEVEL_WAVES_error_log.csv", "time,code\n1,2\n3,4\n");
  const Workload workload = read_workload(folder.path());
  EXPECT_EQ(workload.levels.size(), 1U);
  EXPECT_EQ(text_of(workload.notes), "");
}

TEST(OtherVersions, a_note_on_several_files_is_told_once) {
  const Folder folder;
  write_sample(folder);
  for (const char* name : {"SQ_LEVEL_WAVES.csv", "SQ_IFETCH_LEVEL.csv", "SQ_INST_LEVEL_LDS.csv",
                           "SQ_INST_LEVEL_VMEM.csv"})
    folder.write(name, "Kernel_Name,A\n");
  const std::string notes = text_of(read_workload(folder.path()).notes);
  EXPECT_THAT(notes, HasSubstr(" and 1 more: there is a header, but no row"));
  EXPECT_THAT(notes, Not(HasSubstr("SQ_LEVEL_WAVES.csv")));
}

}  // namespace
}  // namespace heddle::profile
