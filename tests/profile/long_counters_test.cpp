// Recordings with a row for each counter: the same panels as with a row for each dispatch.
#include "profile/workload/long_counters.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/packing.h"
#include "profile/testing.h"

namespace heddle::profile {
namespace {

using ::testing::HasSubstr;

constexpr const char* kHeader =
    "GPU_ID,Dispatch_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Kernel_Name,Start_Timestamp,"
    "End_Timestamp,Kernel_ID,Counter_Name,Counter_Value\n";

/// A row of a dispatch of 1000 ns.
std::string row(int id, const std::string& kernel, const std::string& counter,
                const std::string& value, int start = 5000) {
  return fmt::format("2,{},6400,256,0,\"{}\",{},{},7,{},{}\n", id, kernel, start, start + 1000,
                     counter, value);
}

std::optional<double> value_of(const Workload& workload, const std::string& counter,
                               std::size_t place) {
  const auto column = workload.counters.find(counter);
  if (!column) return std::nullopt;
  return workload.counters.number(*column, workload.dispatches[place].row);
}

TEST(LongCounters, numbers_of_another_locale_are_refused) {
  for (const char* number : {"16384,0", "1.048.576", "16,384", "1 048", "-5,5"}) {
    const Folder folder;
    folder.write("sysinfo.csv", kSystem);
    folder.write("pmc_perf.csv", kHeader + row(1, "copy", "SQ_WAVES", "16.384") +
                                     row(1, "copy", "TCC_HIT_sum", fmt::format("\"{}\"", number)));
    EXPECT_THAT(refusal(folder.path()),
                HasSubstr(fmt::format("has numbers as '{}' (TCC_HIT_sum)", number)));
  }
  const Folder folder;
  folder.write("sysinfo.csv", kSystem);
  folder.write("pmc_perf.csv",
               kHeader + row(1, "copy", "SQ_WAVES", "n/a") + row(1, "copy", "TCC_HIT_sum", "1e3"));
  EXPECT_THAT(text_of(read_workload(folder.path()).notes), HasSubstr("without an id, a name"));
  folder.write("pmc_perf.csv",
               "Dispatch_ID;Kernel_Name;Counter_Name;Counter_Value\n1;copy;A;5,5\n");
  EXPECT_THAT(refusal(folder.path()), HasSubstr("columns are not separated by commas"));
}

TEST(LongCounters, a_row_for_each_counter_becomes_a_row_for_each_dispatch) {
  const Folder folder;
  folder.write("sysinfo.csv", kSystem);
  folder.write("pmc_perf.csv", kHeader + row(2, "scale(int*, int)", "SQ_WAVES", "8.0", 7000) +
                                   row(1, "copy(int*, int)", "SQ_WAVES", "16.0") +
                                   row(1, "copy(int*, int)", "TCC_HIT[3]", "4") +
                                   row(2, "scale(int*, int)", "TCC_HIT[3]", "5", 9000));
  const Workload workload = read_workload(folder.path());
  EXPECT_EQ(text_of(workload.notes), "");
  ASSERT_EQ(workload.dispatches.size(), 2U);
  EXPECT_EQ(workload.dispatches[0].kernel, "copy(int*, int)");
  EXPECT_EQ(workload.dispatches[0].id, 0);
  EXPECT_EQ(workload.dispatches[0].gpu, "0");
  EXPECT_EQ(workload.dispatches[1].id, 1);
  EXPECT_EQ(workload.dispatches[1].duration_ns, 1000);
  EXPECT_EQ(value_of(workload, "SQ_WAVES", 0), 16);
  EXPECT_EQ(value_of(workload, "SQ_WAVES", 1), 8);
  EXPECT_EQ(value_of(workload, "TCC_HIT[3]", 1), 5);
  EXPECT_EQ(value_of(workload, "Grid_Size", 1), 6400);
}

TEST(LongCounters, passes_are_joined_by_dispatch_packed_or_not) {
  const Folder folder;
  folder.write("sysinfo.csv", kSystem);
  folder.write("results_pmc_perf_0.csv",
               kHeader + row(0, "copy", "SQ_WAVES", "16") + row(1, "copy", "SQ_WAVES", "17"));
  folder.write("results_pmc_perf_1.csv.gz",
               packed(kHeader + row(0, "copy", "TCC_HIT_sum", "4", 8000) +
                      row(1, "copy", "TCC_HIT_sum", "5", 9000)));
  folder.write("results_SQ_LEVEL_WAVES.csv",
               kHeader + row(0, "copy", "SQ_LEVEL_WAVES_ACCUM", "64"));
  const Workload workload = read_workload(folder.path());
  EXPECT_EQ(text_of(workload.notes), "");
  EXPECT_EQ(workload.counters_file, "results_*.csv");
  ASSERT_EQ(workload.dispatches.size(), 2U);
  EXPECT_EQ(value_of(workload, "SQ_WAVES", 1), 17);
  EXPECT_EQ(value_of(workload, "TCC_HIT_sum", 1), 5);
  EXPECT_EQ(value_of(workload, "SQ_LEVEL_WAVES_ACCUM", 0), 64);
  EXPECT_EQ(value_of(workload, "SQ_LEVEL_WAVES_ACCUM", 1), std::nullopt);
  EXPECT_TRUE(workload.levels.empty());
}

TEST(LongCounters, passes_with_other_ids_are_paired_by_the_sequence_of_launches) {
  const Folder folder;
  folder.write("sysinfo.csv", kSystem);
  folder.write("results_pmc_perf_0.csv",
               kHeader + row(0, "copy", "SQ_WAVES", "16") + row(1, "scale", "SQ_WAVES", "17"));
  folder.write("results_pmc_perf_1.csv", kHeader + row(40, "copy", "TCC_HIT_sum", "4") +
                                             row(41, "scale", "TCC_HIT_sum", "5"));
  // Another sequence: nothing tells what belongs together.
  folder.write("results_pmc_perf_2.csv", kHeader + row(50, "scale", "TCC_MISS_sum", "6") +
                                             row(51, "copy", "TCC_MISS_sum", "7"));
  const Workload workload = read_workload(folder.path());
  ASSERT_EQ(workload.dispatches.size(), 4U);
  EXPECT_EQ(value_of(workload, "TCC_HIT_sum", 0), 4);
  EXPECT_EQ(value_of(workload, "TCC_HIT_sum", 1), 5);
  EXPECT_EQ(value_of(workload, "TCC_MISS_sum", 0), std::nullopt);
  EXPECT_THAT(text_of(workload.notes),
              HasSubstr("results_pmc_perf_1.csv: its ids are not those of the first replay"));
}

TEST(LongCounters, passes_that_begin_at_another_number_are_paired) {
  const Folder folder;
  folder.write("sysinfo.csv", kSystem);
  folder.write("results_pmc_perf_0.csv",
               kHeader + row(0, "copy", "SQ_WAVES", "16") + row(1, "copy", "SQ_WAVES", "17"));
  folder.write("results_pmc_perf_1.csv",
               kHeader + row(1, "copy", "TCC_HIT_sum", "4") + row(2, "copy", "TCC_HIT_sum", "5"));
  // One of these is new: the numbers that both have are the same launches.
  folder.write("results_pmc_perf_2.csv",
               kHeader + row(0, "copy", "TCC_MISS_sum", "6") + row(2, "copy", "TCC_MISS_sum", "7"));
  const Workload workload = read_workload(folder.path());
  ASSERT_EQ(workload.dispatches.size(), 3U);
  EXPECT_EQ(value_of(workload, "TCC_HIT_sum", 0), 4);
  EXPECT_EQ(value_of(workload, "TCC_HIT_sum", 1), 5);
  EXPECT_EQ(value_of(workload, "TCC_MISS_sum", 0), 6);
  EXPECT_EQ(value_of(workload, "TCC_MISS_sum", 1), std::nullopt);
}

TEST(LongCounters, times_that_a_table_program_wrote_again) {
  const Folder folder;
  folder.write("sysinfo.csv", kSystem);
  folder.write("pmc_perf.csv", std::string(kHeader) +
                                   "2,1,6400.0,256,0,copy,1.3386742234691896e+16,"
                                   "1.3386742234712376e+16,7,SQ_WAVES,16\n"
                                   "2,2,6400.0,256,0,copy,5000.5,7000.5,7,SQ_WAVES,17\n");
  const Workload workload = read_workload(folder.path());
  ASSERT_EQ(workload.dispatches.size(), 2U);
  EXPECT_EQ(workload.dispatches[0].duration_ns, 20480);
  EXPECT_EQ(workload.dispatches[1].duration_ns, 2000);
}

TEST(LongCounters, instances_of_a_counter_are_added) {
  const Folder folder;
  folder.write("sysinfo.csv", kSystem);
  folder.write("pmc_perf.csv",
               "Dispatch_ID,Kernel_Name,Start_Timestamp,End_Timestamp,Counter_Name,Counter_Value,"
               "DIMENSION_XCC\n1,copy,5000,6000,SQ_WAVES,4,0\n1,copy,5000,6000,SQ_WAVES,4,1\n");
  const Workload workload = read_workload(folder.path());
  ASSERT_EQ(workload.dispatches.size(), 1U);
  EXPECT_EQ(value_of(workload, "SQ_WAVES", 0), 8);
}

TEST(LongCounters, dispatches_of_several_processes_in_one_file_are_refused) {
  const Folder folder;
  folder.write("sysinfo.csv", kSystem);
  folder.write("pmc_perf.csv",
               "Dispatch_ID,Kernel_Name,Start_Timestamp,End_Timestamp,Counter_Name,Counter_Value,"
               "Process_Id\n1,copy,5000,6000,SQ_WAVES,4,70\n1,copy,5000,6000,SQ_WAVES,4,71\n");
  EXPECT_THAT(refusal(folder.path()),
              HasSubstr("pmc_perf.csv has two dispatches 1: of Process_Id 70 and of 71"));
}

TEST(LongCounters, passes_that_are_left_out_are_named) {
  const Folder folder;
  folder.write("sysinfo.csv", kSystem);
  folder.write("results_pmc_perf_0.csv", kHeader + row(0, "copy", "SQ_WAVES", "16"));
  folder.write("results_pmc_perf_1.csv.xz", "?");
  std::filesystem::create_symlink("/nonexistent/pass.csv",
                                  std::filesystem::path(folder.path()) / "results_pmc_perf_2.csv");
  folder.write("results_pmc_perf_3.csv", kHeader + row(0, "copy", "TCC_HIT_sum", "4"));
  const std::string notes = text_of(read_workload(folder.path()).notes);
  EXPECT_THAT(notes, HasSubstr("results_pmc_perf_1.csv.xz: it is packed in a way"));
  EXPECT_THAT(notes, HasSubstr("results_pmc_perf_2.csv: it is not a file, or a link to none"));
  EXPECT_THAT(notes, HasSubstr("there are 0 to 3, but not 1, 2"));
}

TEST(LongCounters, rows_and_columns_that_contradict_each_other_are_named) {
  const Folder folder;
  const std::string system = kSystem;
  const std::string row_of_system = system.substr(system.find('\n') + 1);
  folder.write("sysinfo.csv", system + row_of_system);
  folder.write("pmc_perf.csv",
               "Dispatch_ID,Kernel_Name,Start_Timestamp,End_Timestamp,SQ_WAVES\n"
               "1,copy,5000,6000,4\n");
  EXPECT_EQ(text_of(read_workload(folder.path()).notes).find("the first one counts"),
            std::string::npos);
  folder.write("sysinfo.csv", system + "other" + row_of_system);
  folder.write("pmc_perf.csv",
               "Dispatch_ID,Kernel_Name,Start_Timestamp,End_Timestamp,SQ_WAVES,SQ_WAVES\n"
               "1,copy,5000,6000,4,8\n");
  const Workload workload = read_workload(folder.path());
  EXPECT_EQ(value_of(workload, "SQ_WAVES", 0), 4);
  EXPECT_THAT(text_of(workload.notes), HasSubstr("its rows differ in"));
  EXPECT_THAT(text_of(workload.notes), HasSubstr("it has two columns SQ_WAVES"));
}

TEST(LongCounters, the_duration_is_the_median_over_all_counters) {
  const auto timed = [](int id, const char* counter, int start, int end) {
    return fmt::format("2,{},64,64,0,copy,{},{},7,{},1\n", id, start, end, counter);
  };
  const Folder folder;
  folder.write("sysinfo.csv", kSystem);
  folder.write("results_pmc_perf_0.csv", kHeader + timed(0, "A", 100, 200) +
                                             timed(0, "B", 100, 200) + timed(1, "A", 300, 900));
  folder.write("results_pmc_perf_1.csv", kHeader + timed(0, "C", 50, 90) + timed(1, "B", 10, 21));
  folder.write("results_pmc_perf_2.csv", kHeader + timed(0, "D", 7000, 7900));
  const Workload workload = read_workload(folder.path());
  ASSERT_EQ(workload.dispatches.size(), 2U);
  EXPECT_EQ(workload.dispatches[0].duration_ns, 100);    // of 40, 100, 100, 900
  EXPECT_EQ(workload.dispatches[1].duration_ns, 305.5);  // of 11, 600
}

TEST(LongCounters, the_counters_file_of_rocprofv3) {
  const Folder folder;
  folder.write("77_counter_collection.csv",
               "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Grid_Size\",\"Kernel_Name\","
               "\"Workgroup_Size\",\"LDS_Block_Size\",\"Scratch_Size\",\"VGPR_Count\","
               "\"SGPR_Count\",\"Counter_Name\",\"Counter_Value\",\"Start_Timestamp\","
               "\"End_Timestamp\"\n"
               "1,1,\"Agent 4\",64,\"copy\",64,0,0,8,16,\"SQ_WAVES\",3.000000,10,20\n");
  const Workload workload = read_workload(folder.path());
  ASSERT_EQ(workload.dispatches.size(), 1U);
  EXPECT_EQ(workload.dispatches[0].duration_ns, 10);
  EXPECT_EQ(value_of(workload, "SQ_WAVES", 0), 3);
  EXPECT_EQ(value_of(workload, "Arch_VGPR", 0), 8);
}

TEST(LongCounters, half_of_the_form_is_refused) {
  const Folder folder;
  folder.write("sysinfo.csv", kSystem);
  folder.write("pmc_perf.csv", "Dispatch_ID,Kernel_Name,Counter_Name,Value\n0,copy,SQ_WAVES,16\n");
  EXPECT_THAT(refusal(folder.path()), HasSubstr("its form is not known"));
}

TEST(LongCounters, what_does_not_fit_is_told) {
  const Folder folder;
  folder.write("sysinfo.csv", kSystem);
  folder.write("pmc_perf.csv", kHeader + row(1, "copy", "A", "1") + row(1, "copy", "A", "2") +
                                   row(1, "copy", "B", "") + row(1, "copy", "", "3") +
                                   row(1, "copy", "C", "3") + row(1, "copy", "C", "3"));
  const Workload workload = read_workload(folder.path());
  EXPECT_EQ(value_of(workload, "A", 0), 2);
  EXPECT_THAT(text_of(workload.notes), HasSubstr("2 rows without an id, a name or a number"));
  EXPECT_THAT(text_of(workload.notes),
              HasSubstr("a counter of a dispatch was recorded again with another value"));
}

TEST(LongCounters, multiplexed_counters_are_those_of_the_next_dispatch_of_the_kernel) {
  const Folder folder;
  folder.write("sysinfo.csv", kSystem);
  // Two sets of counters in turns, five dispatches; another kernel that ran once.
  folder.write("pmc_perf.csv", kHeader + row(0, "copy", "A", "10") + row(1, "copy", "B", "21") +
                                   row(2, "once", "A", "99") + row(3, "copy", "A", "13") +
                                   row(4, "copy", "B", "24") + row(5, "copy", "A", "15"));
  folder.write("profiling_config.yaml", "device: 0\niteration_multiplexing: kernel\n");
  Workload workload = read_workload(folder.path());
  ASSERT_EQ(workload.dispatches.size(), 6U);
  const auto values = [&](const std::string& counter) {
    std::vector<std::optional<double>> list;
    for (const std::size_t place : {0U, 1U, 3U, 4U, 5U})
      list.push_back(value_of(workload, counter, place));
    return list;
  };
  using List = std::vector<std::optional<double>>;
  EXPECT_EQ(values("A"), (List{10, 10, 13, 13, 15}));
  EXPECT_EQ(values("B"), (List{21, 21, 24, 24, 24}));
  EXPECT_EQ(value_of(workload, "B", 2), std::nullopt);
  EXPECT_THAT(text_of(workload.notes), HasSubstr("1 kernel ran too few times to count everything"));

  folder.write("profiling_config.yaml", "iteration_multiplexing: null\n");
  workload = read_workload(folder.path());
  EXPECT_EQ(value_of(workload, "B", 0), std::nullopt);
  EXPECT_EQ(text_of(workload.notes), "");
  folder.write("profiling_config.yaml", "iteration_multiplexing: by_moonlight\n");
  EXPECT_THAT(text_of(read_workload(folder.path()).notes),
              HasSubstr("'by_moonlight' is not a kind of iteration multiplexing"));
}

TEST(LongCounters, tables_that_cannot_be_told_apart_are_refused) {
  const Folder folder;
  folder.write("pmc_perf.csv", "Kernel_Name,Counter_Name,Counter_Value\ncopy,A,1\n");
  EXPECT_THAT(refusal(folder.path()), HasSubstr("no column Dispatch_ID"));
  folder.write("pmc_perf.csv", "Dispatch_ID,Counter_Name,Counter_Value\n1,A,1\n");
  EXPECT_THAT(refusal(folder.path()), HasSubstr("no column Kernel_Name"));
  folder.remove("pmc_perf.csv");
  folder.write("results_pmc_perf_0.csv", kHeader + row(1, "copy", "A", "1"));
  folder.write("results_pmc_perf_1.csv", "Dispatch_ID,Kernel_Name,B\n1,copy,2\n");
  EXPECT_THAT(refusal(folder.path()), HasSubstr("results_pmc_perf_1.csv' has a row for each"));
}

TEST(LongCounters, more_counters_than_any_chip_has_are_refused) {
  std::string text = kHeader;
  for (std::size_t i = 0; i <= kMostColumns; ++i) text += row(1, "k", fmt::format("C{}", i), "1");
  const Folder folder;
  folder.write("pmc_perf.csv", text);
  EXPECT_THAT(refusal(folder.path()), HasSubstr("the recording holds more than 65536 counters"));
}

TEST(LongCounters, memory_grows_with_values_not_with_rows_times_columns) {
  std::string text = kHeader;
  for (int i = 0; i < 20000; ++i) text += row(i, "k", fmt::format("C{}", i), "1");
  const Folder folder;
  folder.write("pmc_perf.csv", text);
  const Workload workload = read_workload(folder.path());
  EXPECT_EQ(workload.dispatches.size(), 20000U);
  EXPECT_EQ(value_of(workload, "C19999", 19999), 1);
  EXPECT_EQ(value_of(workload, "C19999", 19998), std::nullopt);
}

TEST(ColumnStore, the_last_value_of_a_row_counts_or_the_sum) {
  ColumnStore store;
  const std::size_t column = store.add_reals("A");
  store.set_real(column, 2, 5);
  store.set_real(column, 0, 1);
  store.add_real(column, 2, 7);
  store.set_real(column, 0, 3);
  EXPECT_EQ(store.finish(), 1U);
  EXPECT_EQ(store.number(column, 0), 3);
  EXPECT_EQ(store.number(column, 1), std::nullopt);
  EXPECT_EQ(store.number(column, 2), 12);
  EXPECT_EQ(store.text(column, 2), "12");
  EXPECT_EQ(store.integer(column, 7), std::nullopt);
}

}  // namespace
}  // namespace heddle::profile
