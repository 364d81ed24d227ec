// What the machine's time is made of: latencies, queues, dependences, the end of a kernel.
#include <gtest/gtest.h>

#include "sim/driving.h"

namespace heddle::sim {
namespace {

using testing::Driven;
using testing::Script;

std::vector<ShapeRequest> timed_lines(int count) {
  std::vector<ShapeRequest> requests;
  for (int k = 0; k < count; ++k) requests.push_back({k, 0xf});
  return requests;
}

config::Gpu one_unit() {
  config::Gpu gpu = testing::one_die("mi300x");
  gpu.compute.compute_units = gpu.compute.shader_engines = 1;
  return gpu;
}

double cycles_of(const config::Gpu& gpu, const Script& script, testing::DriveOptions options = {}) {
  Driven driven(gpu, 64 << 20, script, std::move(options));
  driven.run();
  return driven.cycles();
}

TEST(Timing, a_cold_load_waits_for_memory_and_a_warm_one_for_its_cache) {
  const config::Gpu gpu = one_unit();
  const auto last_of = [&](int repeats, std::uint32_t stride) {
    Script script;
    const Shape* load = script.awaited_read(0, timed_lines(1));
    script.begin();
    for (int pass = 0; pass < repeats; ++pass)
      for (std::uint32_t k = 0; k < 100; ++k) script.add(load, k * stride);
    script.end();
    return cycles_of(gpu, script);
  };
  EXPECT_NEAR(last_of(1, 64) / 100, gpu.memory.latency_cycles, 15);
  // Lines 512 B apart share a set of the L1; 100 are too many for its 64 ways.
  EXPECT_NEAR((last_of(3, 4) - last_of(2, 4)) / 100, gpu.l2.latency_cycles, 4);
  EXPECT_NEAR((last_of(3, 1) - last_of(2, 1)) / 100, gpu.l1.latency_cycles, 4);
}

TEST(Timing, a_block_that_waits_for_its_own_results_leaves_the_unit_to_others) {
  const auto cycles = [](int blocks, std::int64_t work, std::int64_t wait) {
    Script script;
    const Shape* load = script.awaited_read(0, timed_lines(1));
    script.work(0, work);
    script.wait(wait);
    for (int block = 0; block < blocks; ++block) {
      script.begin();
      for (std::uint32_t k = 0; k < 20; ++k) script.add(load, 0);
      script.end();
    }
    return cycles_of(one_unit(), script, {.places = 2});
  };
  EXPECT_NEAR(cycles(1, 100, 400) - cycles(1, 100, 0), 20 * 400, 50);
  // Two blocks: while one waits the other works.
  EXPECT_NEAR(cycles(2, 100, 400), cycles(1, 100, 400), 1200);
  EXPECT_GT(cycles(2, 500, 0), 1.5 * cycles(1, 500, 0));
}

TEST(Timing, loads_that_nothing_waits_for_overlap) {
  Script script;
  const Shape* loads[4];
  for (int site = 0; site < 4; ++site) loads[site] = script.read(site, timed_lines(1));
  script.tile({{loads[0], 0}, {loads[1], 100}, {loads[2], 200}, {loads[3], 300}});
  EXPECT_LT(cycles_of(one_unit(), script), 1.1 * 860);
  Script chained;
  for (int site = 0; site < 4; ++site) loads[site] = chained.awaited_read(site, timed_lines(1));
  chained.tile({{loads[0], 0}, {loads[1], 100}, {loads[2], 200}, {loads[3], 300}});
  EXPECT_GT(cycles_of(one_unit(), chained), 4 * 860);
}

TEST(Timing, depth_rounds_of_a_loops_loads_are_under_way) {
  Script script;
  const Shape* load = script.read(0, timed_lines(1));
  script.begin();
  for (std::uint32_t k = 0; k < 40; ++k) script.add(load, 100 * k);
  script.end();
  const double one = cycles_of(one_unit(), script, {.depth = 1});
  EXPECT_NEAR(one, 40 * 860, 40 * 20);
  EXPECT_NEAR(cycles_of(one_unit(), script, {.depth = 2}), one / 2, one / 20);
  EXPECT_NEAR(cycles_of(one_unit(), script, {.depth = 4}), one / 4, one / 20);
}

TEST(Timing, loops_that_begin_again_and_narrow_loads_have_no_rounds_ahead) {
  const auto cycles = [](bool enters, bool alone, int depth) {
    Script script;
    const Shape* usual =
        alone ? script.read_alone(0, timed_lines(1)) : script.read(0, timed_lines(1));
    const Shape* first = enters ? script.entering_read(0, timed_lines(1)) : usual;
    script.begin();
    for (std::uint32_t k = 0; k < 64; ++k) script.add(k % 4 == 0 ? first : usual, 100 * k);
    script.end();
    return cycles_of(one_unit(), script, {.depth = depth});
  };
  const double one = cycles(false, false, 1);
  EXPECT_NEAR(cycles(false, true, 4), one, one / 20);
  // Four rounds go out together, and the next four wait for all of them.
  EXPECT_NEAR(cycles(true, false, 4), one / 4, one / 10);
  EXPECT_NEAR(cycles(true, false, 8), one / 4, one / 10);
  EXPECT_LT(cycles(false, false, 8), one / 6);
}

TEST(Timing, products_wait_for_operands_that_have_no_copy_ahead) {
  // Each round loads an operand ahead and one that is slower, then works on both.
  const auto cycles = [](bool alone) {
    Script script;
    const Shape* ahead = script.read(0, timed_lines(1));
    const Shape* operand =
        alone ? script.read_alone(1, timed_lines(1)) : script.read(1, timed_lines(1));
    script.work(0, 800);
    script.begin();
    for (std::uint32_t k = 0; k < 40; ++k) {
      script.add(ahead, 0);
      script.add(operand, 100 + 100 * k);
    }
    script.end();
    return cycles_of(one_unit(), script, {.depth = 2});
  };
  EXPECT_NEAR(cycles(false), 40 * 800, 40 * 60);
  EXPECT_NEAR(cycles(true), 40 * (800 + 860), 40 * 60);
}

TEST(Timing, stores_wait_for_loads) {
  Script script;
  const Shape* load = script.read(0, timed_lines(1));
  const Shape* store = script.write(1, timed_lines(1));
  const Shape* other = script.read(2, timed_lines(1));
  script.tile({{load, 0}, {store, 100}, {other, 200}});
  EXPECT_GT(cycles_of(one_unit(), script), 2 * 860);
}

TEST(Timing, arithmetic_of_a_unit_is_a_queue) {
  Script script;
  const Shape* load = script.read(0, timed_lines(1));
  for (int tile = 0; tile < 8; ++tile) {
    script.begin();
    script.add(load, 100);
    script.end(10'000);
  }
  const double alone = cycles_of(one_unit(), script, {.places = 1});
  const double together = cycles_of(one_unit(), script, {.places = 8});
  EXPECT_GE(together, 80'000);  // eight blocks share the unit
  EXPECT_LT(together, 82'000);
  EXPECT_GE(alone, together);
  config::Gpu wide = testing::one_die("mi300x");
  EXPECT_LT(cycles_of(wide, script, {.places = 1}), 12'000);
}

TEST(Timing, dispatch_takes_its_cycles_from_block_to_block) {
  Script script;
  for (int tile = 0; tile < 1000; ++tile) script.tile({});
  config::Gpu gpu = testing::one_die("mi300x");
  gpu.compute.dispatch_cycles = 8;
  const double eight = cycles_of(gpu, script, {.places = 8});
  EXPECT_NEAR(eight, 8000, 80);
  gpu.compute.dispatch_cycles = 20;
  EXPECT_NEAR(cycles_of(gpu, script, {.places = 8}), 20'000, 200);
}

TEST(Timing, streaming_reads_run_at_the_memorys_bandwidth) {
  for (const char* name : {"mi300x", "mi210", "h200"}) {
    Script script;
    const Shape* load = script.read(0, timed_lines(512));
    const int line_bytes = config::read_gpu(name).l1.shape.line_bytes;
    const std::uint32_t tiles = 12'000;
    for (std::uint32_t tile = 0; tile < tiles; ++tile) script.tile({{load, 512 * tile}});
    const std::int64_t bytes = std::int64_t{tiles} * 512 * line_bytes;
    Driven driven(config::read_gpu(name), bytes, script, {.places = 8});
    driven.run();
    const SimResult result = driven.result();
    const double rate = static_cast<double>(bytes) / (result.time_us * 1e-6);
    EXPECT_NEAR(rate, driven.gpu().memory.read_bytes_per_second,
                0.08 * driven.gpu().memory.read_bytes_per_second)
        << name;
    EXPECT_EQ(result.limited_by, "memory") << name;
  }
}

TEST(Timing, the_kernel_ends_when_what_it_wrote_is_in_memory) {
  // 2 MiB stay dirty in the L2 and leave at the end.
  Script script;
  const Shape* store = script.write(0, timed_lines(64));
  for (std::uint32_t tile = 0; tile < 256; ++tile) script.tile({{store, 64 * tile}});
  Driven driven(testing::one_die("mi300x"), 4 << 20, script, {.places = 4});
  const Machine& machine = driven.run();
  EXPECT_EQ(driven.result().hbm_write_bytes, 2 << 20);
  const config::Gpu& gpu = driven.gpu();
  const double flush_cycles =
      (2 << 20) / gpu.memory.write_bytes_per_second * gpu.compute.clock_mhz * 1e6;
  const double blocks_end =
      static_cast<double>(machine.dies()[0]->time()) / static_cast<double>(kTicks);
  EXPECT_GE(driven.cycles(), blocks_end + 0.999 * flush_cycles);
  EXPECT_LE(driven.cycles(), blocks_end + flush_cycles + 1024);
}

TEST(Timing, requests_under_way_are_limited) {
  config::Gpu gpu = one_unit();
  Script script;
  const Shape* load = script.read(0, timed_lines(256));
  script.tile({{load, 0}});
  gpu.l1.pending = 0;
  const double free = cycles_of(gpu, script);
  EXPECT_LT(free, 2 * gpu.memory.latency_cycles);
  // 256 requests, 32 at a time: eight times the latency of memory.
  gpu.l1.pending = 32;
  const double limited = cycles_of(gpu, script);
  EXPECT_GT(limited, 7.0 * gpu.memory.latency_cycles);
  EXPECT_LT(limited, 10.0 * gpu.memory.latency_cycles);
}

TEST(Timing, loads_without_room_do_not_hold_up_the_work_beside_them) {
  config::Gpu gpu = one_unit();
  gpu.l1.pending = 32;
  const auto time_of = [&](std::int64_t work) {
    Script script;
    std::vector<testing::ScriptStep> steps;
    for (int site = 0; site < 3; ++site) {
      const Shape* load = script.read(site, timed_lines(256));
      script.work(0, work);
      steps.push_back({load, static_cast<std::uint32_t>(1000 * site)});
    }
    script.tile(steps);
    return cycles_of(gpu, script);
  };
  // 12,000 cycles of work, most of them while requests wait for room.
  EXPECT_GT(time_of(0), 20'000);
  EXPECT_LT(time_of(4000), time_of(0) + 6000);
}

TEST(Timing, the_older_block_has_the_l1_first) {
  // Two blocks of one unit load 40 lines of one set twice: 80 are too many for its 64 ways, but
  // the older one does both of its loads before the younger one starts.
  config::Gpu gpu = one_unit();
  gpu.l1.pending = 0;
  Script script;
  std::vector<ShapeRequest> column;
  for (int k = 0; k < 40; ++k) column.push_back({4 * k, 0xf});
  const Shape* first = script.read(0, column);
  const Shape* again = script.read(1, column);
  script.tile({{first, 0}, {again, 0}});
  script.tile({{first, 4000}, {again, 4000}});
  Driven driven(gpu, 64 << 20, script, {.places = 2});
  driven.run();
  EXPECT_EQ(driven.result().l1.cache.hits, 80);
}

TEST(Timing, work_of_a_unit_is_shared_by_its_blocks) {
  config::Gpu gpu = one_unit();
  Script script;
  const Shape* load = script.read(0, timed_lines(1));
  script.work(10'000, 0);
  for (std::uint32_t k = 0; k < 4; ++k) script.tile({{load, 100 * k}});
  EXPECT_NEAR(cycles_of(gpu, script, {.places = 4}), 40'000, 2000);
}

TEST(Timing, a_line_on_its_way_to_another_die_is_waited_for) {
  // Eight dies read the same lines at the same time: none finds them in the last level early.
  config::Gpu gpu = config::read_gpu("mi300x");
  gpu.compute.compute_units = gpu.compute.shader_engines = 1;
  const auto time_of = [&](std::uint32_t apart) {
    Script script;
    const Shape* load = script.awaited_read(0, timed_lines(4));
    for (std::uint32_t die = 0; die < 8; ++die) {
      script.begin();
      for (std::uint32_t k = 0; k < 200; ++k) script.add(load, (k + die * apart) * 8);
      script.end();
    }
    return cycles_of(gpu, script);
  };
  EXPECT_GT(time_of(0), 0.9 * time_of(1000));
}

}  // namespace
}  // namespace heddle::sim
