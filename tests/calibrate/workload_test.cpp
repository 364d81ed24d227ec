#include "calibrate/workload.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "calibrate/points.h"
#include "calibrate/score.h"
#include "calibrate/testing.h"
#include "order/order.h"
#include "support/error.h"

namespace heddle::calibrate {
namespace {

const std::vector<std::string> kSmall = {"rows=256", "columns=256"};

std::string error_of(const MeasuredPoint& wrong) {
  try {
    workload("stencil_2d", kSmall, {wrong});
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

TEST(Workload, groups_keep_the_order_of_the_tables) {
  std::vector<MeasuredPoint> points(5, point("identity", 1));
  for (std::size_t i = 0; i < points.size(); ++i) points[i].line = static_cast<int>(i);
  points[0].job = points[1].job = points[2].job = "a";
  points[1].gpu = "other";
  points[2].overrides = {"M=1"};
  points[3].job = "b";
  points[4].job = "a";
  points.push_back(points[3]);
  points[3].overrides = {"M=1", "N=2"};
  points[5].overrides = {"N=2", "M=1"};
  const auto groups = group_points(points);
  ASSERT_EQ(groups.size(), 4U);
  EXPECT_EQ(groups[3].points.size(), 2U) << "the order of overrides says nothing";
  EXPECT_EQ(groups[0].points.size(), 2U);
  EXPECT_EQ(groups[0].points[1].line, 4);
  EXPECT_EQ(groups[1].gpu, "other");
  EXPECT_EQ(groups[2].overrides.size(), 1U);
  EXPECT_EQ(groups[3].job, "b");
}

TEST(Workload, finds_permutations_by_itself) {
  const Workload found = workload(
      "stencil_2d", kSmall,
      {point("xcd(8)", 1), point("0, p0", 1), point("p0 + p1*8 + 60", 1), point("p0, p1", 1)});
  ASSERT_EQ(found.orders().size(), 5U);
  EXPECT_TRUE(found.orders()[0].permutation);
  EXPECT_FALSE(found.orders()[1].permutation);
  EXPECT_FALSE(found.orders()[2].permutation);
  EXPECT_TRUE(found.orders()[3].permutation);
  EXPECT_EQ(found.baseline(), 4U) << "no point is one, so identity is added";
  EXPECT_EQ(found.orders()[4].map, found.orders()[3].map);
}

TEST(Workload, baseline_is_identity_then_a_speedup_of_one) {
  const auto baseline = [](const std::vector<MeasuredPoint>& points) {
    return workload("stencil_2d", kSmall, points).baseline();
  };
  EXPECT_EQ(baseline({point("xcd(8)", 1, 1.0), point("identity", 1), point("identity", 2)}), 1U);
  EXPECT_EQ(baseline({point("xcd(8)", 1, 2.0), point("columns", 1, 1.0)}), 1U);
}

TEST(Workload, speedups_come_from_times_where_there_are_none) {
  std::vector<MeasuredPoint> points = {point("identity", 1), point("xcd(8)", 1),
                                       point("columns", 1, 3), point("reverse", 1)};
  points[0].time_us = 12;
  points[1].time_us = 8;
  points[2].time_us = 1;
  const Workload found = workload("stencil_2d", kSmall, points);
  EXPECT_FALSE(found.measured_speedup(0));
  EXPECT_DOUBLE_EQ(*found.measured_speedup(1), 1.5);
  EXPECT_DOUBLE_EQ(*found.measured_speedup(2), 3);
  EXPECT_FALSE(found.measured_speedup(3));
}

TEST(Workload, tiles_make_walks_possible_on_a_line) {
  MeasuredPoint windowed = point("xcd_chunk(8, 2) | group(2)", 1);
  windowed.tiles = "4x4";
  const Workload found = workload("gemm_9216", {"M=768", "N=1024", "K=128"}, {windowed});
  EXPECT_TRUE(found.orders()[0].permutation);
}

TEST(Workload, orders_are_of_the_tiles_that_a_kernel_unpacks) {
  const Workload found = workload("gemm_grouped", {"M=1024", "N=1024", "K=128"},
                                  {point("group(8)", 1, 1), point("identity", 1, 0.9)});
  EXPECT_EQ(found.baseline(), 0U);
  const auto count = static_cast<std::int64_t>(found.orders()[0].map.size());
  for (std::int64_t k = 0; k < count; ++k)
    EXPECT_EQ(found.orders()[0].map[static_cast<std::size_t>(k)], k);
  EXPECT_NE(found.orders()[1].map, found.orders()[0].map);
  EXPECT_TRUE(found.orders()[1].permutation);
}

TEST(Workload, errors_name_the_row) {
  EXPECT_EQ(error_of(point("xcd(0)", 1)).substr(0, 11), "t.csv:7:1: ");
  EXPECT_EQ(error_of(point("p0 +", 1)).substr(0, 11), "t.csv:7:1: ");
  EXPECT_EQ(error_of(point("-", 1)).substr(0, 11), "t.csv:7:1: ");
  MeasuredPoint tiles = point("group(2)", 1);
  tiles.tiles = "4x4";
  EXPECT_EQ(error_of(tiles),
            "t.csv:7:1: tiles 4x4 has 16 tiles, the kernel's grid 8x8 has 64\n"
            "  try: give as many tiles as the kernel has, or leave tiles empty");
  tiles.tiles = "1..2";
  EXPECT_NE(error_of(tiles).find("not a range"), std::string::npos);
  EXPECT_EQ(error_of(point("identity", 1, 0.5)),
            "t.csv:7:1: the baseline's speedup is 0.5\n"
            "  try: write 1, or leave the field empty: speedups are against this row");
  EXPECT_NE(error_of(point("orders/mine.py", 1)).find("the name of a file"), std::string::npos);
  try {
    workload("copy", {"elements=16384"}, {point("group(4)", 1)});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.hint(), "fill in the column tiles: 48x36");
  }
  MeasuredPoint last = point("identity", {});
  last.last_level_hit_pct = 50;
  const Workload found = workload("stencil_2d", kSmall, {last});
  EXPECT_THROW(predict(found, small_gpu(), {}), Error) << "this GPU has no last level";
}

TEST(Workload, idle_blocks_are_told_of) {
  const Workload found =
      workload("copy", {"elements=65536"},
               {point("p0 // (p0 - p0)", 1), point("p0 + 1", 1), point("p0", 1)});
  EXPECT_EQ(found.orders()[0].note, "simulated as idle: 64 blocks with arithmetic that fails");
  EXPECT_EQ(found.orders()[1].note, "simulated as idle: 1 block with a tile outside the grid");
  EXPECT_EQ(found.orders()[2].note, "");
  const Error own = at_point(Error("no such size").at("job.toml", {3, 1}), point("p0", 1));
  EXPECT_EQ(own.full_text(), "job.toml:3:1: no such size (for t.csv:7)");
  EXPECT_EQ(at_point(Error("no").at("--set", {}), point("p0", 1)).full_text(), "t.csv:7:1: no");
}

TEST(Workload, names_tell_files_apart) {
  EXPECT_EQ(distinct_names({"a/k.toml", "b/k.toml", "a/k.toml", "a/j.toml"}),
            (std::vector<std::string>{"a/k.toml", "b/k.toml", "a/k.toml", "j"}));
  std::vector<ComparedGroup> groups(3);
  groups[0].job = groups[1].job = groups[2].job = "k.toml";
  groups[0].gpu = groups[1].gpu = "my:CPX";
  groups[2].gpu = "mi300x";
  groups[0].gpu_path = "a/my.toml";
  groups[1].gpu_path = "b/my.toml";
  name_groups(groups);
  EXPECT_EQ(groups[0].gpu, "a/my.toml:CPX");
  EXPECT_EQ(groups[1].gpu, "b/my.toml:CPX");
  EXPECT_EQ(groups[2].gpu, "mi300x");
  EXPECT_EQ(groups[2].label(), "k");
}

TEST(Workload, predicts_what_simulate_does) {
  const Workload found =
      workload("stencil_2d", kSmall, {point("xcd(8)", 40, 2.0), point("xcd(8)", 50, 1.5)});
  const config::Gpu gpu = small_gpu();
  const ComparedGroup compared = compare(found, gpu, {});
  const SimResult direct =
      sim::simulate(found.program(), found.launch(), gpu, found.orders()[0].map,
                    {.index_operations = found.orders()[0].operations});
  EXPECT_GT(found.orders()[0].operations, 0);
  const SimResult identity =
      sim::simulate(found.program(), found.launch(), gpu, found.orders()[2].map, {});
  ASSERT_EQ(compared.points.size(), 2U);
  const Prediction& predicted = compared.points[0].predicted;
  EXPECT_DOUBLE_EQ(predicted.l2_hit_pct, direct.l2.cache.hit_rate_pct());
  EXPECT_DOUBLE_EQ(predicted.time_us, direct.time_us);
  EXPECT_DOUBLE_EQ(predicted.speedup, identity.time_us / direct.time_us);
  EXPECT_DOUBLE_EQ(compared.points[1].predicted.time_us, direct.time_us);
  EXPECT_DOUBLE_EQ(*compared.points[1].l2_error(), predicted.l2_hit_pct - 50);
  EXPECT_EQ(compared.label(), "stencil_2d rows=256 columns=256");
}

/// The formulas of the tables that come with heddle are those of their sources, written anew.
TEST(Workload, own_tables_hold_the_published_maps) {
  struct Published {
    std::string job;
    std::string own;
    std::string theirs;
  };
  const std::vector<Published> pairs = {
      {"stencil_2d", "p1%8*32 + p0//8, p0%8*32 + p1//8",
       "n = p1 + 256*p0; k = 8192*(n%8) + n//8; y = k//256; x = k%256; y, x"},
      {"stencil_2d", "p0%8*32 + p1//8, p0//8*8 + p1%8",
       "n = p1 + 256*p0; q = n//8; k = n%8 + 8*(q//256) + 256*(q%256); y = k//256; x = k%256; y, "
       "x"},
      {"stencil_2d", "0, p0", "n = p1 + 256*p0; k = n//256%8 + 8*(n//2048); k//256, k%256"},
      {"stencil_2d", "p0//8*8 + p1//32, p1%32*8 + p0%8",
       "n = p1 + 256*p0; k = n//256%8 + 8*(n%256 + 256*(n//2048)); k//256, k%256"},
      {"stencil_2d", "p0//8*8 + p1//32, p1%32*8 + p1%8",
       "n = p1 + 256*p0; k = n%8 + 8*(n%256 + 256*(n//2048)); k//256, k%256"},
      {"spmv", "xcd(8)", "512*(p0%8) + p0//8"},
      {"spmv", "inverse(xcd(8))", "p0//512 + 8*(p0%512)"},
      {"ising", "xcd(8)", "n = p0 + 128*p1; k = 2048*(n%8) + n//8; k%128, k//128"},
      {"ising", "p1, 0", "n = p0 + 128*p1; k = n//128%8 + 8*(n//1024); k%128, k//128"}};
  for (const Published& pair : pairs) {
    const Workload both = workload(pair.job, {}, {point(pair.own, 1), point(pair.theirs, 1)});
    EXPECT_EQ(both.orders()[0].map, both.orders()[1].map) << pair.own;
  }
}

TEST(Workload, own_tables_can_be_read) {
  int tables = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(HEDDLE_TESTS_DIR) + "/../validation")) {
    if (entry.path().extension() != ".csv") continue;
    ++tables;
    for (const PointGroup& group : group_points(read_points(entry.path().string()))) {
      LoadedKernel loaded = load_kernel(group.job, group.overrides);
      const Workload found(group, std::move(loaded));
      EXPECT_EQ(found.group().points.size(), group.points.size());
      EXPECT_NO_THROW(config::read_gpu(group.gpu)) << group.gpu;
    }
  }
  EXPECT_GE(tables, 2);
}

// The limits of the whole table, on those of its kernels that take a moment.
// All of it: heddle validate validation/h200.csv --max-mean 5 --max-dram-mean 20.
TEST(Workload, own_table_of_the_h200_keeps_its_limits) {
  constexpr std::int64_t kMostBlocks = 20'000;
  const std::set<std::string> quick = {"spmv", "stencil_2d", "stencil_3d", "copy", "histogram"};
  std::vector<ComparedGroup> groups;
  const std::string table = std::string(HEDDLE_TESTS_DIR) + "/../validation/h200.csv";
  for (const PointGroup& group : group_points(read_points(table))) {
    if (!quick.contains(std::filesystem::path(group.job).stem().string())) continue;
    LoadedKernel loaded = load_kernel(group.job, group.overrides);
    if (loaded.launch.grid.count() > kMostBlocks) continue;
    const Workload found(group, std::move(loaded));
    groups.push_back(compare(found, config::read_gpu("h200"), {}));
  }
  const std::vector<GpuScore> scores = score_gpus(groups);
  ASSERT_EQ(scores.size(), 1U);
  EXPECT_GE(scores[0].points, 12);
  ValidationLimits limits;
  limits.mean_points = 3;
  limits.largest_points = 8;
  limits.dram_mean_pct = 5;
  limits.dram_error_pct = 15;
  for (const LimitBreach& breach : breaches_of(scores, limits))
    ADD_FAILURE() << breach.what << " is " << breach.value << " " << breach.unit;
}

}  // namespace
}  // namespace heddle::calibrate
