// Workload folders: whole ones, and those that an accident has met.
#include "profile/workload/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "profile/packing.h"
#include "profile/testing.h"

namespace heddle::profile {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

std::string notes_of(const Workload& workload) {
  return text_of(workload.notes);
}

/// The sample with other counters.
Workload read_with(const std::string& counters) {
  const Folder folder;
  write_sample(folder);
  folder.write("pmc_perf.csv", counters);
  return read_workload(folder.path());
}

TEST(WorkloadFolder, whole) {
  const Folder folder;
  write_sample(folder);
  const Workload workload = read_workload(folder.path());
  EXPECT_EQ(notes_of(workload), "");
  ASSERT_EQ(workload.dispatches.size(), 3U);
  EXPECT_EQ(workload.dispatches[1].kernel, "scale(int*, int)");
  EXPECT_EQ(workload.dispatches[1].duration_ns, 16320);
  EXPECT_EQ(workload.dispatches[2].gpu, "3");
  EXPECT_EQ(workload.arch, "gfx90a");
  EXPECT_FALSE(workload.arch_guessed);
  EXPECT_EQ(workload.system_number("max_sclk"), 1700);
  EXPECT_EQ(*workload.system_text("command"), "./app -n 1\n --again");
  EXPECT_EQ(workload.system_text("no_such"), nullptr);
  EXPECT_EQ(workload.levels.at("SQ_LEVEL_WAVES").rows(), 3U);
  EXPECT_EQ(workload.roofline.rows(), 1U);
}

TEST(WorkloadFolder, nothing_is_written_into_it) {
  const Folder folder;
  write_sample(folder);
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(read_workload(folder.path()).dispatches.size(), 3U);
  fs::permissions(folder.path(), fs::perms::owner_all);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder.path())) ++files;
  EXPECT_EQ(files, 5U);
}

TEST(WorkloadFolder, files_missing_one_by_one) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"pmc_perf.csv", "pmc_perf.csv: the file is missing"},
      {"sysinfo.csv", "sysinfo.csv: the file is missing: peaks are not known"},
      {"SQ_LEVEL_WAVES.csv", ""},
      {"roofline.csv", ""},
      {"timestamps.csv", ""}};
  for (const auto& [name, note] : cases) {
    const Folder folder;
    write_sample(folder);
    folder.remove(name);
    const Workload workload = read_workload(folder.path());
    EXPECT_THAT(notes_of(workload), HasSubstr(note)) << name;
    EXPECT_EQ(workload.dispatches.size(), name == "pmc_perf.csv" ? 1U : 3U) << name;
  }
}

TEST(WorkloadFolder, files_empty_cut_or_full_of_zeros_one_by_one) {
  for (const std::string name :
       {"pmc_perf.csv", "sysinfo.csv", "SQ_LEVEL_WAVES.csv", "roofline.csv", "timestamps.csv"}) {
    for (const std::string& bytes : {std::string(), std::string(4096, '\0'), std::string("\n\n"),
                                     std::string("\"a,b\nc"), std::string("a,b\n")}) {
      const Folder folder;
      write_sample(folder);
      folder.write(name, bytes);
      const Workload workload = read_workload(folder.path());
      EXPECT_FALSE(workload.dispatches.empty()) << name;
      if (name != "timestamps.csv") {
        EXPECT_THAT(notes_of(workload), HasSubstr(name + ":"));
      }
    }
  }
}

TEST(WorkloadFolder, nothing_left_is_an_error_that_says_why) {
  const Folder folder;
  folder.write("pmc_perf.csv", "a,b\n1\n");
  EXPECT_THAT(refusal(folder.path()), HasSubstr("holds no counters that can be read"));
  EXPECT_THAT(refusal(folder.path()), HasSubstr("the row has 1 field where the header has 2"));
  folder.write("pmc_perf.csv", "");
  EXPECT_THAT(refusal(folder.path()), HasSubstr("pmc_perf.csv: the file is empty"));
  folder.remove("pmc_perf.csv");
  EXPECT_THAT(refusal(folder.path()), HasSubstr("holds no pmc_perf.csv"));
  EXPECT_THAT(refusal(folder.file("none")), HasSubstr("there is no folder"));
  folder.write("file", "x");
  EXPECT_THAT(refusal(folder.file("file")), HasSubstr("not a recording that heddle knows"));
}

