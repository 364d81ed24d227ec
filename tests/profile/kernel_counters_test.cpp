#include "profile/counters/counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/testing.h"

namespace heddle::profile {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kDetails =
    "==PROF== Connected to process 17 (/usr/bin/python3)\n"
    "begin 0 main 1\n"
    "==PROF== Profiling \"gemm\" - 0: 0%....50%....100% - 2 passes\n"
    "done\n"
    "==PROF== Disconnected from process 17\n"
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\","
    "\"Metric Value\"\n"
    "\"0\",\"17\",\"gemm\",\"metrics\",\"gpu__time_duration.sum\",\"ns\",\"41,280\"\n"
    "\"0\",\"17\",\"gemm\",\"metrics\",\"lts__t_sectors_lookup_hit.sum\",\"sector\",\"3,000\"\n"
    "\"0\",\"17\",\"gemm\",\"metrics\",\"lts__t_sectors_lookup_miss.sum\",\"sector\",\"1,000\"\n"
    "\"0\",\"17\",\"gemm\",\"metrics\",\"dram__bytes_read.sum\",\"Mbyte\",\"2.5\"\n"
    "\"0\",\"17\",\"gemm\",\"metrics\",\"dram__bytes_write.sum\",\"Kbyte\",\"1,640.25\"\n"
    "\"1\",\"17\",\"gemm(int, int)\",\"metrics\",\"gpu__time_duration.sum\",\"usecond\",\"43.5\"\n";

constexpr const char* kRaw =
    "\"ID\",\"Process ID\",\"Kernel Name\",\"dram__bytes_read.sum\",\"dram__bytes_write.sum\","
    "\"gpu__time_duration.sum\",\"lts__t_sectors_lookup_hit.sum\","
    "\"lts__t_sectors_lookup_miss.sum\",\"sm__cycles.sum\"\n"
    "\"\",\"\",\"\",\"Gbyte\",\"byte\",\"ms\",\"sector\",\"sector\",\"cycle\"\n"
    "\"0\",\"17\",\"gemm\",\"1.5\",\"73,309,440\",\"2.25\",\"1\",\"3\",\"7\"\n"
    "\"1\",\"17\",\"gemm\",\"1.25\",\"0\",\"2.5\",\"0\",\"0\",\"7\"\n";

constexpr const char* kCollection =
    "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Process_Id\",\"Kernel_Name\","
    "\"Counter_Name\",\"Counter_Value\",\"Start_Timestamp\",\"End_Timestamp\"\n"
    "1,1,\"Agent 4\",9,\"void add<float>(float*, int)\",\"TCC_HIT_sum\",30.000000,1000,11240\n"
    "1,1,\"Agent 4\",9,\"void add<float>(float*, int)\",\"TCC_MISS_sum\",10.000000,1000,11240\n"
    "2,2,\"Agent 4\",9,\"copy\",\"TCC_MISS\",4,20000,21000\n"
    "2,2,\"Agent 4\",9,\"copy\",\"TCC_HIT\",12,20000,21000\n";

std::string message_of(const std::string& text) {
  try {
    parse_ncu_csv(text);
  } catch (const Error& error) {
    EXPECT_FALSE(error.hint().empty());
    EXPECT_EQ(error.code(), ExitCode::missing);
    return error.full_text();
  }
  return "read";
}

/// The one launch of a table of one metric.
KernelCounters one_metric(const std::string& name, const std::string& unit,
                          const std::string& value) {
  const auto launches = parse_ncu_csv(
      "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\"0\",\"k\",\"" +
      name + "\",\"" + unit + "\",\"" + value + "\"\n");
  EXPECT_EQ(launches.size(), 1U);
  return launches.at(0);
}

/// A counter_collection.csv of one launch with these counters.
KernelCounters amd(const std::vector<std::pair<std::string, std::string>>& counters) {
  std::string text = "Dispatch_Id,Kernel_Name,Counter_Name,Counter_Value\n";
  for (const auto& [name, value] : counters) text += "1,k," + name + "," + value + "\n";
  return parse_rocprofv3_csv(text, "").at(0);
}

TEST(NcuCsv, ARowForEachMetric) {
  const auto launches = parse_ncu_csv(kDetails);
  ASSERT_EQ(launches.size(), 2U);
  const KernelCounters& first = launches[0];
  EXPECT_EQ(first.kernel, "gemm");
  EXPECT_EQ(first.source, "ncu CSV");
  EXPECT_DOUBLE_EQ(first.time_us.value(), 41.28);
  EXPECT_DOUBLE_EQ(first.l2_hits.value(), 3000);
  EXPECT_DOUBLE_EQ(first.l2_lookups.value(), 4000);
  EXPECT_DOUBLE_EQ(first.l2_hit_pct.value(), 75);
  EXPECT_DOUBLE_EQ(first.dram_read_bytes.value(), 2.5e6);
  EXPECT_DOUBLE_EQ(first.dram_write_bytes.value(), 1'640'250);
  EXPECT_THAT(first.reasons, IsEmpty());
  EXPECT_EQ(launches[1].kernel, "gemm(int, int)");
  EXPECT_DOUBLE_EQ(launches[1].time_us.value(), 43.5);
  EXPECT_FALSE(launches[1].l2_hit_pct || launches[1].dram_read_bytes);
  EXPECT_THAT(launches[1].reasons,
              Contains(HasSubstr("no bytes read from DRAM: dram__bytes_read")));
}

TEST(NcuCsv, ARowForEachLaunch) {
  const auto launches = parse_ncu_csv(kRaw);
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_DOUBLE_EQ(launches[0].time_us.value(), 2250);
  EXPECT_DOUBLE_EQ(launches[0].dram_read_bytes.value(), 1.5e9);
  EXPECT_DOUBLE_EQ(launches[0].dram_write_bytes.value(), 73'309'440);
  EXPECT_DOUBLE_EQ(launches[0].l2_hit_pct.value(), 25);
  EXPECT_DOUBLE_EQ(launches[1].l2_lookups.value(), 0);
  EXPECT_FALSE(launches[1].l2_hit_pct);
  EXPECT_THAT(launches[1].reasons, Contains(HasSubstr("no sector was looked up")));
  // Without the row of units nothing is known.
  const auto bare = parse_ncu_csv(
      "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n"
      "\"0\",\"k\",\"5\"\n");
  EXPECT_FALSE(bare.at(0).time_us);
  EXPECT_THAT(bare.at(0).reasons, Contains(HasSubstr("its unit is ''")));
}

TEST(NcuCsv, SeveralTablesAndProcesses) {
  EXPECT_EQ(parse_ncu_csv(std::string(kRaw) + kDetails).size(), 4U);
  EXPECT_EQ(parse_ncu_csv(replaced(kRaw, "\"1\",\"17\"", "\"0\",\"18\"")).size(), 2U);
}

TEST(NcuCsv, TheRateOfNcuIsNamedAsSuch) {
  for (const char* name : {"lts__t_sector_hit_rate.pct", "L2 Hit Rate"}) {
    const KernelCounters counters = one_metric(name, "%", "61.25");
    EXPECT_DOUBLE_EQ(counters.l2_hit_pct.value(), 61.25);
    EXPECT_FALSE(counters.l2_lookups);
    EXPECT_THAT(counters.reasons, Contains(HasSubstr("lts__t_sector_hit_rate.pct, as ncu")));
  }
}

TEST(NcuCsv, NumbersAndUnits) {
  const auto time = [](const std::string& unit, const std::string& value) {
    return one_metric("gpu__time_duration.sum", unit, value).time_us.value_or(-1);
  };
  EXPECT_DOUBLE_EQ(time("nsecond", "1,234,567.5"), 1234.5675);
  EXPECT_DOUBLE_EQ(time("second", "0.5"), 5e5);
  EXPECT_DOUBLE_EQ(time("us", "1e3"), 1000);
  for (const char* wrong : {"5,40", "1,23,456", ",123", "1,234,", "1.048,576", "n/a", "", "-1",
                            "inf", "nan", "1e300", "1234,567"})
    EXPECT_DOUBLE_EQ(time("us", wrong), -1) << wrong;
  EXPECT_DOUBLE_EQ(time("cycle", "5"), -1);
  EXPECT_THAT(one_metric("gpu__time_duration.sum", "us", "5,40").reasons,
              Contains(AllOf(HasSubstr("'5,40'"), HasSubstr("LC_ALL=C"))));
}

TEST(NcuCsv, Refusals) {
  EXPECT_THAT(
      message_of("==PROF== Connected to process 1\n==ERROR== ERR_NVGPUCTRPERM - The user does"
                 " not have permission to access NVIDIA GPU Performance Counters\n"),
      AllOf(HasSubstr("ERR_NVGPUCTRPERM"), HasSubstr("run it as root")));
  EXPECT_THAT(message_of("==PROF== Connected\n==WARNING== No kernels were profiled.\n"),
              HasSubstr("No kernels were profiled"));
  EXPECT_THAT(message_of("\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Value\"\n"),
              HasSubstr("no launch"));
}

TEST(NcuCsv, DamagedRowsAreTold) {
  const auto launches = parse_ncu_csv(std::string(kRaw) + "\"2\",\"17\",\"ge\n");
  EXPECT_EQ(launches.size(), 2U);
  EXPECT_THAT(launches[0].reasons, Contains("1 row of the file could not be read"));
}

TEST(Rocprofv3Csv, CountersOfEachDispatch) {
  const auto launches = parse_rocprofv3_csv(kCollection, "");
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0].kernel, "void add<float>(float*, int)");
  EXPECT_EQ(launches[0].source, "rocprofv3 CSV");
  EXPECT_DOUBLE_EQ(launches[0].time_us.value(), 10.24);
  EXPECT_DOUBLE_EQ(launches[0].l2_hit_pct.value(), 75);
  EXPECT_DOUBLE_EQ(launches[0].l2_lookups.value(), 40);
  EXPECT_DOUBLE_EQ(launches[1].l2_hits.value(), 12);
  EXPECT_THAT(launches[1].reasons,
              Contains("no bytes read from DRAM: there is no TCC_EA_RDREQ_sum"));
}

