// C++ kernels on the simulated GPU: patterns by thread, and what a compiler says of them.
#include <gtest/gtest.h>

#include "kernel/native.h"
#include "sim/driving.h"
#include "sim/occupancy.h"
#include "sim/recorder.h"
#include "support/error.h"

namespace heddle::sim {
namespace {

using kernel::MemoryKind;

constexpr std::int64_t kTensorBytes = 4 << 20;

/// A program of a few sites, whose compiler's answer is known.
struct Kernel {
  kernel::KernelProgram program;
  config::Launch launch;
  std::vector<kernel::NativeAtomic> atomics;
  kernel::TargetFacts facts;

  explicit Kernel(std::vector<MemoryKind> kinds, int threads = 64) {
    for (const MemoryKind kind : kinds) program.sites.emplace_back().kind = kind;
    launch.threads = {threads, 1, 1};
    config::Tensor tensor;
    tensor.name = "a";
    tensor.address = std::uint64_t{1} << 32;
    tensor.bytes = kTensorBytes;
    launch.tensors.push_back(tensor);
    facts.scalar.resize(kinds.size());
  }

  /// The answer is the same for every target.
  const kernel::KernelProgram& compiled() {
    kernel::NativeCode code;
    code.atomics = atomics;
    code.atomics.resize(program.sites.size());
    kernel::FactsByTarget known;
    for (const char* target : {"gfx90a", "gfx942", "sm_80", "sm_90"}) {
      facts.target = target;
      known[target] = std::make_shared<kernel::TargetFacts>(facts);
    }
    kernel::Body::set(program,
                      std::make_shared<kernel::NativeKernel>(std::move(code), std::move(known)));
    return program;
  }
};

/// One element for each thread of a row, `stride` bytes apart.
trace::AccessPattern threads_of(int site, std::int64_t threads, int element_bytes,
                                std::int64_t stride, std::int64_t offset = 0) {
  trace::AccessPattern pattern;
  pattern.by_thread = true;
  pattern.site = site;
  pattern.tensor = 0;
  pattern.element_bytes = element_bytes;
  pattern.base = (std::int64_t{1} << 32) + offset;
  pattern.axes = 1;
  pattern.axis[0].extent = pattern.axis[0].last = threads;
  pattern.axis[0].stride = stride;
  return pattern;
}

/// Records tiles of patterns and replays them.
class Replay {
 public:
  Replay(Kernel kernel, config::Gpu gpu)
      : kernel_(std::move(kernel)),
        gpu_(std::move(gpu)),
        program_(kernel_.compiled()),
        pages_(kernel_.launch, gpu_),
        context_(program_, program_.work(kernel_.launch, gpu_), kernel_.launch, gpu_, pages_),
        recorder_(context_) {}

  void tile(const std::vector<trace::AccessPattern>& patterns) {
    recorder_.begin(chunk_);
    for (const trace::AccessPattern& pattern : patterns) recorder_.access(pattern);
    tiles_.push_back(recorder_.end());
  }

  const TileTrace& trace(std::size_t tile) const { return tiles_[tile]; }

  SimResult run(std::int64_t sets = 1) {
    const auto source = [this](std::int64_t tile, int) {
      return tiles_[static_cast<std::size_t>(tile)];
    };
    testing::DriveOptions options;
    options.map.resize(tiles_.size());
    std::iota(options.map.begin(), options.map.end(), 0);
    options.sets = sets;
    options.sources.assign(static_cast<std::size_t>(gpu_.compute.dies), source);
    testing::Driven driven(gpu_, kTensorBytes, testing::Script(), options);
    driven.run();
    cycles_ = driven.cycles();
    return driven.result();
  }
  double cycles() const { return cycles_; }

