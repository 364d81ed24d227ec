#include "tiles/launch.h"

#include <gmock/gmock.h>

#include <numeric>
#include <set>

#include "order/compact.h"
#include "tiles/find.h"
#include "tiles/settings.h"

namespace heddle::tiles {
namespace {

using ::testing::ElementsAre;

std::string job_of(const std::string& name) {
  return std::string(HEDDLE_TESTS_DIR) + "/tiles/kernels/" + name + ".toml";
}

TileLaunch launch_of(const std::string& name, const std::vector<std::string>& overrides = {}) {
  const auto loaded =
      std::make_shared<const kernel::LoadedKernel>(kernel::load_kernel(job_of(name), overrides));
  return tile_launch(loaded, find_tile_space(job_of(name), overrides, *loaded));
}

order::Map counted(std::size_t count) {
  order::Map map(count);
  std::iota(map.begin(), map.end(), 0);
  return map;
}

TEST(TileLaunch, GroupedGemmHasABoxAndItsOwnOrder) {
  const TileLaunch launch = launch_of("gemm_grouped");
  ASSERT_TRUE(launch.is_lifted);
  EXPECT_EQ(launch.orders.launch.axes(), 1);
  ASSERT_TRUE(launch.orders.tiles);
  EXPECT_EQ(launch.orders.tile_count(), launch.space.count());
  EXPECT_FALSE(launch.is_persistent());
  ASSERT_FALSE(launch.own_order.empty());
  EXPECT_EQ(launch.own,
            order::materialize(order::read_compact(launch.own_order), launch.orders, {}));
  // The kernel's own order leaves every block where it is.
  EXPECT_EQ(launch.schedule(launch.own), counted(launch.own.size()));
}

TEST(TileLaunch, EveryTileHasOneBlock) {
  for (const char* name : {"gemm_grouped", "gemm_splitk", "bmm_packed", "gqa_line", "attention_hz",
                           "persistent_strided", "persistent_chunked", "persistent_grouped"}) {
    const TileLaunch launch = launch_of(name);
    ASSERT_TRUE(launch.is_lifted) << name << ": " << launch.refusal;
    EXPECT_TRUE(order::invert(launch.block_of)) << name;
    EXPECT_TRUE(order::invert(launch.own)) << name;
    EXPECT_EQ(launch.single->launch.grid.count(), launch.space.count()) << name;
  }
}

/// 30 blocks are no multiple of 4 dies; 32 are, and two of them have no tile.
TEST(TileLaunch, ARunOfBlocksIsARunOfTiles) {
  const TileLaunch launch = launch_of("gemm_grouped");
  TileRun run;
  run.tiles = launch.schedule(launch.own);
  const TileRun in_box = launch.in_box(run);
  EXPECT_EQ(in_box.tiles, launch.own);
  ASSERT_EQ(in_box.axes.size(), 2U);
  EXPECT_EQ(in_box.axes[0].name, launch.space.coordinates[0].name);
  EXPECT_EQ(in_box.tile_count(), launch.orders.tile_count());
}

TEST(TileLaunch, SingleBlocksAreAMultipleOfTheKernelsOwn) {
  const TileLaunch launch = launch_of("../other/persistent_xcd");
  ASSERT_TRUE(launch.is_lifted) << launch.refusal;
  EXPECT_EQ(launch.single->launch.grid.count(), 32);
  ASSERT_EQ(launch.block_of.size(), 30U);
  EXPECT_EQ(std::set(launch.block_of.begin(), launch.block_of.end()).size(), 30U);
  EXPECT_EQ(launch.blocks, 8);
}

TileSpace space_of_function(const std::string& name, const std::string& function) {
  config::Job job = config::read_job(job_of(name), {});
  job.function = function;
  const auto source = kernel::Source::open(job.kernel_path);
  const config::Launch launch = source->launch(job).launch;
  return find_tile_space(source->compile(launch), launch);
}

/// Which elements a block does is up to its threads.
TEST(TileLaunch, GridStrideLoopsAreRefused) {
  for (const char* function : {"grid_stride", "grid_stride_while"})
    EXPECT_THAT(space_of_function("../other/grid_stride", function).refusal,
                ::testing::HasSubstr("a grid-stride loop"))
        << function;
  EXPECT_TRUE(space_of_function("../other/grid_stride", "grid_once").is_launch_grid);
}

TEST(TileLaunch, BlocksThatTakeTheirIndexAreNotLifted) {
  const TileLaunch launch = launch_of("bmm_grid3");
  EXPECT_FALSE(launch.is_lifted);
  EXPECT_EQ(launch.refusal, "");
  EXPECT_EQ(launch.orders.launch.extents(), launch.single->launch.grid.extents());
  const order::Map map = {2, 0, 1};
  EXPECT_EQ(launch.schedule(map), map);
}

TEST(TileLaunch, RoundsOfPersistentBlocksFollowOneAnother) {
  const TileLaunch launch = launch_of("persistent_strided");  // 6 x 5 tiles on 8 blocks
  ASSERT_TRUE(launch.is_persistent());
  EXPECT_EQ(launch.blocks, 8);
  const order::Map schedule = launch.schedule(launch.own);
  ASSERT_EQ(schedule.size(), 32U);
  EXPECT_EQ(schedule[8], launch.block_of[8]);  // round 1 of block 0 is turn 8
  EXPECT_THAT(std::vector<std::int64_t>(schedule.end() - 2, schedule.end()), ElementsAre(-1, -1));
}

TEST(TileLaunch, ChunksBecomeRounds) {
  const TileLaunch launch = launch_of("persistent_chunked");
  ASSERT_TRUE(launch.is_persistent());
  ASSERT_EQ(launch.space.walk, TileSpace::Walk::chunked);
  const order::Map schedule = launch.schedule(launch.own);
  const std::int64_t second = launch.space.first[1];
  EXPECT_EQ(
      schedule[1],
      launch.block_of[static_cast<std::size_t>(launch.own[static_cast<std::size_t>(second)])]);
}

TEST(TileLaunch, BlocksWithoutATileAreRefused) {
  const TileLaunch launch = launch_of("gemm_padded");
  EXPECT_FALSE(launch.is_lifted);
  EXPECT_EQ(launch.refusal, "3 blocks have no tile");
}

TEST(KnobSettings, OtherGroupsAreOrdersWithoutAPatch) {
  const TileLaunch launch = launch_of("gemm_grouped");
  ASSERT_EQ(launch.space.knobs.size(), 1U);
  std::vector<std::string> orders;
  for (const KnobSetting& one : knob_settings(launch, job_of("gemm_grouped"), {}, 8)) {
    EXPECT_NE(one.own, launch.own) << one.text();
    EXPECT_TRUE(order::invert(one.own)) << one.text();
    orders.push_back(one.own_order);
  }
  EXPECT_THAT(orders, ::testing::Contains("group(2)"));
}

}  // namespace
}  // namespace heddle::tiles