TEST(Rocprofv3Csv, BytesOfChipsWithoutACacheBehindTheL2) {
  const auto bytes = amd({{"TCC_EA_RDREQ_sum", "100"},
                          {"TCC_EA_RDREQ_32B_sum", "10"},
                          {"TCC_EA_RDREQ_DRAM_sum", "100"},
                          {"TCC_EA_WRREQ_sum", "20"},
                          {"TCC_EA_WRREQ_64B_sum", "15"}});
  EXPECT_DOUBLE_EQ(bytes.dram_read_bytes.value(), 64 * 90 + 32 * 10);
  EXPECT_DOUBLE_EQ(bytes.dram_write_bytes.value(), 64 * 15 + 32 * 5);
  EXPECT_THAT(bytes.reasons, Contains(HasSubstr("without TCC_EA_WRREQ_DRAM_sum")));
  EXPECT_THAT(bytes.reasons, Not(Contains(HasSubstr("TCC_EA_RDREQ_DRAM_sum"))));
  // Some of it came from elsewhere, and nobody knows how long those requests were.
  const auto some = amd({{"TCC_EA_RDREQ_sum", "100"},
                         {"TCC_EA_RDREQ_32B_sum", "10"},
                         {"TCC_EA_RDREQ_DRAM_sum", "99"}});
  EXPECT_FALSE(some.dram_read_bytes);
  EXPECT_THAT(some.reasons, Contains(HasSubstr("of 100 requests, 99 went to DRAM")));
  EXPECT_FALSE(amd({{"TCC_EA_RDREQ_sum", "1"}, {"TCC_EA_RDREQ_32B_sum", "2"}}).dram_read_bytes);
}

