#include "sim/machine.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "sim/driving.h"

namespace heddle::sim {
namespace {

using testing::drive;
using testing::Driven;
using testing::DriveOptions;
using testing::one_die;
using testing::Script;
using testing::text_of;

std::vector<ShapeRequest> whole_lines(int count) {
  std::vector<ShapeRequest> requests;
  for (int k = 0; k < count; ++k) requests.push_back({k, 0xf});
  return requests;
}

/// Tiles that copy `lines` lines each, from the first half of the memory to the second.
void add_copy(Script& script, std::uint32_t tiles, int lines) {
  const Shape* load = script.read(0, whole_lines(lines));
  const Shape* store = script.write(1, whole_lines(lines));
  const auto each = static_cast<std::uint32_t>(lines);
  for (std::uint32_t tile = 0; tile < tiles; ++tile)
    script.tile({{load, tile * each}, {store, (tiles + tile) * each}});
}

TEST(Machine, copy_counts_one_hit_in_three) {
  Script script;
  const std::uint32_t tiles = 4096;
  add_copy(script, tiles, 8);
  const std::int64_t lines = std::int64_t{tiles} * 8;
  const SimResult result =
      drive(config::read_gpu("mi300x"), 2 * lines * 128, script, {.places = 8});
  EXPECT_EQ(result.l2.cache.requests, 3 * lines);
  EXPECT_EQ(result.l2.cache.hits, lines);
  EXPECT_EQ(result.l2.cache.misses, 2 * lines);
  EXPECT_EQ(result.l2.reads, lines);
  EXPECT_EQ(result.l2.writes, 2 * lines);
  EXPECT_EQ(result.l2.fabric_reads_128, lines);
  EXPECT_EQ(result.l2.fabric_reads(), lines);
  EXPECT_EQ(result.l2.fabric_writes_64, 2 * lines);
  EXPECT_EQ(result.l2.fabric_writes(), 2 * lines);
  EXPECT_EQ(result.hbm_read_bytes, lines * 128);
  EXPECT_EQ(result.hbm_write_bytes, lines * 128);
  EXPECT_EQ(result.bound_bytes, 2 * lines * 128);
  EXPECT_EQ(result.l1.cache.requests, lines);
  EXPECT_EQ(result.l1.cache.hits, 0);
  EXPECT_EQ(result.l1.reads_to_l2, lines);
  EXPECT_EQ(result.l1.writes_to_l2, 2 * lines);
}

TEST(Machine, copy_on_nvidia_has_as_many_hits_as_misses_and_counts_far_sectors_twice) {
  // Nsight Compute on an H200, 1 GiB: 33,554,432 sectors read, as many written; 50.3 million read
  // misses and 50.3 million write hits.
  Script script;
  add_copy(script, 1024, 8);
  const std::int64_t lines = 1024 * 8;
  const SimResult result = drive(config::read_gpu("h200"), 2 * lines * 128, script, {.places = 4});
  const double sectors = 4.0 * static_cast<double>(lines);
  EXPECT_NEAR(static_cast<double>(result.l2.cache.misses) / sectors, 1.5, 0.06);
  EXPECT_NEAR(static_cast<double>(result.l2.cache.hits) / sectors, 1.5, 0.06);
  EXPECT_NEAR(result.l2.cache.hit_rate_pct(), 50, 1);
  EXPECT_NEAR(result.bound_hit_rate_pct, 50, 1);
  EXPECT_EQ(result.l2.read_bytes(), lines * 128);
  EXPECT_EQ(result.l2.write_bytes(), lines * 128);
  EXPECT_EQ(result.l1.cache.requests, 4 * lines);
}

TEST(Machine, two_64_byte_l1_misses_of_one_line_are_one_l2_request) {
  config::Gpu gpu = one_die("mi210");
  Script script;
  const Shape* both = script.read(0, {{0, 0x3}, {1, 0x3}});  // lines of 64 B: one of the L2's
  const Shape* apart = script.read(0, {{0, 0x3}, {2, 0x3}});
  script.tile({{both, 10}, {apart, 100}});
  const SimResult result = drive(gpu, 1 << 20, script);
  EXPECT_EQ(result.l1.cache.requests, 4);
  EXPECT_EQ(result.l1.cache.misses, 4);
  EXPECT_EQ(result.l1.reads_to_l2, 4);  // of 64 B
  EXPECT_EQ(result.l2.cache.requests, 3);
  EXPECT_EQ(result.l2.fabric_reads_64, 6);
}

TEST(Machine, stores_of_64_byte_l1_lines_are_one_l2_request_each) {
  Script script;
  const Shape* store = script.write(0, {{0, 0x3}, {1, 0x3}});
  script.tile({{store, 10}});
  const SimResult result = drive(one_die("mi210"), 1 << 20, script);
  EXPECT_EQ(result.l2.writes, 2);
  EXPECT_EQ(result.l2.cache.misses, 1);
  EXPECT_EQ(result.l2.cache.hits, 1);
  EXPECT_EQ(result.l2.fabric_writes_64, 2);
}

TEST(Machine, l1_hits_do_not_reach_the_l2) {
  Script script;
  const Shape* load = script.read(0, whole_lines(4));
  script.tile({{load, 0}, {load, 0}, {load, 2}});
  const SimResult result = drive(one_die("mi300x"), 1 << 20, script);
  EXPECT_EQ(result.l1.cache.requests, 12);
  EXPECT_EQ(result.l1.cache.hits, 6);
  EXPECT_EQ(result.l2.cache.requests, 6);
}

TEST(Machine, writes_take_a_place_in_the_l1_where_the_gpu_file_says_so) {
  Script script;
  const Shape* store = script.write(0, whole_lines(4));
  const Shape* load = script.read(1, whole_lines(4));
  script.tile({{store, 0}, {load, 0}});
  config::Gpu gpu = one_die("mi300x");
  gpu.l1.allocates_writes = true;
  const SimResult result = drive(gpu, 1 << 20, script);
  EXPECT_EQ(result.l1.cache.hits, 4);
  EXPECT_EQ(result.l2.reads, 0);
  EXPECT_EQ(result.l2.writes, 8);  // they go through all the same
}

TEST(Machine, other_writes_do_not_fill_the_l1) {
  Script script;
  const Shape* store = script.write(0, whole_lines(4));
  const Shape* load = script.read(1, whole_lines(4));
  script.tile({{store, 0}, {load, 0}});
  config::Gpu gpu = one_die("mi300x");
  gpu.l1.allocates_writes = false;
  const SimResult result = drive(gpu, 1 << 20, script);
  EXPECT_EQ(result.l1.cache.hits, 0);
  EXPECT_EQ(result.l2.reads, 4);
  EXPECT_EQ(result.l2.cache.misses, 4);  // those of the stores
  EXPECT_EQ(result.l2.fabric_reads(), 0);
}

TEST(Machine, atomics_go_to_the_l2) {
  Script script;
  const Shape* add = script.atomic(0, {{0, 0x1}});
  script.tile({{add, 7}, {add, 7}, {add, 7}});
  const SimResult result = drive(one_die("mi300x"), 1 << 20, script);
  EXPECT_EQ(result.l1.atomics, 3);
  EXPECT_EQ(result.l1.atomics_to_l2, 3);
  EXPECT_EQ(result.l2.atomics, 3);
  EXPECT_EQ(result.l2.cache.hits, 2);
  EXPECT_EQ(result.l2.fabric_writes_32, 1);
}

TEST(Machine, dies_have_l2s_of_their_own) {
  // Blocks 0 to 7 read one line: on eight dies, eight fetches, of which memory serves one.
  Script script;
  const Shape* load = script.read(0, whole_lines(1));
  script.tile({{load, 7}});
  const SimResult result =
      drive(config::read_gpu("mi300x"), 1 << 20, script, {.map = order::Map(16, 0), .places = 1});
  EXPECT_EQ(result.l2.fabric_reads_128, 8);
  EXPECT_EQ(result.hbm_read_bytes, 128);
  ASSERT_TRUE(result.last_level);
  EXPECT_EQ(result.last_level->requests, 16);  // lines of 64 B
  EXPECT_EQ(result.last_level->hits, 14);
  for (const DieResult& die : result.dies) EXPECT_EQ(die.blocks, 2);
}

/// Tiles that read here and there, again and again, and write some.
void add_random_tiles(Script& script, std::uint64_t seed, int tiles, std::uint32_t lines) {
  std::mt19937_64 random(seed);
  const Shape* loads[] = {script.read(0, whole_lines(4)), script.read(1, {{0, 0x3}, {5, 0xc}}),
                          script.awaited_read(2, {{0, 0x1}}), script.uniform_read(3, {{0, 0x2}})};
  const Shape* store = script.write(4, {{0, 0xf}, {1, 0x3}});
  const Shape* add = script.atomic(5, {{0, 0x1}});
  for (int tile = 0; tile < tiles; ++tile) {
    script.begin();
    for (int k = 0; k < 40; ++k) {
      const auto base = static_cast<std::uint32_t>(random() % (lines - 8));
      script.add(loads[random() % 4], base);
      if (random() % 5 == 0) script.add(store, base);
      if (random() % 20 == 0) script.add(add, base);
    }
    script.end(static_cast<double>(random() % 3000));
  }
}

TEST(Machine, is_the_same_for_any_number_of_threads) {
  for (const char* name : {"mi300x", "h200", "mi300a"}) {
    Script script;
    add_random_tiles(script, 4, 2000, (20 << 20) / 128);
    std::string first;
    for (const int threads : {1, 2, 3, 8}) {
      const std::string text =
          text_of(drive(config::read_gpu(name), 20 << 20, script,
                        {.places = 3, .threads = threads, .depth = 2, .why = true}));
      if (first.empty()) first = text;
      ASSERT_EQ(text, first) << name << " with " << threads << " threads";
    }
  }
}

TEST(Machine, causes_add_up_to_misses_die_by_die) {
  for (const char* name : {"mi300x", "mi210", "h200"}) {
    Script script;
    add_random_tiles(script, 5, 3000, (16 << 20) / 128);
    config::Gpu gpu = config::read_gpu(name);
    gpu.l2.shape.bytes /= 4;  // so that everything happens
    if (!gpu.l2.set_bits.empty()) gpu.l2.set_bits.resize(gpu.l2.set_bits.size() - 2);
    const SimResult result = drive(gpu, 16 << 20, script, {.places = 2, .why = true});
    std::int64_t total = 0;
    for (const DieResult& die : result.dies) {
      const std::int64_t sum = die.causes->first_touch + die.causes->capacity +
                               die.causes->conflict + die.causes->other_die;
      EXPECT_EQ(sum, die.l2.cache.misses) << name;
      EXPECT_GE(die.causes->capacity, 0);
      total += sum;
    }
    EXPECT_GT(total, 0);
    EXPECT_EQ(result.causes->first_touch + result.causes->capacity + result.causes->conflict +
                  result.causes->other_die,
              result.l2.cache.misses);
    // A first touch from the far side of an L2 counts there as well.
    EXPECT_LE(result.causes->first_touch * (result.amd() ? 32 : 16), result.bound_bytes) << name;
    EXPECT_EQ(result.causes->other_die > 0, result.dies.size() > 1 || !result.amd()) << name;
  }
}

TEST(Machine, a_scan_larger_than_the_l2_misses_for_capacity_and_a_stride_for_conflicts) {
  const auto causes_of = [](std::uint32_t lines, std::uint32_t stride) {
    config::Gpu gpu = one_die("mi300x");
    gpu.compute.compute_units = gpu.compute.shader_engines = 1;
    testing::index_plainly(gpu);
    Script script;
    const Shape* load = script.awaited_read(0, whole_lines(1));
    script.begin();
    for (int pass = 0; pass < 3; ++pass)
      for (std::uint32_t k = 0; k < lines; ++k) script.add(load, k * stride);
    script.end();
    return *drive(gpu, 64 << 20, script, {.why = true}).causes;
  };
  const MissCauses scan = causes_of(40'000, 1);  // 5 MB
  EXPECT_EQ(scan.first_touch, 40'000);
  EXPECT_GT(scan.capacity, 70'000);
  EXPECT_EQ(scan.other_die, 0);
  // 256 KiB apart all lines share a set: 128 of them are no load for a cache without sets. With 4
  // sets of 64 ways the L1 holds half of them only if they did not share a set there as well.
  const MissCauses stride = causes_of(128, 2048);
  EXPECT_EQ(stride.first_touch, 128);
  EXPECT_EQ(stride.conflict, 256);
  EXPECT_EQ(stride.capacity, 0);
}

TEST(Machine, an_exception_of_a_trace_source_surfaces_and_nothing_hangs) {
  for (const int threads : {1, 2, 8}) {
    for (const std::int64_t when : {0, 700, 1999}) {
      Script script;
      add_random_tiles(script, 6, 50, 10'000);
      const TraceSource plain = script.source();
      const TraceSource failing = [plain, when](std::int64_t tile, int slot) {
        if (tile == when) throw std::runtime_error("no trace of " + std::to_string(tile));
        return plain(tile % 50, slot);
      };
      order::Map map(2000);
      std::iota(map.begin(), map.end(), 0);
      try {
        Driven driven(
            config::read_gpu("mi300x"), 4 << 20, script,
            {.map = map, .threads = threads, .sources = std::vector<TraceSource>(8, failing)});
        driven.run();
        FAIL() << "nothing was thrown";
      } catch (const std::runtime_error& error) {
        EXPECT_EQ(std::string(error.what()), "no trace of " + std::to_string(when));
      }
    }
  }
}

TEST(Machine, blocks_without_a_tile_do_nothing) {
  Script script;
  add_copy(script, 64, 8);
  order::Map map;
  for (std::int64_t k = 0; k < 64; ++k) {
    map.push_back(k);
    for (int idle = 0; idle < 8; ++idle) map.push_back(-1);
  }
  const SimResult sparse = drive(one_die("mi300x"), 1 << 20, script, {.map = map, .places = 2});
  const SimResult dense = drive(one_die("mi300x"), 1 << 20, script, {.places = 2});
  EXPECT_EQ(text_of(sparse), text_of(dense));
  const SimResult none = drive(one_die("mi300x"), 1 << 20, script, {.map = {-1, -1, -2}});
  EXPECT_EQ(none.l2.cache.requests, 0);
  EXPECT_EQ(none.time_us, 0);
}

TEST(Machine, memory_held_does_not_grow_with_the_trace) {
  const auto held = [](int passes) {
    Script script;
    const Shape* load = script.read(0, whole_lines(64));
    script.begin();
    for (int pass = 0; pass < passes; ++pass)
      for (std::uint32_t k = 0; k < 2000; ++k) script.add(load, 64 * k);
    script.end();
    Driven driven(one_die("mi300x"), 16 << 20, script);
    const Machine& machine = driven.run();
    return machine.dies()[0]->l2().events().capacity();
  };
  EXPECT_EQ(held(8), held(1));
}

TEST(Machine, bounds_are_bounds) {
  for (const char* name : {"mi300x", "h200"}) {
    Script script;
    add_random_tiles(script, 8, 500, (8 << 20) / 128);
    const SimResult result = drive(config::read_gpu(name), 8 << 20, script, {.places = 2});
    EXPECT_LE(result.l2.cache.hit_rate_pct(), result.bound_hit_rate_pct + 1e-9) << name;
    EXPECT_LE(result.hbm_read_bytes, result.l2.read_bytes()) << name;
    EXPECT_LE(result.bound_bytes, result.l2.read_bytes() + result.l2.write_bytes()) << name;
  }
}

TEST(Machine, bound_of_partly_written_lines_is_what_is_written) {
  Script script;
  const Shape* store = script.write(0, {{0, 0x1}, {1, 0x1}, {2, 0x1}});
  script.tile({{store, 0}});
  const SimResult result = drive(config::read_gpu("mi300x"), 1 << 20, script);
  EXPECT_EQ(result.bound_bytes, 3 * 32);
  EXPECT_EQ(result.l2.write_bytes(), 3 * 32);
}

TEST(Machine, before_gfx942_a_line_is_read_in_two_requests_of_64_bytes) {
  Script script;
  script.tile({{script.read(0, {{0, 0x3}, {1, 0x3}}), 10}});  // lines of 64 B: one of the L2's
  const SimResult result = drive(one_die("mi210"), 1 << 20, script);
  EXPECT_EQ(result.l2.fabric_reads_128, 0);
  EXPECT_EQ(result.l2.fabric_reads_64, 2);
}

TEST(Machine, stores_are_counted_in_sectors_once_by_the_first_cache) {
  Script script;
  add_copy(script, 64, 8);
  const std::int64_t lines = 64 * 8;
  const SimResult result = drive(config::read_gpu("h200"), 2 * lines * 128, script, {.places = 4});
  EXPECT_EQ(result.l1.written_sectors, 4 * lines);
}

TEST(Machine, halves_of_a_line_are_one_request_however_few_are_under_way) {
  for (const int pending : {0, 8, 20, 72, 150}) {
    config::Gpu gpu = one_die("mi210");
    gpu.l1.pending = pending;
    Script script;
    std::vector<ShapeRequest> halves;
    for (int k = 0; k < 64; ++k) halves.push_back({k, 0x3});
    script.tile({{script.read(0, halves), 0}});
    const SimResult result = drive(gpu, 1 << 20, script);
    EXPECT_EQ(result.l2.reads, 32) << pending;
  }
}

}  // namespace
}  // namespace heddle::sim
