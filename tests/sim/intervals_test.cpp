#include "sim/intervals.h"

#include <gtest/gtest.h>

#include "config/gpu_testing.h"
#include "support/error.h"

namespace heddle::sim {
namespace {

constexpr const char* kTable = R"(# a comment
gpu,limited_by,tiles,replay,figure,low,high,families,points
test,memory,equal,whole,time,0.9,1.2,12,40
test,any,any,any,time,0.8,1.5,20,80
test,any,any,any,L2 hit rate,-4,6,20,80
amd,any,any,any,DRAM reads,0.75,1.25,21,90
any,any,any,any,speedup,0.95,1.06,30,99
)";

SimResult memory_bound() {
  SimResult result;
  result.l2.cache = {100, 97, 3};
  result.hbm_read_bytes = 4096;
  result.time_us = 10;
  result.limited_by = "memory";
  return result;
}

config::Gpu test_gpu() {
  config::Gpu gpu = heddle::testing::gpu_of(heddle::testing::gpu_file({}));
  gpu.name = "test";
  return gpu;
}

TEST(Intervals, each_figure_takes_the_narrowest_scope) {
  const IntervalTable table = parse_intervals(kTable, "t.csv");
  const PredictionIntervals found = intervals_of(memory_bound(), test_gpu(), table);
  EXPECT_DOUBLE_EQ(found.time_us->low, 9);
  EXPECT_DOUBLE_EQ(found.time_us->high, 12);
  EXPECT_EQ(found.learnt_from, "test, memory, equal tiles");
  EXPECT_EQ(found.families, 12);
  EXPECT_DOUBLE_EQ(found.l2_hit_pct->low, 93);
  EXPECT_DOUBLE_EQ(found.l2_hit_pct->high, 100) << "no more than all";
  EXPECT_DOUBLE_EQ(found.hbm_read_bytes->low, 3072);
  EXPECT_DOUBLE_EQ(found.hbm_read_bytes->high, 5120);
  EXPECT_DOUBLE_EQ(found.speedup->low, 0.95);
}

TEST(Intervals, other_kinds_and_gpus_fall_back) {
  const IntervalTable table = parse_intervals(kTable, "t.csv");
  SimResult unequal = memory_bound();
  unequal.tile_spread = kUnequalTiles;
  EXPECT_DOUBLE_EQ(intervals_of(unequal, test_gpu(), table).time_us->high, 15);
  EXPECT_EQ(intervals_of(unequal, test_gpu(), table).learnt_from, "test, all kinds");
  config::Gpu other = test_gpu();
  other.name = "other";
  const PredictionIntervals found = intervals_of(memory_bound(), other, table);
  EXPECT_FALSE(found.time_us) << "its vendor has none, nor have all GPUs";
  EXPECT_FALSE(found.l2_hit_pct);
  EXPECT_TRUE(found.hbm_read_bytes);
  other.vendor = config::Vendor::nvidia;
  EXPECT_FALSE(intervals_of(memory_bound(), other, table).hbm_read_bytes);
  EXPECT_TRUE(intervals_of(memory_bound(), other, table).speedup);
}

TEST(Intervals, samples_are_no_surer_than_their_sets) {
  const IntervalTable table = parse_intervals(kTable, "t.csv");
  SimResult sampled = memory_bound();
  sampled.l2.cache = {100, 50, 50};
  sampled.sample.sampled = true;
  sampled.sample.hit_rate_error_pct = 5;
  const PredictionIntervals found = intervals_of(sampled, test_gpu(), table);
  EXPECT_DOUBLE_EQ(found.l2_hit_pct->low, 45);
  EXPECT_DOUBLE_EQ(found.l2_hit_pct->high, 56);
  EXPECT_EQ(found.learnt_from, "test, all kinds");
}

TEST(Intervals, tables_are_written_as_they_are_read) {
  const IntervalTable table = parse_intervals(kTable, "t.csv");
  EXPECT_EQ(table.rows().size(), 5U);
  EXPECT_EQ("# a comment\n" + table.text(), kTable);
}

TEST(Intervals, bad_tables_name_the_line) {
  const auto message = [](const std::string& row) -> std::string {
    try {
      parse_intervals("gpu,limited_by,tiles,replay,figure,low,high,families,points\n" + row, "t");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return "none";
  };
  EXPECT_EQ(message("a,any,any,any,time,1,2,5,5\n"), "none");
  EXPECT_NE(message("a,any,any,any,time,1,2,5\n").find("8 fields"), std::string::npos);
  EXPECT_NE(message("a,any,any,any,times,1,2,5,5\n").find("not a figure"), std::string::npos);
  EXPECT_NE(message("a,any,any,any,time,x,2,5,5\n").find("not a number"), std::string::npos);
  EXPECT_NE(message("a,any,any,any,time,3,2,5,5\n").find("ends before"), std::string::npos);
  EXPECT_NE(message("a,memory,some,whole,time,1,2,5,5\n").find("'equal'"), std::string::npos);
  EXPECT_THROW(parse_intervals("", "t"), Error);
}

/// What ships: every figure of NVIDIA's; of AMD's, DRAM reads were not measured, and gains are too few.
TEST(Intervals, the_known_table_has_what_was_measured) {
  for (const Figure figure : kFigures) {
    for (const char* gpu : {"h200", "nvidia"})
      EXPECT_NE(known_intervals().find({{gpu, {}}}, figure), nullptr) << figure_text(figure);
    EXPECT_EQ(known_intervals().find({{"amd", {}}}, figure) != nullptr,
              figure != Figure::dram_reads && figure < Figure::gain_less)
        << figure_text(figure);
  }
}

}  // namespace
}  // namespace heddle::sim