TEST(Rocprofv3Csv, NoBytesOfChipsWithOne) {
  const auto bytes = amd({{"TCC_EA0_RDREQ_sum", "100"},
                          {"TCC_EA0_RDREQ_32B_sum", "10"},
                          {"TCC_HIT_sum", "-1"},
                          {"TCC_MISS_sum", "1"}});
  EXPECT_FALSE(bytes.dram_read_bytes || bytes.dram_write_bytes || bytes.l2_hit_pct);
  EXPECT_THAT(bytes.reasons, Contains(HasSubstr("Infinity Cache")));
}

TEST(Rocprofv3Csv, TimesOfATrace) {
  const std::string counters =
      "Correlation_Id,Dispatch_Id,Kernel_Name,Counter_Name,Counter_Value\n"
      "8,1,k,TCC_HIT_sum,1\n9,2,k,TCC_HIT_sum,1\n";
  const std::string trace =
      "Kind,Dispatch_Id,Kernel_Name,Correlation_Id,Start_Timestamp,"
      "End_Timestamp\nKERNEL_DISPATCH,2,k,9,1000,3000\n"
      "KERNEL_DISPATCH,1,other,8,1000,3000\n";
  auto launches = parse_rocprofv3_csv(counters, trace);
  EXPECT_FALSE(launches.at(0).time_us);
  EXPECT_DOUBLE_EQ(launches.at(1).time_us.value(), 2);
  launches = parse_rocprofv3_csv(counters,
                                 "Kind,Kernel_Name,Correlation_Id,Start_Timestamp,"
                                 "End_Timestamp\nKERNEL_DISPATCH,k,8,1000,3000\n");
  EXPECT_DOUBLE_EQ(launches.at(0).time_us.value(), 2);
  launches = parse_rocprofv3_csv(trace, "");
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[1].kernel, "other");
  EXPECT_THAT(launches[0].reasons, Contains(HasSubstr("a kernel trace has no counters")));
}