TEST(WorkloadFolder, a_table_of_damaged_rows_only_gives_way_to_the_next) {
  const Workload workload = read_with("Dispatch_ID,Kernel_Name\n0\n1\n");
  EXPECT_EQ(workload.counters_file, "timestamps.csv");
  EXPECT_EQ(workload.dispatches.size(), 1U);
}

TEST(WorkloadFolder, pipes_folders_and_links_are_not_waited_for) {
  for (const int kind : {0, 1, 2, 3}) {
    const Folder folder;
    write_sample(folder);
    folder.remove("pmc_perf.csv");
    const std::string file = folder.file("pmc_perf.csv");
    if (kind == 0) {
      ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
    }
    if (kind == 1) fs::create_directory(file);
    if (kind == 2) fs::create_symlink("nowhere", file);
    if (kind == 3) fs::create_symlink("/dev/zero", file);
    const Workload workload = read_workload(folder.path());
    EXPECT_EQ(workload.counters_file, "timestamps.csv");
    EXPECT_THAT(notes_of(workload), HasSubstr("pmc_perf.csv: it is not a file")) << kind;
  }
  const Folder alone;
  ASSERT_EQ(mkfifo(alone.file("pmc_perf.csv").c_str(), 0600), 0);
  EXPECT_THAT(refusal(alone.path()), HasSubstr("it is not a file"));
}

TEST(WorkloadFolder, a_file_that_may_not_be_read_is_a_note) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read every file";
  const Folder folder;
  write_sample(folder);
  fs::permissions(folder.file("sysinfo.csv"), fs::perms::none);
  const Workload workload = read_workload(folder.path());
  EXPECT_EQ(workload.dispatches.size(), 3U);
  EXPECT_THAT(notes_of(workload), HasSubstr("sysinfo.csv: cannot read"));
}

TEST(WorkloadFolder, the_outer_folder_stands_for_the_inner) {
  const Folder folder;
  write_sample(folder, "MI200/");
  EXPECT_THAT(notes_of(read_workload(folder.path())), HasSubstr("the workload is in '"));
  write_sample(folder, "MI300/");
  const std::string message = refusal(folder.path());
  EXPECT_THAT(message, HasSubstr("name one of: "));
  EXPECT_THAT(message, HasSubstr("MI200"));
  EXPECT_THAT(message, HasSubstr("MI300"));
}

TEST(WorkloadFolder, packed_files) {
  const Folder folder;
  write_sample(folder);
  folder.remove("pmc_perf.csv");
  folder.write("pmc_perf.csv.gz", packed(kCountersText));
  Workload workload = read_workload(folder.path());
  EXPECT_EQ(workload.counters_file, "pmc_perf.csv.gz");
  EXPECT_EQ(workload.dispatches.size(), 3U);
  EXPECT_EQ(notes_of(workload), "");

  folder.write("pmc_perf.csv.gz", kCountersText);
  EXPECT_THAT(notes_of(read_workload(folder.path())), HasSubstr("it is not packed"));
  folder.write("pmc_perf.csv", packed(kCountersText));
  workload = read_workload(folder.path());
  EXPECT_EQ(workload.counters_file, "pmc_perf.csv");
  EXPECT_EQ(workload.dispatches.size(), 3U);
}

TEST(WorkloadFolder, packed_files_that_are_cut) {
  const Folder folder;
  folder.write("pmc_perf.csv.gz", packed(kCountersText).substr(0, 150));
  const Workload workload = read_workload(folder.path());
  EXPECT_THAT(notes_of(workload), HasSubstr("pmc_perf.csv.gz: the packed file ends early"));
  EXPECT_LT(workload.dispatches.size(), 3U);
}

