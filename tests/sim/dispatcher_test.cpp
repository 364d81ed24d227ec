#include "sim/units/dispatcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace heddle::sim {
namespace {

using ::testing::ElementsAre;

config::Gpu gpu_of(int dies, int units, int engines) {
  config::Gpu gpu;
  gpu.compute.dies = dies;
  gpu.compute.compute_units = units;
  gpu.compute.shader_engines = engines;
  return gpu;
}

order::Map identity(std::int64_t count) {
  order::Map map(static_cast<std::size_t>(count));
  std::iota(map.begin(), map.end(), 0);
  return map;
}

std::vector<std::int64_t> tiles_of(Dispatcher& dispatcher) {
  std::vector<std::int64_t> tiles;
  while (const auto start = dispatcher.next()) tiles.push_back(start->tile);
  return tiles;
}

std::vector<int> units_of(Dispatcher& dispatcher) {
  std::vector<int> units;
  while (const auto start = dispatcher.next()) units.push_back(start->unit);
  return units;
}

TEST(Dispatcher, launch_id_p_belongs_to_die_p_mod_dies) {
  const order::Map map = identity(20);
  for (int die = 0; die < 8; ++die) {
    Dispatcher dispatcher(gpu_of(8, 4, 2), die, 8, map, 20);
    std::vector<std::int64_t> expected;
    for (int p = die; p < 20; p += 8) expected.push_back(p);
    EXPECT_EQ(tiles_of(dispatcher), expected);
    EXPECT_TRUE(dispatcher.at_end());
    EXPECT_EQ(dispatcher.started(), static_cast<std::int64_t>(expected.size()));
  }
}

TEST(Dispatcher, blocks_run_the_tile_that_the_order_gives_them) {
  const order::Map map = {7, 3, 3, 0, 5, 1};
  Dispatcher dispatcher(gpu_of(2, 4, 2), 1, 8, map, 6);
  EXPECT_THAT(tiles_of(dispatcher), ElementsAre(3, 0, 1));
}

TEST(Dispatcher, an_engine_without_room_holds_nobody_up) {
  // Two engines of one unit each, one block a unit: when unit 1 is free, the next block goes there,
  // though it is the other engine's turn.
  const order::Map map = identity(4);
  Dispatcher dispatcher(gpu_of(1, 2, 2), 0, 1, map, 4);
  EXPECT_THAT(units_of(dispatcher), ElementsAre(0, 1));
  dispatcher.free(1);
  EXPECT_THAT(units_of(dispatcher), ElementsAre(1));
  dispatcher.free(1);
  EXPECT_THAT(units_of(dispatcher), ElementsAre(1));
  EXPECT_TRUE(dispatcher.at_end());
}

TEST(Dispatcher, persistent_blocks_go_on_where_they_are) {
  const order::Map map = {4, 3, 2, 1, 0, -1, 5};
  Dispatcher dispatcher(gpu_of(1, 4, 2), 0, 8, map, 7, 3);
  EXPECT_THAT(tiles_of(dispatcher), ElementsAre(4, 3, 2));
  EXPECT_EQ(dispatcher.after(0, 2)->tile, 1);
  EXPECT_EQ(dispatcher.after(0, 2)->unit, 2);
  EXPECT_EQ(dispatcher.after(3, 2)->tile, 5);
  EXPECT_FALSE(dispatcher.after(2, 0));  // turn 5 has no tile
  EXPECT_FALSE(dispatcher.after(6, 2));
}

TEST(Dispatcher, engines_take_turns) {
  const order::Map map = identity(6);
  Dispatcher dispatcher(gpu_of(1, 6, 3), 0, 1, map, 6);  // engines 0 1 | 2 3 | 4 5
  EXPECT_THAT(units_of(dispatcher), ElementsAre(0, 2, 4, 1, 3, 5));
}

TEST(Dispatcher, units_that_do_not_divide_make_the_first_engines_larger) {
  const order::Map map = identity(38);
  Dispatcher dispatcher(gpu_of(1, 38, 4), 0, 1, map, 38);  // 10, 10, 9, 9
  const std::vector<int> units = units_of(dispatcher);
  // 36 fit in turn, then engines 0 and 1 have one more unit each.
  EXPECT_EQ(units.size(), 38U);
  EXPECT_THAT(std::vector<int>(units.begin(), units.begin() + 4), ElementsAre(0, 10, 20, 29));
  EXPECT_THAT(std::vector<int>(units.end() - 2, units.end()), ElementsAre(9, 19));
}

TEST(Dispatcher, the_unit_with_the_most_free_places_gets_the_block) {
  const order::Map map = identity(10);
  Dispatcher dispatcher(gpu_of(1, 3, 1), 0, 2, map, 10);
  EXPECT_THAT(units_of(dispatcher), ElementsAre(0, 1, 2, 0, 1, 2));
  dispatcher.free(1);
  dispatcher.free(2);
  dispatcher.free(2);
  EXPECT_THAT(units_of(dispatcher), ElementsAre(2, 1, 2));
}

TEST(Dispatcher, ids_without_a_tile_take_no_turn) {
  const order::Map map = {0, -1, -2, 3, -1, 5, -3};
  Dispatcher dispatcher(gpu_of(1, 4, 2), 0, 1, map, 7);  // engines 0 1 | 2 3
  std::vector<std::pair<std::int64_t, int>> starts;
  while (const auto start = dispatcher.next()) starts.emplace_back(start->tile, start->unit);
  EXPECT_THAT(starts,
              ElementsAre(std::pair<std::int64_t, int>(0, 0), std::pair<std::int64_t, int>(3, 2),
                          std::pair<std::int64_t, int>(5, 1)));
  EXPECT_EQ(dispatcher.started(), 3);
  EXPECT_TRUE(dispatcher.at_end());
}

TEST(Dispatcher, idle_ids_still_belong_to_their_die) {
  const order::Map map = {-1, 1, -1, 3, 4, 5};
  Dispatcher even(gpu_of(2, 4, 2), 0, 1, map, 6);
  EXPECT_THAT(tiles_of(even), ElementsAre(4));
  Dispatcher odd(gpu_of(2, 4, 2), 1, 1, map, 6);
  EXPECT_THAT(tiles_of(odd), ElementsAre(1, 3, 5));
}

TEST(Dispatcher, stops_at_the_last_launch) {
  const order::Map map = identity(20);
  Dispatcher dispatcher(gpu_of(1, 64, 2), 0, 8, map, 5);
  EXPECT_EQ(tiles_of(dispatcher).size(), 5U);
}

TEST(Dispatcher, a_map_of_idle_ids_is_at_its_end) {
  const order::Map map = {-1, -1, -1};
  Dispatcher dispatcher(gpu_of(1, 2, 1), 0, 1, map, 3);
  EXPECT_FALSE(dispatcher.next());
  EXPECT_TRUE(dispatcher.at_end());
}

}  // namespace
}  // namespace heddle::sim