TEST(ReadCounters, IsDecidedByWhatThereIs) {
  const Folder folder;
  folder.write("a.csv", kDetails);
  folder.write("run/7_counter_collection.csv", kCollection);
  EXPECT_EQ(read_counters(folder.file("a.csv")).at(0).source, "ncu CSV");
  EXPECT_EQ(read_counters(folder.file("run/7_counter_collection.csv")).at(0).source,
            "rocprofv3 CSV");
  EXPECT_EQ(read_counters(folder.file("run")).size(), 2U);
  folder.write("run/8_counter_collection.csv", kCollection);
  EXPECT_THROW(read_counters(folder.file("run")), Error);
  folder.write("b.csv", "a,b\n1,2\n");
  try {
    read_counters(folder.file("b.csv"));
    ADD_FAILURE() << "read";
  } catch (const Error& error) {
    EXPECT_THAT(error.full_text(), AllOf(HasSubstr("b.csv"), HasSubstr("ncu --csv"),
                                         HasSubstr("rocprofv3"), HasSubstr("rocprofiler-compute")));
  }
  EXPECT_THROW(read_counters(folder.file("none")), Error);
}

TEST(ReadCounters, AFolderOfRocprofilerCompute) {
  const Folder folder;
  write_sample(folder);
  folder.write("pmc_perf.csv",
               "Dispatch_ID,Kernel_Name,TCC_HIT_sum,TCC_MISS_sum,TCC_EA_RDREQ_sum,"
               "TCC_EA_RDREQ_32B_sum,Start_Timestamp,End_Timestamp\n"
               "0,copy,3,1,10,0,1000,3000\n1,scale,,1,10,0,1000,1000\n");
  const auto launches = read_counters(folder.path());
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0].source, "rocprofiler-compute");
  EXPECT_EQ(launches[0].kernel, "copy");
  EXPECT_DOUBLE_EQ(launches[0].time_us.value(), 2);
  EXPECT_DOUBLE_EQ(launches[0].l2_hit_pct.value(), 75);
  EXPECT_DOUBLE_EQ(launches[0].dram_read_bytes.value(), 640);
  EXPECT_FALSE(launches[1].l2_hit_pct || launches[1].time_us);
}

TEST(ReadCounters, ManyLaunchesAreAnError) {
  std::string text = "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"\",\"\",\"us\"\n";
  for (std::size_t id = 0; id <= kMostLaunches; ++id)
    text += "\"" + std::to_string(id) + "\",\"k\",\"1\"\n";
  EXPECT_THROW(parse_ncu_csv(text), Error);
}

}  // namespace
}  // namespace heddle::profile