TEST(WorkloadFolder, a_packed_file_that_unpacks_without_end_is_bounded) {
  const Folder folder;
  write_sample(folder);
  folder.remove("pmc_perf.csv");
  folder.write("pmc_perf.csv.gz", packed(std::string(kTableBytes + 1000, ',')));
  const Workload workload = read_workload(folder.path());
  EXPECT_EQ(workload.counters_file, "timestamps.csv");
  EXPECT_THAT(notes_of(workload), HasSubstr("unpacks to more than is read"));
}

TEST(WorkloadFolder, parts_are_joined) {
  const Folder folder;
  folder.write("results_pmc_perf_0.csv",
               "Dispatch_ID,Kernel_Name,A,Start_Timestamp,End_Timestamp\n0,x,1,5,9\n1,y,2,10,20\n"
               "2,z,3,30,31\n");
  folder.write("results_pmc_perf_1.csv", "Dispatch_ID,Kernel_Name,B\n0,x,3\n1,y\n2,z,5\n");
  folder.write("results_pmc_perf_2.csv", "Dispatch_ID,Kernel_Name,C\n0,other,5\n1,y,6\n2,z,7\n");
  const Workload workload = read_workload(folder.path());
  ASSERT_EQ(workload.dispatches.size(), 2U);
  EXPECT_EQ(workload.counters.number(*workload.counters.find("B"), 2), 5);
  EXPECT_EQ(workload.dispatches[1].row, 2U);
  EXPECT_FALSE(workload.counters.has("C"));
  EXPECT_THAT(notes_of(workload), HasSubstr("not those of the first part"));
}

TEST(WorkloadTimes, whole_numbers_in_any_form) {
  for (const auto& [start, end] : std::vector<std::pair<std::string, std::string>>{
           {"1411551767635712", "1411551767656192"},
           {"1411551767635712.0", "1411551767656192.0"},
           {"1.411551767635712e+15", "1.411551767656192e+15"},
           {"\"1411551767635712\"", "1411551767656192.00"}}) {
    const Workload workload =
        read_with("Start_Timestamp,End_Timestamp\n" + start + "," + end + "\n");
    ASSERT_EQ(workload.dispatches.size(), 1U);
    EXPECT_EQ(workload.dispatches[0].duration_ns, 20480) << start;
    EXPECT_FALSE(workload.dispatches[0].rounded_time) << start;
  }
}

TEST(WorkloadTimes, fractions_are_kept) {
  const Workload workload =
      read_with("Start_Timestamp,End_Timestamp\n1731612345678901234.25,1731612345678901300.75\n");
  EXPECT_EQ(workload.dispatches[0].duration_ns, 66.5);
  EXPECT_FALSE(workload.dispatches[0].rounded_time);
}

TEST(WorkloadTimes, fractions_of_means_are_those_of_doubles) {
  // 1411551767635712.25 and 1411551767656192.75, as pandas writes them.
  const Workload workload =
      read_with("Start_Timestamp,End_Timestamp\n1411551767635712.2,1411551767656192.8\n");
  EXPECT_EQ(workload.dispatches[0].duration_ns, 20480.5);
}

TEST(WorkloadTimes, digits_that_are_gone_are_noticed) {
  const Workload workload = read_with(
      "Start_Timestamp,End_Timestamp\n1.41155e+15,1.41155e+15\n1.7316123456789e18,1.7317e18\n");
  EXPECT_EQ(workload.dispatches[0].duration_ns, 0);
  EXPECT_TRUE(workload.dispatches[0].rounded_time);
  EXPECT_TRUE(workload.dispatches[1].rounded_time);
}

