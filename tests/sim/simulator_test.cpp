#include "sim/simulator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <thread>

#include "order/compact.h"
#include "order/evaluate.h"
#include "pipeline.h"
#include "sim/driving.h"
#include "support/error.h"

namespace heddle::sim {
namespace {

using testing::text_of;

LoadedKernel example(const std::string& name, const std::vector<std::string>& overrides) {
  return load_kernel(std::string(HEDDLE_TESTS_DIR) + "/../examples/" + name + ".toml", overrides);
}

order::Map identity(const LoadedKernel& kernel) {
  order::Map map(static_cast<std::size_t>(kernel.launch.grid.count()));
  std::iota(map.begin(), map.end(), 0);
  return map;
}

/// Every die gets a part of the tiles without gaps.
order::Map chunked(const LoadedKernel& kernel, std::int64_t dies) {
  order::Map map = identity(kernel);
  const auto each = static_cast<std::int64_t>(map.size()) / dies;
  for (std::int64_t& tile : map) tile = tile % dies * each + tile / dies;
  return map;
}

LoadedKernel small_gemm() {
  return example("gemm", {"M=2048", "N=2048", "K=512"});
}

/// What the 19 instruction caches of each of 8 dies fetch of a copy's code: 20 pieces of 64 B.
constexpr std::int64_t kCodeRequests = 8 * 19 * 20;
constexpr std::int64_t kCodeLines = 8 * 10;

TEST(Simulator, copy_has_the_counters_of_a_copy) {
  const LoadedKernel copy = example("copy", {"elements=1048576"});
  const config::Gpu gpu = config::read_gpu("mi300x");
  Simulator simulator(copy.program, copy.launch, gpu);
  const SimResult result = simulator.run(identity(copy), {});
  const std::int64_t lines = 1048576 * 4 / 128;
  EXPECT_EQ(result.l2.reads, lines + kCodeRequests);
  EXPECT_EQ(result.l2.writes, 2 * lines);
  EXPECT_EQ(result.l2.cache.misses, 2 * lines + kCodeLines);
  EXPECT_EQ(result.blocks, 1024);
  EXPECT_EQ(result.blocks_idle, 0);
  EXPECT_FALSE(result.sample.sampled);
  EXPECT_EQ(simulator.requests_estimated(), 2 * lines);
}

TEST(Simulator, a_launch_takes_time_of_its_own_and_leaves_what_it_wrote_in_the_l2) {
  const LoadedKernel copy = example("copy", {"elements=1048576"});
  config::Gpu gpu = config::read_gpu("h200");
  const auto time_us = [&] {
    return simulate(copy.program, copy.launch, gpu, identity(copy), {}).time_us;
  };
  const double usual = time_us();
  gpu.compute.launch_us = 0;
  const double blocks = time_us();
  EXPECT_NEAR(blocks, usual - 3.25, 1e-9);
  gpu.l2.kept_bytes = 0;  // 4 MiB have to reach the memory
  EXPECT_NEAR(time_us() - blocks, (4 << 20) / gpu.memory.write_bytes_per_second * 1e6, 0.2);
}

TEST(Simulator, stores_that_a_mask_splits_reach_the_l2_one_by_one) {
  const LoadedKernel kernel =
      load_kernel(std::string(HEDDLE_TESTS_DIR) + "/../validation/logs/field_step.toml",
                  {"rows=256", "columns=256"});
  const config::Gpu gpu = config::read_gpu("mi300x");
  const SimResult result = Simulator(kernel.program, kernel.launch, gpu).run(identity(kernel), {});
  // 255 x 256 / 32 half lines and their like: of hz and ex four times, of ey once.
  const std::int64_t lines = 256 * 256 * 4 / 128;
  EXPECT_NEAR(static_cast<double>(result.l2.writes), 2.0 * lines * (4 + 4 + 1), 0.02 * 18 * lines);
}

TEST(Simulator, a_record_of_tiles_adds_up_and_changes_nothing) {
  const LoadedKernel copy = example("copy", {"elements=1048576"});
  const config::Gpu gpu = config::read_gpu("mi300x");
  Simulator simulator(copy.program, copy.launch, gpu);
  const order::Map map = chunked(copy, 8);
  SimOptions options;
  const SimResult plain = simulator.run(map, options);
  EXPECT_EQ(plain.tiles, nullptr);
  options.record_tiles = true;
  const SimResult result = simulator.run(map, options);
  EXPECT_EQ(text_of(plain), text_of(result));
  ASSERT_NE(result.tiles, nullptr);
  const TileRun& run = *result.tiles;
  EXPECT_EQ(run.tiles, map);
  EXPECT_EQ(run.dies, 8);
  ASSERT_EQ(run.turns.size(), map.size());
  double misses = 0;
  for (const TileRun::Turn& turn : run.turns) {
    EXPECT_LT(turn.start_us, turn.end_us);
    EXPECT_LE(turn.end_us, result.time_us);
    misses += turn.l2_misses;
  }
  EXPECT_EQ(std::llround(misses) + kCodeLines, result.l2.cache.misses);
}

TEST(Simulator, a_record_of_tiles_has_the_cause_of_each_miss) {
  const LoadedKernel gemm = small_gemm();
  const config::Gpu gpu = config::read_gpu("mi300x");
  Simulator simulator(gemm.program, gemm.launch, gpu);
  SimOptions options{.why = true};
  EXPECT_EQ(simulator.run(identity(gemm), options).tiles, nullptr);
  options.record_tiles = true;
  const SimResult result = simulator.run(identity(gemm), options);
  ASSERT_TRUE(result.causes && result.tiles);
  const TileRun& run = *result.tiles;
  ASSERT_EQ(run.causes.size(), run.turns.size());
  std::array<double, TileRun::kCauses> sums = {};
  for (std::size_t turn = 0; turn < run.turns.size(); ++turn) {
    double misses = 0;
    for (std::size_t cause = 0; cause < sums.size(); ++cause) {
      sums[cause] += run.causes[turn][cause];
      misses += run.causes[turn][cause];
    }
    EXPECT_EQ(misses, run.turns[turn].l2_misses) << turn;
  }
  // Lines of code miss as well, and are of no turn; what is left over is called capacity.
  EXPECT_EQ(sums[0], result.causes->first_touch);
  EXPECT_EQ(sums[2], result.causes->conflict);
  EXPECT_EQ(sums[3], result.causes->other_die);
  EXPECT_LE(sums[1], result.causes->capacity);
}

TEST(Simulator, a_record_of_a_sample_has_the_turns_that_ran) {
  const LoadedKernel gemm = small_gemm();
  const config::Gpu gpu = config::read_gpu("mi300x");
  SimOptions options;
  options.record_tiles = true;
  options.fidelity = Fidelity::sampled;
  options.sample_requests = 50'000;
  Simulator simulator(gemm.program, gemm.launch, gpu);
  const SimResult result = simulator.run(identity(gemm), options);
  ASSERT_TRUE(result.sample.sampled);
  ASSERT_NE(result.tiles, nullptr);
  EXPECT_EQ(result.tiles->tiles.size(), identity(gemm).size());
  EXPECT_LE(result.tiles->turns.size(), result.tiles->tiles.size());
  for (const TileRun::Turn& turn : result.tiles->turns) EXPECT_LT(turn.start_us, turn.end_us);
}

TEST(Simulator, several_replays_at_a_time_do_not_disturb_one_another) {
  const LoadedKernel gemm = small_gemm();
  const config::Gpu gpu = config::read_gpu("mi300x");
  const std::vector<order::Map> maps = {identity(gemm), chunked(gemm, 8), chunked(gemm, 4),
                                        chunked(gemm, 2)};
  SimOptions options;
  options.fidelity = Fidelity::sampled;
  options.sample_requests = 100'000;
  options.threads = 1;
  options.tracing_threads = 2;
  Simulator together(gemm.program, gemm.launch, gpu);
  std::vector<SimResult> results(maps.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < maps.size(); ++i)
      threads.emplace_back([&, i] { results[i] = together.run(maps[i], options); });
  }
  for (std::size_t i = 0; i < maps.size(); ++i) {
    Simulator alone(gemm.program, gemm.launch, gpu);
    EXPECT_EQ(text_of(results[i]), text_of(alone.run(maps[i], options))) << i;
  }
}

TEST(Simulator, a_share_of_an_orders_operations_counts) {
  const LoadedKernel gemm = small_gemm();
  const auto time = [&](double share, int operations) {
    config::Gpu gpu = config::read_gpu("h200");
    gpu.arithmetic.index_share = share;
    SimOptions options;
    options.index_operations = operations;
    return Simulator(gemm.program, gemm.launch, gpu).run(identity(gemm), options).time_us;
  };
  EXPECT_DOUBLE_EQ(time(0.5, 1000), time(1, 500));
  EXPECT_DOUBLE_EQ(time(0, 1000), time(1, 0));
  EXPECT_GT(time(1, 1000), time(0.5, 1000));
}

TEST(Simulator, samples_of_unequal_tiles_have_all_blocks) {
  const config::Gpu gpu = config::read_gpu("mi300x");
  SimOptions options;
  options.fidelity = Fidelity::sampled;
  options.sample_requests = 200'000;
  const LoadedKernel copy = example("copy", {"elements=67108864"});
  Simulator equal(copy.program, copy.launch, gpu);
  EXPECT_LT(equal.run(identity(copy), options).sample.share_of_blocks, 0.6);
  // Loops of all tiles get shorter by the same share: the longest stay the longest.
  const LoadedKernel causal = example("attention_causal", {"sequence=4096", "heads=8"});
  Simulator unequal(causal.program, causal.launch, gpu);
  const SimResult sampled = unequal.run(identity(causal), options);
  const SimResult exact = unequal.run(identity(causal), {.fidelity = Fidelity::exact});
  EXPECT_GT(sampled.tile_spread, kUnequalTiles);
  EXPECT_LT(sampled.sample.requests, exact.sample.requests / 4);
  EXPECT_NEAR(sampled.time_us / exact.time_us, 1, 0.25);
}

TEST(Simulator, streaming_kernels_fetch_every_line_once_and_write_halves) {
  // Three inputs and an output of 256 rows, and one row of bias that every die fetches once.
  const LoadedKernel kernel = example("fused_elementwise", {"ROWS=256"});
  const config::Gpu gpu = config::read_gpu("mi300x");
  const SimResult result =
      simulate(kernel.program, kernel.launch, gpu, identity(kernel), {.fidelity = Fidelity::exact});
  const std::int64_t tensor = 256 * 8192 * 2;
  const std::int64_t bias = 8192 * 2;
  EXPECT_EQ(result.l2.cache.requests, result.l2.reads + result.l2.writes);
  EXPECT_EQ(result.l2.writes * 64, tensor);
  EXPECT_EQ(result.l2.write_bytes(), tensor);
  // 1024 elements of 8192 are a block: die d has the eighth d of the bias and no other.
  EXPECT_EQ(128 * result.l2.fabric_reads_128, 3 * tensor + bias);  // beside the code
  EXPECT_EQ(result.hbm_read_bytes, 3 * tensor + bias);
  EXPECT_EQ(result.bound_bytes, 4 * tensor + bias);
}

TEST(Simulator, replays_do_not_depend_on_the_replays_before_them) {
  const LoadedKernel gemm = small_gemm();
  for (const char* name : {"mi300x", "h200"}) {
    const config::Gpu gpu = config::read_gpu(name);
    Simulator simulator(gemm.program, gemm.launch, gpu);
    for (const Fidelity fidelity : {Fidelity::exact, Fidelity::sampled}) {
      const SimOptions options{.why = true, .fidelity = fidelity, .sample_requests = 30'000};
      const std::string first = text_of(simulator.run(identity(gemm), options));
      const std::string other = text_of(simulator.run(chunked(gemm, 8), options));
      EXPECT_EQ(text_of(simulator.run(identity(gemm), options)), first) << name;
      EXPECT_EQ(text_of(simulate(gemm.program, gemm.launch, gpu, chunked(gemm, 8), options)), other)
          << name;
      EXPECT_NE(first, other);
    }
  }
}

TEST(Simulator, threads_do_not_change_the_result) {
  const LoadedKernel gemm = small_gemm();
  const config::Gpu gpu = config::read_gpu("mi300x");
  for (const Fidelity fidelity : {Fidelity::exact, Fidelity::sampled}) {
    SimOptions options{.why = true, .fidelity = fidelity, .sample_requests = 30'000, .threads = 1};
    const std::string one =
        text_of(simulate(gemm.program, gemm.launch, gpu, identity(gemm), options));
    for (const int threads : {2, 3, 8}) {
      options.threads = threads;
      EXPECT_EQ(text_of(simulate(gemm.program, gemm.launch, gpu, identity(gemm), options)), one);
    }
  }
}

TEST(Simulator, an_order_need_not_be_a_permutation) {
  const LoadedKernel gemm = small_gemm();
  const config::Gpu gpu = config::read_gpu("mi300x");
  Simulator simulator(gemm.program, gemm.launch, gpu);
  const SimResult all = simulator.run(identity(gemm), {});
  const SimResult same = simulator.run(order::Map(identity(gemm).size(), 0), {});
  EXPECT_EQ(same.blocks, all.blocks);
  EXPECT_EQ(same.l1.cache.requests, all.l1.cache.requests);
  EXPECT_LT(same.bound_bytes, all.bound_bytes / 4);
  EXPECT_GT(same.l2.cache.hit_rate_pct(), all.l2.cache.hit_rate_pct());
}

TEST(Simulator, tiles_outside_of_the_grid_are_refused) {
  const LoadedKernel gemm = small_gemm();
  const config::Gpu gpu = config::read_gpu("mi300x");
  Simulator simulator(gemm.program, gemm.launch, gpu);
  order::Map map = identity(gemm);
  map[3] = static_cast<std::int64_t>(map.size());
  EXPECT_THROW(simulator.run(map, {}), Error);
}

TEST(Simulator, idle_blocks_do_nothing) {
  const LoadedKernel copy = example("copy", {"elements=1048576"});
  const config::Gpu gpu = config::read_gpu("mi300x");
  Simulator simulator(copy.program, copy.launch, gpu);
  order::Map map = identity(copy);
  for (std::size_t k = 0; k < map.size(); k += 4) map[k] = -1;
  const SimResult result = simulator.run(map, {});
  EXPECT_EQ(result.blocks, 768);
  EXPECT_EQ(result.blocks_idle, 256);
  // Every fourth block is idle: dies 0 and 4 run nothing, and fetch no code.
  EXPECT_EQ(result.l2.reads, 1048576 * 4 / 128 * 3 / 4 + kCodeRequests * 6 / 8);
  EXPECT_EQ(simulator.run(order::Map(1024, -1), {}).l2.cache.requests, 0);
}

TEST(Simulator, square_patches_on_the_dies_raise_the_l2_hit_rate) {
  // 32 x 16 tiles of 128 x 256. As launched a die has 4 rows of a and all 16 columns of b; as 8 x 8
  // patches it has 8 rows and 8 columns, two thirds of the bytes.
  const LoadedKernel gemm = example("gemm", {"M=4096", "N=4096", "K=1024"});
  order::Map patches = identity(gemm);
  ASSERT_EQ(patches.size(), 512U);
  for (std::int64_t p = 0; p < 512; ++p) {
    const std::int64_t die = p % 8;
    const std::int64_t local = p / 8;
    const std::int64_t row = die % 4 * 8 + local % 8;
    const std::int64_t column = die / 4 * 8 + local / 8;
    patches[static_cast<std::size_t>(p)] = row + column * 32;
  }
  const config::Gpu gpu = config::read_gpu("mi300x");
  Simulator simulator(gemm.program, gemm.launch, gpu);
  const SimResult scattered = simulator.run(identity(gemm), {});
  const SimResult together = simulator.run(patches, {});
  EXPECT_EQ(together.l1.cache.requests, scattered.l1.cache.requests);
  EXPECT_EQ(together.bound_bytes, scattered.bound_bytes);
  EXPECT_GT(together.l2.cache.hit_rate_pct(), scattered.l2.cache.hit_rate_pct() + 1);
  EXPECT_LT(together.l2.read_bytes(), scattered.l2.read_bytes() * 9 / 10);
}

TEST(Simulator, a_sample_is_near_the_exact_run_and_says_how_near) {
  const config::Gpu gpu = config::read_gpu("mi300x");
  const std::pair<std::string, std::vector<std::string>> jobs[] = {
      {"gemm", {"M=4096", "N=4096", "K=1024"}}, {"stencil_2d", {"rows=2048", "columns=2048"}}};
  for (const auto& [name, overrides] : jobs) {
    const LoadedKernel kernel = example(name, overrides);
    Simulator simulator(kernel.program, kernel.launch, gpu);
    const SimResult exact = simulator.run(identity(kernel), {.fidelity = Fidelity::exact});
    const SimResult sampled = simulator.run(
        identity(kernel), {.fidelity = Fidelity::sampled, .sample_requests = 300'000});
    EXPECT_TRUE(sampled.sample.sampled) << name;
    EXPECT_FALSE(exact.sample.sampled) << name;
    EXPECT_LT(sampled.sample.requests, exact.sample.requests / 2) << name;
    EXPECT_NEAR(sampled.l2.cache.hit_rate_pct(), exact.l2.cache.hit_rate_pct(), 5) << name;
    const auto requests = static_cast<double>(exact.l2.cache.requests);
    EXPECT_NEAR(static_cast<double>(sampled.l2.cache.requests), requests, 0.2 * requests) << name;
    EXPECT_NEAR(sampled.time_us, exact.time_us, 0.3 * exact.time_us) << name;
  }
}

TEST(Simulator, estimates_the_requests_of_tiles_of_unequal_length) {
  // Every 32nd tile of each head is the same query block: even steps would see one length only.
  const LoadedKernel kernel = example("attention_causal", {});
  const config::Gpu gpu = config::read_gpu("mi300x");
  Simulator simulator(kernel.program, kernel.launch, gpu);
  const SimResult exact = simulator.run(identity(kernel), {.fidelity = Fidelity::exact});
  const auto whole = static_cast<double>(exact.sample.requests);
  EXPECT_NEAR(static_cast<double>(simulator.requests_estimated()), whole, 0.15 * whole);
}

/// What a sampled run counts is what the whole launch counts, within a tenth; requests of the L2
/// within a fourth, because the L1s of a sample have fewer ways.
void expect_alike(const SimResult& sampled, const SimResult& exact, const std::string& name) {
  const auto near = [&](std::int64_t a, std::int64_t b, const char* what, double share = 0.1) {
    const auto whole = static_cast<double>(b);
    EXPECT_NEAR(static_cast<double>(a), whole, share * whole + 1) << name << ": " << what;
  };
  near(sampled.l1.cache.requests, exact.l1.cache.requests, "L1 requests");
  near(sampled.l2.cache.requests, exact.l2.cache.requests, "L2 requests", 0.25);
  near(sampled.hbm_read_bytes, exact.hbm_read_bytes, "bytes read");
  near(sampled.hbm_write_bytes, exact.hbm_write_bytes, "bytes written");
  near(sampled.bound_bytes, exact.bound_bytes, "bound");
  EXPECT_EQ(sampled.l2.reads + sampled.l2.writes + sampled.l2.atomics, sampled.l2.cache.requests);
}

TEST(Simulator, a_window_of_a_launch_stands_for_all_of_it) {
  const LoadedKernel kernel = example("copy", {"elements=33554432"});
  for (const char* name : {"mi300x", "h200", "mi210"}) {
    const config::Gpu gpu = config::read_gpu(name);
    Simulator simulator(kernel.program, kernel.launch, gpu);
    const SimResult exact = simulator.run(identity(kernel), {.fidelity = Fidelity::exact});
    const SimResult sampled =
        simulator.run(identity(kernel), {.fidelity = Fidelity::sampled, .sample_requests = 60'000});
    EXPECT_LT(sampled.sample.share_of_blocks, 1) << name;
    EXPECT_EQ(sampled.dies[0].blocks, exact.dies[0].blocks) << name;
    expect_alike(sampled, exact, name);
  }
}

TEST(Simulator, blocks_without_a_tile_are_not_scaled_up) {
  const LoadedKernel kernel = example("copy", {"elements=33554432"});
  order::Map map = identity(kernel);
  for (std::size_t k = 0; k < map.size(); ++k)
    if (k % 4 != 0) map[k] = order::kIdle;
  const config::Gpu gpu = config::read_gpu("mi300x");
  Simulator simulator(kernel.program, kernel.launch, gpu);
  const SimResult exact = simulator.run(map, {.fidelity = Fidelity::exact});
  const SimResult sampled =
      simulator.run(map, {.fidelity = Fidelity::sampled, .sample_requests = 20'000});
  expect_alike(sampled, exact, "a quarter of the blocks");
}

TEST(Simulator, samples_of_odd_gpus_count_like_full_runs) {
  const LoadedKernel kernel = example("stencil_2d", {"rows=1024", "columns=4096"});
  const auto check = [&](const std::string& name, const std::function<void(config::Gpu&)>& change) {
    config::Gpu gpu = config::read_gpu("mi300x");
    change(gpu);
    config::check_gpu(gpu);
    Simulator simulator(kernel.program, kernel.launch, gpu);
    const SimResult exact = simulator.run(identity(kernel), {.fidelity = Fidelity::exact});
    const SimResult sampled = simulator.run(
        identity(kernel), {.fidelity = Fidelity::sampled, .sample_requests = 100'000});
    EXPECT_TRUE(sampled.sample.sampled) << name;
    expect_alike(sampled, exact, name);
  };
  check("small frames", [](config::Gpu& gpu) { gpu.pages.frame_bytes = 64 << 10; });
  check("hashed index", [](config::Gpu& gpu) { gpu.l2.channel_bits[0] = {8, 22, 25}; });
  check("no last level", [](config::Gpu& gpu) { gpu.last_level.reset(); });
  check("no scalar cache", [](config::Gpu& gpu) { gpu.scalar_cache.reset(); });
  check("an L1 of two ways", [](config::Gpu& gpu) {
    gpu.l1.shape.ways = 2;
    gpu.l1.shape.bytes = 2 * 4 * 128;
  });
  check("one die", [](config::Gpu& gpu) { gpu.compute.dies = 1; });
}

TEST(Simulator, a_unit_that_the_gpu_lacks_is_not_free) {
  const LoadedKernel gemm = small_gemm();
  config::Gpu gpu = config::read_gpu("mi300x");
  const auto compute_of = [&] {
    Simulator simulator(gemm.program, gemm.launch, gpu);
    return simulator.run(identity(gemm), {}).utilization.at(0).percent;
  };
  const double with = compute_of();
  gpu.arithmetic.matrix_fp16 = 0;
  EXPECT_GT(compute_of(), with);
}

TEST(Simulator, automatic_is_exact_for_small_launches) {
  const LoadedKernel gemm = small_gemm();
  const config::Gpu gpu = config::read_gpu("mi300x");
  Simulator simulator(gemm.program, gemm.launch, gpu);
  ASSERT_LT(simulator.requests_estimated(), kExactRequests);
  const SimResult automatic = simulator.run(identity(gemm), {});
  EXPECT_EQ(text_of(automatic),
            text_of(simulator.run(identity(gemm), {.fidelity = Fidelity::exact})));
}

TEST(Simulator, atomics_and_gathers_run_on_every_gpu) {
  const std::pair<std::string, std::vector<std::string>> jobs[] = {
      {"histogram", {}}, {"spmv", {}}, {"softmax", {}}};
  for (const auto& [name, overrides] : jobs) {
    const LoadedKernel kernel = example(name, overrides);
    for (const char* gpu_name : {"mi300x", "mi210", "h200"}) {
      const config::Gpu gpu = config::read_gpu(gpu_name);
      order::Map map = identity(kernel);
      for (std::size_t k = 256; k < map.size(); ++k) map[k] = -1;  // the first tiles are enough
      const SimResult result =
          simulate(kernel.program, kernel.launch, gpu, map, {.fidelity = Fidelity::exact});
      EXPECT_EQ(result.l2.cache.hits + result.l2.cache.misses, result.l2.cache.requests);
      EXPECT_EQ(result.l2.reads + result.l2.writes + result.l2.atomics, result.l2.cache.requests);
      EXPECT_GT(result.l2.cache.requests, 0);
      EXPECT_GT(result.time_us, 0);
      EXPECT_EQ(result.l2.atomics > 0, name == "histogram") << name << " on " << gpu_name;
    }
  }
}

SimResult tile_job(const std::string& name, const std::vector<std::string>& overrides,
                   const std::string& order) {
  SimulationRequest request;
  request.job_path = std::string(HEDDLE_TESTS_DIR) + "/tiles/kernels/" + name + ".toml";
  request.overrides = overrides;
  request.gpu = "mi300x";
  if (!order.empty()) request.order = order::read_compact(order);
  return simulate_job(request);
}

/// An order in the place of the kernel's own is what the kernel does with that order in it.
TEST(SimulateJob, an_order_takes_the_place_of_the_kernels_own) {
  const SimResult patched = tile_job("gemm_grouped", {"GROUP_SIZE_M=4"}, "group(2)");
  const SimResult written = tile_job("gemm_grouped", {"GROUP_SIZE_M=2"}, "");
  const SimResult other = tile_job("gemm_grouped", {"GROUP_SIZE_M=4"}, "");
  EXPECT_EQ(patched.time_us, written.time_us);
  EXPECT_EQ(patched.l2.cache.hits, written.l2.cache.hits);
  EXPECT_NE(other.l2.cache.hits, written.l2.cache.hits);
}

/// Blocks that do their tiles one after the other ask for what the same blocks, traced whole, do.
TEST(SimulateJob, persistent_blocks_do_their_tiles_in_turn) {
  const std::string job = std::string(HEDDLE_TESTS_DIR) + "/tiles/kernels/persistent_strided.toml";
  const LoadedKernel whole = load_kernel(job, {});
  const config::Gpu gpu = config::read_gpu("mi300x");
  Simulator simulator(whole.program, whole.launch, gpu);
  const SimResult traced = simulator.run(identity(whole), {});
  const SimResult tiles = tile_job("persistent_strided", {}, "");
  EXPECT_EQ(tiles.blocks, 8);
  EXPECT_EQ(tiles.l1.cache.requests, traced.l1.cache.requests);
  EXPECT_EQ(tiles.bound_bytes, traced.bound_bytes);
  EXPECT_NEAR(tiles.time_us, traced.time_us, 0.15 * traced.time_us);
}

}  // namespace
}  // namespace heddle::sim