 private:
  Kernel kernel_;
  config::Gpu gpu_;
  kernel::KernelProgram program_;
  Pages pages_;
  RecordContext context_;
  Recorder recorder_;
  TraceChunk chunk_;
  std::vector<TileTrace> tiles_;
  double cycles_ = 0;
};

config::Gpu small_mi210() {
  config::Gpu gpu = testing::one_die("mi210");
  gpu.compute.compute_units = 1;
  gpu.compute.shader_engines = 1;
  gpu.scalar_cache->count = 0;
  return gpu;
}

// ---- counters as Omniperf shows them for a kernel of an MI210 -----------------------------------

TEST(Native, a_load_of_64_doubles_counts_as_on_an_mi210) {
  Replay replay(Kernel({MemoryKind::read}), small_mi210());
  replay.tile({threads_of(0, 64, 8, 8)});
  const SimResult result = replay.run();
  EXPECT_EQ(result.l1.read_requests, 64);
  EXPECT_EQ(result.l1.accesses(), 16);
  EXPECT_EQ(result.l1.cache.hits, 8);
  EXPECT_EQ(result.l1.reads_to_l2, 8);
  EXPECT_EQ(result.l2.reads, 4);
  EXPECT_DOUBLE_EQ(result.l1.hit_rate_of_accesses_pct(), 50);
}

TEST(Native, a_mask_does_not_change_the_requests_of_a_wave) {
  Replay replay(Kernel({MemoryKind::read}, 128), small_mi210());
  trace::AccessPattern pattern = threads_of(0, 128, 8, 8);
  pattern.axis[0].last = 3;  // of two waves one has nothing to do
  replay.tile({pattern});
  const SimResult result = replay.run();
  EXPECT_EQ(result.l1.read_requests, 64);
  EXPECT_EQ(result.l1.accesses(), 1);
}

TEST(Native, atomics_of_a_wave_on_one_address_count_each) {
  Replay replay(Kernel({MemoryKind::atomic}), small_mi210());
  replay.tile({threads_of(0, 64, 8, 0)});
  const SimResult all = replay.run();
  EXPECT_EQ(all.l1.atomic_requests, 64);
  EXPECT_EQ(all.l1.accesses(), 64);
  EXPECT_EQ(all.l1.atomics_to_l2, 64);
  EXPECT_EQ(all.l2.atomics, 64);
}

TEST(Native, an_atomic_of_one_lane_is_one_access) {
  Replay replay(Kernel({MemoryKind::atomic}), small_mi210());
  trace::AccessPattern pattern = threads_of(0, 64, 8, 0);
  pattern.axis[0].last = 1;
  replay.tile({pattern});
  const SimResult one = replay.run();
  EXPECT_EQ(one.l1.atomic_requests, 64);
  EXPECT_EQ(one.l1.accesses(), 1);
  EXPECT_EQ(one.l1.atomics_to_l2, 1);
  EXPECT_EQ(one.l2.atomics, 1);
}

TEST(Native, stores_count_their_lookups) {
  Replay replay(Kernel({MemoryKind::write}), small_mi210());
  replay.tile({threads_of(0, 64, 8, 8)});
  const SimResult result = replay.run();
  EXPECT_EQ(result.l1.write_requests, 64);
  EXPECT_EQ(result.l1.accesses(), 16);
  EXPECT_EQ(result.l1.writes_to_l2, 8);
}

TEST(Native, on_nvidia_a_wave_instruction_is_one_request) {
  config::Gpu gpu = testing::one_die("h200");
  Replay replay(Kernel({MemoryKind::read, MemoryKind::atomic}), gpu);
  replay.tile({threads_of(0, 64, 8, 8), threads_of(1, 64, 8, 0)});
  const SimResult result = replay.run();
  EXPECT_EQ(result.l1.read_requests, 2);
  EXPECT_EQ(result.l1.atomic_requests, 2);
  EXPECT_EQ(result.l1.cache.requests, 16);  // sectors
  EXPECT_EQ(result.l1.atomics, 2);
}

TEST(Native, requests_of_a_sample_stand_for_the_launch) {
  Replay replay(Kernel({MemoryKind::read}), small_mi210());
  for (std::int64_t k = 0; k < 64; ++k) {
    std::vector<trace::AccessPattern> patterns;
    for (std::int64_t round = 0; round < 32; ++round)
      patterns.push_back(threads_of(0, 64, 8, 8, (k * 32 + round) * 512));
    replay.tile(patterns);
  }
  const SimResult sampled = replay.run(4);
  EXPECT_EQ(sampled.l1.read_requests, 64 * 32 * 64);
  EXPECT_NEAR(static_cast<double>(sampled.l1.accesses()), 64 * 32 * 16, 64 * 32 * 4);
}

TEST(Native, every_lookup_takes_its_turn_at_the_port) {
  const auto cycles_of = [](int element_bytes) {
    Replay replay(Kernel({MemoryKind::read}), small_mi210());
    std::vector<trace::AccessPattern> patterns;
    for (int round = 0; round < 2000; ++round)
      patterns.push_back(threads_of(0, 64, element_bytes, element_bytes));
    replay.tile(patterns);
    const SimResult result = replay.run();
    EXPECT_EQ(result.l1.accesses(), 2000 * (element_bytes == 8 ? 16 : 4));
    for (const Utilization& use : result.utilization)
      if (use.resource == "L1") return use.percent / 100 * replay.cycles();
    return 0.0;
  };
  EXPECT_NEAR(cycles_of(8), 2000 * 16, 100);
  EXPECT_NEAR(cycles_of(4), 2000 * 4, 100);
}

// ---- scalar loads -------------------------------------------------------------------------------

TEST(Native, loads_that_the_compiler_makes_scalar_go_to_the_scalar_cache) {
  Kernel kernel({MemoryKind::read, MemoryKind::read}, 256);
  kernel.facts.scalar = {1, 0};
  Replay replay(kernel, small_mi210());
  replay.tile({threads_of(0, 256, 8, 0), threads_of(1, 256, 8, 0)});
  const SimResult result = replay.run();
  EXPECT_EQ(result.scalar->cache.requests + result.scalar->duplicate_misses, 4);  // one a wave
  EXPECT_EQ(result.l1.read_requests, 256);  // of the other load
}

TEST(Native, a_scalar_load_of_several_addresses_is_none) {
  Kernel kernel({MemoryKind::read}, 64);
  kernel.facts.scalar = {1};
  Replay replay(kernel, small_mi210());
  replay.tile({threads_of(0, 64, 8, 8)});
  EXPECT_EQ(replay.run().l1.read_requests, 64);
}

TEST(Native, scalar_caches_are_as_many_as_the_file_says) {
  const config::Gpu gpu = config::read_gpu("mi210");
  ASSERT_EQ(gpu.scalar_cache->caches_of(104), 56);
  std::vector<int> units(56);
  int last = 0;
  for (int unit = 0; unit < 104; ++unit) {
    const int cache = gpu.scalar_cache->cache_of(unit, 104);
    EXPECT_TRUE(cache == last || cache == last + 1);
    last = cache;
    ++units[static_cast<std::size_t>(cache)];
  }
  EXPECT_EQ(std::count(units.begin(), units.end(), 2), 48);
  EXPECT_EQ(std::count(units.begin(), units.end(), 1), 8);
}

// ---- recording ----------------------------------------------------------------------------------

TEST(Native, a_loop_over_rows_is_one_shape) {
  Replay replay(Kernel({MemoryKind::read}), small_mi210());
  std::vector<trace::AccessPattern> patterns;
  for (std::int64_t round = 0; round < 100; ++round)
    patterns.push_back(threads_of(0, 64, 8, 8, round * 1024));
  replay.tile(patterns);
  EXPECT_EQ(replay.trace(0).instructions, 100);
  EXPECT_EQ(replay.trace(0).segments, 1U);
}

TEST(Native, a_loop_over_elements_is_as_many_shapes_as_a_line_has) {
  Replay replay(Kernel({MemoryKind::read}), small_mi210());
  std::vector<trace::AccessPattern> patterns;
  for (std::int64_t round = 0; round < 800; ++round)
    patterns.push_back(threads_of(0, 64, 8, 0, round * 8));
  replay.tile(patterns);
  EXPECT_LE(replay.trace(0).segments, 2U);
}

TEST(Native, masks_are_compared_byte_by_byte) {
  Replay replay(Kernel({MemoryKind::read}), small_mi210());
  std::vector<std::uint8_t> even(64);
  for (std::size_t k = 0; k < even.size(); k += 2) even[k] = 1;
  std::vector<std::uint8_t> first(64);
  first[0] = 1;
  const auto masked = [](const std::vector<std::uint8_t>& mask) {
    trace::AccessPattern pattern = threads_of(0, 64, 8, 8);
    pattern.active = mask.data();
    return pattern;
  };
  replay.tile({masked(even), masked(even), masked(first), threads_of(0, 64, 8, 8), masked(even)});
  std::vector<const Shape*> shapes;
  for (TraceCursor cursor(replay.trace(0)); !cursor.at_end(); cursor.advance())
    shapes.push_back(&cursor.shape());
  ASSERT_EQ(shapes.size(), 5U);
  EXPECT_EQ(shapes[0], shapes[1]);
  EXPECT_EQ(shapes[0], shapes[4]);
  EXPECT_NE(shapes[0], shapes[2]);
  EXPECT_NE(shapes[0], shapes[3]);
  EXPECT_EQ(shapes[0]->requests.size(), 8U);
  EXPECT_EQ(shapes[2]->requests.size(), 1U);
}

TEST(Native, only_atomics_whose_result_is_used_are_awaited) {
  Kernel kernel({MemoryKind::read, MemoryKind::atomic, MemoryKind::atomic});
  using kernel::AtomicFunction;
  kernel.atomics = {
      {}, {AtomicFunction::add, false, false, true}, {AtomicFunction::add, false, false, false}};
  Replay replay(kernel, small_mi210());
  replay.tile({threads_of(0, 64, 8, 8), threads_of(1, 64, 8, 8), threads_of(2, 64, 8, 8)});
  std::vector<bool> awaited;
  for (TraceCursor cursor(replay.trace(0)); !cursor.at_end(); cursor.advance())
    awaited.push_back(cursor.shape().awaited);
  EXPECT_EQ(awaited, (std::vector<bool>{false, true, false}));
}

TEST(Native, dense_addresses_and_unknown_tensors) {
  Replay replay(Kernel({MemoryKind::read}), small_mi210());
  std::vector<std::int64_t> addresses(64);
  for (std::size_t k = 0; k < addresses.size(); ++k)
    addresses[k] = (std::int64_t{1} << 32) + static_cast<std::int64_t>(k * k) * 64;
  trace::AccessPattern dense = threads_of(0, 64, 8, 8);
  dense.addresses = addresses.data();
  trace::AccessPattern unknown = dense;
  unknown.tensor = -1;
  replay.tile({dense, unknown});
  const SimResult result = replay.run();
  EXPECT_EQ(result.l1.accesses(), 128);
  EXPECT_EQ(result.l1.read_requests, 128);
  EXPECT_EQ(result.l1.cache.misses, 64);  // the same lines again
}

// ---- what the compiler says ---------------------------------------------------------------------

TEST(Native, occupancy_is_the_compilers) {
  Kernel kernel({MemoryKind::read}, 200);  // 4 waves, the last one not full
  kernel.facts.registers = 100;
  kernel.facts.shared_bytes = 10'000;
  const config::Gpu gpu = config::read_gpu("mi210");
  Occupancy occupancy = find_occupancy(kernel.compiled(), kernel.launch, gpu);
  EXPECT_EQ(occupancy.registers, 104);
  EXPECT_EQ(occupancy.shared_bytes, 10'000);
  EXPECT_FALSE(occupancy.estimated);
  EXPECT_EQ(occupancy.blocks, 4);  // 131,072 / (256 x 104)
  kernel.launch.shared_bytes = 20'000;
  occupancy = find_occupancy(kernel.program, kernel.launch, gpu);
  EXPECT_EQ(occupancy.shared_bytes, 30'000);
  EXPECT_EQ(occupancy.limited_by, "shared memory");
  kernel.launch.registers = 32;
  EXPECT_EQ(find_occupancy(kernel.program, kernel.launch, gpu).registers, 32);
  EXPECT_EQ(find_occupancy(kernel.program, kernel.launch, gpu).blocks, 2);  // of 64 KiB
}

TEST(Native, occupancy_is_estimated_where_the_compiler_is_another) {
  Kernel kernel({MemoryKind::read}, 256);
  kernel.facts.registers = 400;  // more than a thread of NVIDIA's can have
  const config::Gpu h200 = config::read_gpu("h200");
  const Occupancy guess = find_occupancy(kernel.compiled(), kernel.launch, h200);
  EXPECT_TRUE(guess.estimated);
  EXPECT_EQ(guess.registers, 256);
  kernel.facts.reason = "no compiler";
  const config::Gpu mi210 = config::read_gpu("mi210");
  EXPECT_TRUE(find_occupancy(kernel.compiled(), kernel.launch, mi210).estimated);
  kernel.launch.threads = {64 * 33, 1, 1};
  EXPECT_THROW(find_occupancy(kernel.program, kernel.launch, mi210), Error);
}

TEST(Native, code_is_as_long_as_the_compiler_makes_it) {
  Kernel kernel({MemoryKind::read, MemoryKind::write});
  kernel.facts.code_bytes = 512;
  const config::Gpu gpu = config::read_gpu("mi210");
  const kernel::Work work = kernel.compiled().work(kernel.launch, gpu);
  EXPECT_EQ(work.code_bytes, 512);
  EXPECT_EQ(work.before, std::vector<double>(2));
  kernel.facts.reason = "no compiler";
  EXPECT_GT(kernel.compiled().work(kernel.launch, gpu).code_bytes, 0);
}

}  // namespace
}  // namespace heddle::sim