TEST(WorkloadTimes, no_times) {
  for (const std::string text :
       {"Kernel_Name,Start_Timestamp\nx,1\n", "Start_Timestamp,End_Timestamp\nabc,2\n",
        "Start_Timestamp,End_Timestamp\n,\n", "Start_Timestamp,End_Timestamp\n1e30,2e30\n",
        "Start_Timestamp,End_Timestamp\n-9223372036854775808,9223372036854775807\n",
        "Start_Timestamp,End_Timestamp\ninf,inf\n"}) {
    const Workload workload = read_with(text);
    ASSERT_EQ(workload.dispatches.size(), 1U) << text;
    EXPECT_EQ(workload.dispatches[0].duration_ns, std::nullopt) << text;
  }
}

TEST(WorkloadDispatches, ids_from_one_with_gaps_as_floats_or_none) {
  Workload workload = read_with("Dispatch_ID,A\n1,1\n5,1\n7,1\n");
  EXPECT_EQ(workload.dispatches[2].id, 7);
  workload = read_with("Dispatch_ID,GPU_ID,A\n1.0,4.0,1\n2.0,4.0,1\n,gpu,1\n");
  EXPECT_EQ(workload.dispatches[0].id, 1);
  EXPECT_EQ(workload.dispatches[0].gpu, "4");
  EXPECT_EQ(workload.dispatches[2].id, 2);
  EXPECT_EQ(workload.dispatches[2].gpu, "gpu");
  workload = read_with("Dispatch_ID,A\n,1\n,1\n");
  EXPECT_EQ(workload.dispatches[1].id, 1);
  EXPECT_THAT(notes_of(workload), HasSubstr("the column Kernel_Name is missing"));
}

TEST(WorkloadLevels, rows_of_another_kernel_are_noted) {
  const Folder folder;
  write_sample(folder);
  folder.write("SQ_LEVEL_WAVES.csv", replaced(kLevelText, "scale", "other"));
  EXPECT_THAT(notes_of(read_workload(folder.path())),
              HasSubstr("SQ_LEVEL_WAVES.csv: 1 row of another kernel"));
}

TEST(WorkloadLevels, other_numbers_of_rows_are_noted) {
  for (const std::string& text : {std::string(kLevelText) + "3,more,14\n",
                                  std::string("Kernel_Name,A\n\"copy(int*, int)\",1\n")}) {
    const Folder folder;
    write_sample(folder);
    folder.write("SQ_LEVEL_WAVES.csv", text);
    EXPECT_THAT(notes_of(read_workload(folder.path())), HasSubstr("rows are paired by place"));
  }
}

TEST(WorkloadSystem, rows_that_do_not_fit_leave_the_counters) {
  const Folder folder;
  write_sample(folder);
  folder.write("sysinfo.csv", "gpu_arch,max_sclk\ngfx90a\n");
  folder.write("pmc_perf.csv",
               "Dispatch_ID,TCC_EA0_RDREQ_sum,SQ_INSTS_VALU_MFMA_MOPS_F64,SPI_CSN_WAVE\n0,1,0,1\n");
  const Workload workload = read_workload(folder.path());
  EXPECT_EQ(workload.arch, "gfx942");
  EXPECT_TRUE(workload.arch_guessed);
  EXPECT_THAT(notes_of(workload), HasSubstr("sysinfo.csv:2: the row has 1 field"));
}

TEST(WorkloadRecorded, three_folders_are_read_without_a_note) {
  const std::string root = std::string(HEDDLE_SHARED_DIR) + "/rocprof-compute/workloads/";
  if (!fs::is_directory(root)) GTEST_SKIP() << "there are no recorded folders at " << root;
  for (const auto& [name, dispatches] : std::vector<std::pair<std::string, std::size_t>>{
           {"vcopy/MI200", 3}, {"multikernel/MI200", 7}, {"path/MI300X_A1", 3}}) {
    const Workload workload = read_workload(root + name);
    EXPECT_EQ(workload.dispatches.size(), dispatches) << name;
    EXPECT_EQ(notes_of(workload), "") << name;
    EXPECT_EQ(workload.levels.size(), 5U) << name;
    EXPECT_FALSE(workload.dispatches[0].rounded_time) << name;
  }
}

}  // namespace
}  // namespace heddle::profile
