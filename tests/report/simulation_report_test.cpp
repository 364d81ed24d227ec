#include "report/simulation_report.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "report/simulation_counters.h"
#include "support/text.h"

namespace heddle::report {
namespace {

using nlohmann::json;

constexpr std::int64_t kGibibyte = std::int64_t{1} << 30;

/// A copy of 1 GiB on eight dies: a line read, two halves of a line written, the second one a hit.
SimResult amd_sample() {
  SimResult result;
  result.gpu = "mi300x";
  result.gpu_title = "AMD Instinct MI300X";
  result.mode = "SPX";
  result.order = "identity";
  result.kernel = "copy_kernel";
  result.grid = {262144};
  result.blocks = 262144;
  result.occupancy = {8, "waves", 24, 0, false};
  for (int i = 0; i < 8; ++i) {
    DieResult die;
    die.blocks = 32768;
    die.l1.cache = {1 << 20, 0, 1 << 20};
    die.l1.writes = 1 << 20;
    die.l1.reads_to_l2 = 1 << 20;
    die.l1.writes_to_l2 = 2 << 20;
    die.scalar = ScalarCounts{{910, 900, 10}, 90};
    L2Counts channel;
    channel.cache = {3 << 16, 1 << 16, 2 << 16};
    channel.reads = 1 << 16;
    channel.writes = 2 << 16;
    channel.fabric_reads_128 = 1 << 16;
    channel.fabric_writes_64 = 2 << 16;
    channel.writebacks = 1 << 16;
    for (int k = 0; k < 16; ++k) {
      die.channels.push_back(channel);
      die.l2 += channel;
    }
    die.time_us = 512;
    die.busy_pct = 97;
    result.l1 += die.l1;
    result.l2 += die.l2;
    result.dies.push_back(die);
  }
  result.scalar = ScalarCounts{{7280, 7200, 80}, 720};
  result.last_level = CacheCounts{16777216, 0, 16777216};
  result.hbm_read_bytes = result.hbm_write_bytes = kGibibyte;
  result.time_us = 512.4;
  result.limited_by = "memory";
  result.utilization = {{"memory", 96}, {"L2", 41.5}, {"compute", 0.04}};
  result.bound_hit_rate_pct = 100.0 / 3;
  result.bound_bytes = 2 * kGibibyte;
  result.sample.requests = 16 << 20;
  return result;
}

SimResult nvidia_sample() {
  SimResult result;
  result.gpu = "h100";
  result.gpu_title = "NVIDIA H100 SXM";
  result.counter_names = CounterNames::nvidia;
  result.order = "group(8)";
  result.kernel = "gemm_kernel";
  result.grid = {64, 32};
  result.blocks = 2048;
  result.occupancy = {1, "shared memory", 255, 196608, true, true};
  result.l1.cache = {4000000, 1000000, 3000000};
  result.l1.reads_to_l2 = 900000;
  result.l2.cache = {5000000, 4000000, 1000000};
  result.l2.reads = 4500000;
  result.l2.writes = 500000;
  result.l1.written_sectors = 500000;
  result.l2.fabric_reads_32 = 900000;
  result.l2.fabric_writes_32 = 100000;
  result.far_sectors = 700000;
  result.hbm_read_bytes = 900000 * 32;
  result.hbm_write_bytes = 100000 * 32;
  result.time_us = 1234.5;
  result.limited_by = "compute";
  result.bound_hit_rate_pct = 91.5;
  result.bound_bytes = 16000000;
  DieResult die;
  die.blocks = 2048;
  die.l1 = result.l1;
  die.l2 = result.l2;
  die.time_us = 1234.5;
  die.busy_pct = 80;
  result.dies = {die};
  return result;
}

/// Sentences are wrapped and tables padded, so any white space counts as one blank.
bool contains(const std::string& text, const std::string& part) {
  std::string flat;
  for (const std::string_view line : split_lines(text)) {
    for (const std::string_view word : split(line, ' ')) {
      if (word.empty()) continue;
      flat += flat.empty() ? "" : " ";
      flat += word;
    }
  }
  return flat.find(part) != std::string::npos;
}

void expect_100_columns(const SimResult& result) {
  const std::string text = simulation_text(result, "examples/copy.toml", {});
  for (const std::string_view line : split_lines(text)) EXPECT_LE(line.size(), 100U) << line;
}

TEST(SimulationText, HeadingAndTime) {
  const std::string text = simulation_text(amd_sample(), "copy.toml", {});
  EXPECT_EQ(text.rfind("copy.toml  copy_kernel on grid 262144, order identity\n", 0), 0U) << text;
  EXPECT_TRUE(contains(text, "GPU AMD Instinct MI300X (mi300x), mode SPX"));
  EXPECT_TRUE(
      contains(text,
               "occupancy 8 blocks per compute unit (limit: waves), 24 registers per thread, "
               "0 B of shared memory per block"));
  EXPECT_TRUE(contains(text, "time 512 us predicted, limited by memory"));
  EXPECT_TRUE(contains(text, "busy memory 96 %, L2 42 %, compute under 0.1 %"));
  EXPECT_FALSE(contains(text, "sampled"));
  EXPECT_FALSE(contains(text, "warning"));
  EXPECT_FALSE(contains(text, "note"));
  EXPECT_FALSE(contains(text, "without a tile"));
}

TEST(SimulationText, LevelsInTheOrderOfARequest) {
  const std::string text = simulation_text(amd_sample(), "copy.toml", {});
  EXPECT_TRUE(contains(text,
                       "level requests hits misses hit rate read written "
                       "L1 8,388,608 0 8,388,608 0.0 % "
                       "scalar cache 7,280 7,200 80 98.9 % "
                       "L2 25,165,824 8,388,608 16,777,216 33.3 % "
                       "fabric 25,165,824 1 GiB 1 GiB "
                       "last level 16,777,216 0 16,777,216 0.0 % "
                       "HBM 1 GiB 1 GiB"))
      << text;
  EXPECT_TRUE(contains(text,
                       "bound L2 hit rate 33.3 % of at most 33.3 %; 2 GiB moved of at least "
                       "2 GiB (1.00x)"));
  SimResult bare = amd_sample();
  bare.last_level.reset();
  bare.scalar = ScalarCounts{};
  EXPECT_FALSE(contains(simulation_text(bare, "copy.toml", {}), "scalar cache"));
  bare.scalar.reset();
  const std::string less = simulation_text(bare, "copy.toml", {});
  EXPECT_FALSE(contains(less, "scalar cache"));
  EXPECT_FALSE(contains(less, "last level"));
  EXPECT_FALSE(contains(less, "SQC_DCACHE"));
}

TEST(SimulationText, CountersOfAmd) {
  const std::string text = simulation_text(amd_sample(), "copy.toml", {});
  EXPECT_TRUE(contains(text, "TCC_REQ 25,165,824"));
  EXPECT_TRUE(contains(text, "TCC_BUBBLE 8,388,608"));
  EXPECT_TRUE(contains(text, "TCC_EA0_RDREQ 8,388,608"));
  EXPECT_TRUE(contains(text, "TCC_EA0_WRREQ_64B 16,777,216"));
  EXPECT_TRUE(contains(text, "TCP_TOTAL_CACHE_ACCESSES 16,777,216"));
  EXPECT_TRUE(contains(text, "SQC_DCACHE_REQ 8,000"));
  EXPECT_TRUE(contains(text, "SQC_DCACHE_MISSES_DUPLICATE 720"));
  EXPECT_FALSE(contains(text, "lts__"));
}

TEST(SimulationText, CountersOfNvidia) {
  const std::string text = simulation_text(nvidia_sample(), "gemm.toml", {});
  EXPECT_TRUE(contains(text, "GPU NVIDIA H100 SXM (h100) occupancy 1 block")) << text;
  EXPECT_TRUE(contains(text, "about 255 registers per thread, 192 KiB of shared memory per block"));
  EXPECT_TRUE(contains(text, "time 1.23 ms predicted, limited by compute"));
  EXPECT_TRUE(contains(text, "L2 to memory 1,000,000 27.5 MiB 3.05 MiB"));
  EXPECT_TRUE(contains(text, "other partition 700,000"));
  EXPECT_TRUE(contains(text, "lts__t_sectors.sum 5,000,000"));
  EXPECT_TRUE(contains(text, "lts__t_sectors_lookup_hit.sum 4,000,000"));
  EXPECT_TRUE(contains(text, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum 4,000,000"));
  EXPECT_TRUE(contains(text, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum 500,000"));
  EXPECT_TRUE(contains(text, "lts__t_requests_srcunit_tex_op_read.sum 900,000"));
  EXPECT_TRUE(contains(text, "lts__t_sectors_srcunit_ltcfabric.sum 700,000"));
  EXPECT_TRUE(contains(text, "dram__bytes_read.sum 28,800,000"));
  EXPECT_TRUE(contains(text, "dies 1: 2,048 blocks, L2 hit rate 80.0 %, done after 1.23 ms"));
  EXPECT_TRUE(contains(text, "note registers and shared memory are estimated"));
  EXPECT_FALSE(contains(text, "TCC_"));
}

TEST(SimulationText, DiesOnOneLineWhenAlike) {
  SimResult result = amd_sample();
  EXPECT_TRUE(contains(simulation_text(result, "copy.toml", {}),
                       "dies 8 alike: 32,768 blocks, L2 hit rate 33.3 %, done after 512 us, "
                       "slots 97 % busy"));
  EXPECT_FALSE(contains(simulation_text(result, "copy.toml", {}), "imbalance"));
  result.dies[3].blocks -= 1;
  EXPECT_TRUE(
      contains(simulation_text(result, "copy.toml", {}), "8 alike: 32,767 to 32,768 blocks"));
  result.dies[3].time_us = 1024;
  const std::string text = simulation_text(result, "copy.toml", {});
  EXPECT_FALSE(contains(text, "alike"));
  EXPECT_TRUE(contains(text, "imbalance dies 1.78 by time (largest over mean)")) << text;
  EXPECT_TRUE(contains(text, "die blocks L2 requests hit rate read written done after busy"));
  EXPECT_TRUE(contains(text, "3 32,767 3,145,728 33.3 % 128 MiB 128 MiB 1.02 ms 97 %"));
}

TEST(SimulationText, ManyDiesAreCutOff) {
  SimResult result = amd_sample();
  while (result.dies.size() < 40) result.dies.push_back(result.dies.front());
  result.dies[1].time_us = 5;
  EXPECT_TRUE(contains(simulation_text(result, "copy.toml", {}), "... and 24 dies more"));
}

TEST(SimulationText, ChannelsThatAreHotterThanOthers) {
  SimResult result = amd_sample();
  for (DieResult& die : result.dies) die.channels[5].cache.requests *= 16;
  EXPECT_TRUE(contains(simulation_text(result, "copy.toml", {}),
                       "imbalance L2 channels 8.26 by requests (largest over mean)"));
}

TEST(SimulationText, Causes) {
  SimResult result = amd_sample();
  EXPECT_FALSE(contains(simulation_text(result, "copy.toml", {}), "first touch"));
  result.causes = MissCauses{8388608, 4194304, 4194304, 0};
  EXPECT_TRUE(
      contains(simulation_text(result, "copy.toml", {}),
               "L2 misses first touch 8,388,608 (50 %), conflict 4,194,304 (25 %), capacity "
               "4,194,304 (25 %)"));
}

TEST(SimulationText, NoMisses) {
  SimResult result = amd_sample();
  result.causes = MissCauses{};
  EXPECT_TRUE(contains(simulation_text(result, "copy.toml", {}), "L2 misses none"));
}

TEST(SimulationText, Sampling) {
  SimResult result = amd_sample();
  result.sample = {true, 0.0625, 0.3, 20'000'000, 0.42};
  EXPECT_TRUE(
      contains(simulation_text(result, "copy.toml", {}),
               "sampled 1 in 16 cache sets, 30 % of the launch: 20,000,000 requests "
               "replayed, counts scaled to the launch; L2 hit rate 33.3 % give or take 0.42 "
               "points (two standard errors)"));
}

TEST(SimulationText, IntervalsStandBesideTheFigures) {
  SimResult result = amd_sample();
  result.hbm_read_bytes = 1 << 20;
  result.time_us = 100;
  result.limited_by = "memory";
  result.sample = {true, 0.0625, 0.3, 20'000'000, 0.42};
  result.intervals = {Interval{30.25, 38},  Interval{1 << 19, 1 << 21}, Interval{90, 120.4},
                      Interval{0.95, 1.05}, "mi300x, all kinds",        12};
  const std::string text = simulation_text(result, "copy.toml", {});
  EXPECT_TRUE(contains(
      text, "time 100 us predicted (90 us to 120 us in 4 of 5 kernels like it), limited by memory"))
      << text;
  EXPECT_TRUE(contains(text,
                       "intervals L2 hit rate 30.2 to 38.0 %, 512 KiB to 2 MiB read from HBM; 80 % "
                       "intervals, that of the time from 12 kernel families (mi300x, all kinds)"))
      << text;
  EXPECT_FALSE(contains(text, "give or take")) << "the interval holds the error of the sample";
  const nlohmann::json written = simulation_json(result, "copy.toml");
  EXPECT_EQ(written["intervals"]["time_us"]["high"], 120.4);
  EXPECT_EQ(written["intervals"]["speedup_factor"]["low"], 0.95);
  EXPECT_EQ(written["intervals"]["families"], 12);
  EXPECT_TRUE(simulation_json(amd_sample(), "a")["intervals"]["time_us"].is_null());
}

TEST(SimulationText, WarningsAndNotesStandAtTheEnd) {
  SimResult result = amd_sample();
  result.permutation = false;
  result.gpu_calibrated = false;
  result.blocks = 262000;
  result.blocks_idle = 144;
  result.notes = {"launch ids 0 and 1 both compute tile 0"};
  const std::string text = simulation_text(result, "copy.toml", {});
  EXPECT_TRUE(contains(text, "idle 144 of 262,144 blocks, without a tile"));
  EXPECT_TRUE(contains(text, "warning the order is not a permutation"));
  EXPECT_TRUE(contains(text, "note mi300x is uncalibrated"));
  EXPECT_TRUE(contains(text, "note launch ids 0 and 1 both compute tile 0"));
  EXPECT_GT(text.find("warning"), text.find("TCC_REQ"));
}

TEST(SimulationText, KeepsTo100Columns) {
  expect_100_columns(nvidia_sample());
  SimResult result = amd_sample();
  result.causes = MissCauses{16777216, 0, 0, 0};
  result.sample = {true, 0.01, 0.01, 20'000'000, 0.1};
  result.permutation = result.gpu_calibrated = false;
  result.occupancy.estimated = result.occupancy.shared_estimated = true;
  expect_100_columns(result);
  result.dies[0].time_us = 1;
  result.l2.cache.requests = result.l2.writes = std::int64_t{1} << 50;
  expect_100_columns(result);
}

TEST(SimulationText, ColoursOnlyWhenAsked) {
  EXPECT_EQ(simulation_text(amd_sample(), "copy.toml", {false}).find('\x1b'), std::string::npos);
  EXPECT_NE(simulation_text(amd_sample(), "copy.toml", {true}).find("\x1b[1mcopy.toml\x1b[0m"),
            std::string::npos);
}

TEST(SimulationText, NoRequestsAtAll) {
  SimResult result;
  result.gpu = "mi300x";
  result.causes = MissCauses{};
  result.dies = {DieResult{}, DieResult{}};
  result.sample.sampled = true;
  const std::string text = simulation_text(result, "empty.toml", {});
  EXPECT_EQ(text.find("nan"), std::string::npos) << text;
  EXPECT_EQ(text.find("inf"), std::string::npos) << text;
  EXPECT_TRUE(contains(text, "L2 0 0 0 - "));
  EXPECT_TRUE(contains(text, "0 B moved of at least 0 B"));
  result.dies.clear();
  EXPECT_FALSE(simulation_text(result, "empty.toml", {}).empty());
}

TEST(SimulationJson, TheFieldsOfTheSchema) {
  const json result = simulation_json(amd_sample(), "copy.toml");
  EXPECT_EQ(result.at("version"), 1);
  EXPECT_EQ(result.at("gpu"), "mi300x");
  EXPECT_EQ(result.at("order"), "identity");
  EXPECT_EQ(result.at("permutation"), true);
  const json& l2 = result.at("l2");
  EXPECT_EQ(l2.at("requests"), 25165824);
  EXPECT_EQ(l2.at("hits"), 8388608);
  EXPECT_EQ(l2.at("misses"), 16777216);
  EXPECT_DOUBLE_EQ(l2.at("hit_rate_pct"), 100.0 / 3);
  EXPECT_EQ(l2.at("by_cause"), nullptr);
  EXPECT_EQ(l2.at("read_bytes"), kGibibyte);
  EXPECT_EQ(result.at("l1").at("misses"), 8388608);
  EXPECT_EQ(result.at("last_level").at("requests"), 16777216);
  EXPECT_EQ(result.at("hbm"), json({{"read_bytes", kGibibyte}, {"write_bytes", kGibibyte}}));
  EXPECT_EQ(result.at("predicted_time_us"), 512.4);
  EXPECT_EQ(result.at("limited_by"), "memory");
  EXPECT_EQ(result.at("sampled"), false);
  EXPECT_EQ(result.at("bound").at("bytes"), 2 * kGibibyte);
  EXPECT_DOUBLE_EQ(result.at("bound").at("hit_rate_pct"), 100.0 / 3);
  EXPECT_EQ(result.at("dies").size(), 8U);
}

TEST(SimulationJson, MoreFields) {
  const json result = simulation_json(amd_sample(), "copy.toml");
  EXPECT_EQ(result.at("job"), "copy.toml");
  EXPECT_EQ(result.at("kernel"), "copy_kernel");
  EXPECT_EQ(result.at("grid"), json({262144}));
  EXPECT_EQ(result.at("mode"), "SPX");
  EXPECT_EQ(result.at("occupancy").at("blocks"), 8);
  EXPECT_EQ(result.at("utilization").at("memory"), 96);
  EXPECT_EQ(result.at("scalar_cache").at("duplicate_misses"), 720);
  EXPECT_EQ(result.at("counters").at("TCC_BUBBLE"), 8388608);
  EXPECT_EQ(result.at("far_sectors"), nullptr);
  const json& die = result.at("dies").at(3);
  EXPECT_EQ(die.at("blocks"), 32768);
  EXPECT_EQ(die.at("time_us"), 512);
  EXPECT_EQ(die.at("l2").at("requests"), 3 << 20);
  EXPECT_EQ(die.at("counters").at("TCP_TCC_WRITE_REQ"), 2 << 20);
  EXPECT_EQ(die.at("channels").size(), 16U);
  EXPECT_EQ(die.at("channels").at(15).at("TCC_MISS"), 2 << 16);
  EXPECT_EQ(result.at("imbalance").at("dies_by_time"), 1.0);
}

TEST(SimulationJson, CausesSamplingAndAbsentLevels) {
  SimResult sample = amd_sample();
  sample.causes = MissCauses{1, 2, 3, 4};
  sample.dies[0].causes = MissCauses{1, 0, 0, 0};
  sample.sample = {true, 0.0625, 0.25, 20'000'000, 0.42};
  sample.last_level.reset();
  sample.scalar.reset();
  sample.permutation = false;
  const json result = simulation_json(sample, "copy.toml");
  EXPECT_EQ(result.at("l2").at("by_cause"),
            json({{"first_touch", 1}, {"capacity", 2}, {"conflict", 3}, {"other_die", 4}}));
  EXPECT_EQ(result.at("dies").at(0).at("l2").at("by_cause").at("first_touch"), 1);
  EXPECT_EQ(result.at("dies").at(1).at("l2").at("by_cause"), nullptr);
  EXPECT_EQ(result.at("sampled"), true);
  EXPECT_EQ(result.at("sample").at("share_of_sets"), 0.0625);
  EXPECT_EQ(result.at("sample").at("hit_rate_error_pct"), 0.42);
  EXPECT_EQ(result.at("last_level"), nullptr);
  EXPECT_EQ(result.at("scalar_cache"), nullptr);
  EXPECT_EQ(result.at("permutation"), false);
}

TEST(SimulationJson, Nvidia) {
  const json result = simulation_json(nvidia_sample(), "gemm.toml");
  EXPECT_EQ(result.at("mode"), nullptr);
  EXPECT_EQ(result.at("far_sectors"), 700000);
  EXPECT_EQ(result.at("counters").at("lts__t_sectors_lookup_miss.sum"), 1000000);
  EXPECT_EQ(result.at("counters").at("dram__bytes_write.sum"), 3200000);
  EXPECT_FALSE(result.at("counters").contains("TCC_REQ"));
  EXPECT_EQ(result.at("dies").at(0).at("channels"), json::array());
}

TEST(SimulationJson, NoRequestsAtAll) {
  SimResult empty;
  empty.dies = {DieResult{}};
  empty.last_level = CacheCounts{};
  const json result = simulation_json(empty, "empty.toml");
  EXPECT_EQ(result.at("l2").at("hit_rate_pct"), nullptr);
  EXPECT_EQ(result.at("last_level").at("hit_rate_pct"), nullptr);
  EXPECT_EQ(result.at("imbalance").at("channels_by_requests"), 1.0);
  EXPECT_EQ(result.dump().find("nan"), std::string::npos);
}

TEST(SimulationCounters, FabricReadsOfEverySize) {
  L2Counts counts;
  counts.fabric_reads_128 = 4;
  counts.fabric_reads_64 = 2;
  counts.fabric_reads_32 = 1;
  counts.fabric_writes_64 = 8;
  counts.fabric_writes_32 = 16;
  std::map<std::string, std::int64_t> values;
  for (const NamedCounter& counter : l2_counters(counts, CounterNames::gfx942))
    values[counter.name] = counter.value;
  EXPECT_EQ(values.at("TCC_EA0_RDREQ"), 7);
  EXPECT_EQ(values.at("TCC_BUBBLE"), 4);
  EXPECT_EQ(values.at("TCC_EA0_RDREQ_32B"), 1);
  EXPECT_EQ(values.at("TCC_EA0_WRREQ"), 24);
  EXPECT_EQ(values.at("TCC_EA0_WRREQ_64B"), 8);
}

TEST(SimulationCounters, BeforeGfx942TheFabricHasAnotherNameAndNoReadsOfALine) {
  std::set<std::string> names;
  for (const NamedCounter& counter : l2_counters({}, CounterNames::gfx90a))
    names.insert(counter.name);
  EXPECT_TRUE(names.contains("TCC_EA_RDREQ"));
  EXPECT_FALSE(names.contains("TCC_EA0_RDREQ"));
  EXPECT_FALSE(names.contains("TCC_BUBBLE"));
}

/// The figures that Omniperf shows for the first of the yAx exercises on an MI210.
SimResult native_sample() {
  SimResult result;
  result.gpu = "mi210";
  result.counter_names = CounterNames::gfx90a;
  result.lanes_counted = true;
  result.waves = 2;
  result.l1.cache = {131'076, 65'538, 65'538};
  result.l1.atomics = result.l1.atomics_to_l2 = 64;
  result.l1.reads_to_l2 = 65'538;
  result.l1.read_requests = 524'304;
  result.l1.atomic_requests = 64;
  return result;
}

TEST(SimulationText, CxxKernelsHaveLookupsAndLaneRequests) {
  const std::string text = simulation_text(native_sample(), "yax.toml", {});
  EXPECT_TRUE(contains(text,
                       "L1 lookups 131,140 for 524,368 lane requests; 50.0 % of them send no "
                       "request to the L2"))
      << text;
  EXPECT_TRUE(contains(text, "TCP_TOTAL_CACHE_ACCESSES 131,140"));
  EXPECT_TRUE(contains(text, "TCP_TOTAL_READ 524,304"));
  EXPECT_FALSE(contains(simulation_text(amd_sample(), "copy.toml", {}), "L1 lookups"));
}

TEST(SimulationJson, CxxKernelsHaveLookupsAndLaneRequests) {
  const auto native = simulation_json(native_sample(), "yax.toml");
  EXPECT_EQ(native["waves"], 2);
  EXPECT_EQ(native["l1"]["accesses"], 131'140);
  EXPECT_EQ(native["l1"]["read_requests"], 524'304);
  EXPECT_EQ(native["l1"]["atomic_requests"], 64);
  EXPECT_NEAR(native["l1"]["hit_rate_of_accesses_pct"].get<double>(), 49.98, 0.005);
  EXPECT_TRUE(simulation_json(amd_sample(), "copy.toml")["l1"]["read_requests"].is_null());
}

TEST(SimulationText, RegistersOfCxxKernelsAreEstimatedAlone) {
  SimResult result = native_sample();
  result.occupancy.estimated = true;
  EXPECT_TRUE(contains(simulation_text(result, "yax.toml", {}), "note registers are estimated"));
}

TEST(SimulationCounts, AddUp) {
  const SimResult sample = amd_sample();
  L2Counts sum;
  for (const DieResult& die : sample.dies) sum += die.l2;
  EXPECT_EQ(sum.cache.requests, sample.l2.cache.requests);
  EXPECT_EQ(sum.writebacks, 8 << 20);
  EXPECT_EQ(sum.read_bytes(), kGibibyte);
  ScalarCounts scalar{{10, 8, 1}, 1};
  scalar += ScalarCounts{{5, 1, 2}, 2};
  EXPECT_EQ(scalar.cache.requests, 15);
  EXPECT_EQ(scalar.duplicate_misses, 3);
  L1Counts l1;
  l1.atomics = l1.atomics_to_l2 = 3;
  l1 += l1;
  EXPECT_EQ(l1.atomics, 6);
  EXPECT_EQ(l1.atomics_to_l2, 6);
  l1.repeats = l1.read_requests = l1.write_requests = l1.atomic_requests = 5;
  l1 += l1;
  EXPECT_EQ(l1.accesses(), 22);
  EXPECT_EQ(l1.lane_requests(), 30);
}

}  // namespace
}  // namespace heddle::report
