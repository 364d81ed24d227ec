// The simulated GPU: one cache level on four streams beside a plain cache, and the whole hierarchy.
#include <benchmark/benchmark.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/gpu.h"
#include "order/evaluate.h"
#include "pipeline.h"
#include "sim/cache/vector_lru.h"
#include "sim/cache/widest.h"
#include "sim/simulator.h"

namespace {

using namespace heddle;

constexpr std::uint32_t kSets = 2048;  // 4 MiB, 16 ways, 128 B
constexpr std::uint32_t kMegabyte = 8192;

/// Twice the line, plus 1 for a write.
using Access = std::uint32_t;
using Stream = std::vector<Access>;

constexpr std::uint32_t kRead = 0;
constexpr std::uint32_t kWrite = 1;

std::uint64_t next_random(std::uint64_t& state) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return state >> 33;
}

Stream streaming() {
  Stream stream;
  for (std::uint32_t k = 0; k < 4 << 20; ++k) stream.push_back(2 * k + kRead);
  return stream;
}

/// stencil_2d's tiles on die 0 of 8, in launch order, one after the other: rows of 16 KiB, tiles of
/// 32 rows by 64 B; centre, up, down, left, right, then the store.
Stream stencil() {
  Stream stream;
  constexpr std::int64_t kPitch = 16384;
  for (std::int64_t launch = 0; launch < 65536 && stream.size() < 4 << 20; launch += 8) {
    const std::int64_t row = launch % 256 * 32;
    const std::int64_t column = launch / 256 * 64;
    const auto load = [&](std::int64_t rows, std::int64_t bytes) {
      for (std::int64_t k = 0; k < 32; ++k) {
        const std::int64_t first = (row + k + rows) * kPitch + column + bytes;
        if (first < 0 || first >= 8192 * kPitch) continue;
        for (std::int64_t line = first / 128; line <= (first + 63) / 128; ++line)
          stream.push_back(2 * static_cast<std::uint32_t>(line) + kRead);
      }
    };
    load(0, 0), load(-1, 0), load(1, 0), load(0, -2), load(0, 2);
    for (std::int64_t k = 0; k < 32; ++k)
      stream.push_back(
          2 * static_cast<std::uint32_t>((1 << 20) + ((row + k) * kPitch + column) / 128) + kWrite);
  }
  return stream;
}

Stream uniform() {
  Stream stream;
  std::uint64_t state = 1;
  for (int k = 0; k < 4 << 20; ++k)
    stream.push_back(2 * static_cast<std::uint32_t>(next_random(state) % (64 * kMegabyte)) + kRead);
  return stream;
}

Stream mix() {
  Stream stream;
  std::uint64_t state = 2;
  for (int k = 0; k < 4 << 20; ++k) {
    const std::uint32_t span = next_random(state) % 2 == 0 ? 3 * kMegabyte : 64 * kMegabyte;
    const auto line = static_cast<std::uint32_t>(next_random(state) % span);
    stream.push_back(2 * line + (next_random(state) % 4 == 0 ? kWrite : kRead));
  }
  return stream;
}

const Stream& stream_of(int index) {
  static const std::vector<Stream> streams = {streaming(), stencil(), uniform(), mix()};
  return streams[static_cast<std::size_t>(index)];
}

struct Totals {
  std::int64_t misses = 0;
  std::int64_t writebacks = 0;
};

inline Totals run_stream(sim::VectorLru& cache, const Stream& stream) {
  constexpr std::size_t kAhead = 24;
  const Access* const accesses = stream.data();
  const std::size_t size = stream.size();
  std::int64_t misses = 0;
  std::int64_t writebacks = 0;
  const auto access = [&](Access a) {
    const std::uint32_t line = a >> 1;
    const sim::LineState bits = (a & 1) != 0 ? sim::state_of_write(0xf) : sim::state_of_read(0xf);
    const sim::CacheOutcome outcome = cache.access(line % kSets, line / kSets, bits);
    misses += outcome.missed;
    writebacks += sim::dirty_sectors(outcome.victim) != 0 ? 1 : 0;
  };
  std::size_t k = 0;
  for (; k + kAhead < size; ++k) {
    cache.prefetch((accesses[k + kAhead] >> 1) % kSets);
    access(accesses[k]);
  }
  for (; k < size; ++k) access(accesses[k]);
  return {misses, writebacks};
}

HEDDLE_AVX2 Totals run_avx2(sim::VectorLru& cache, const Stream& stream) {
  return run_stream(cache, stream);
}
HEDDLE_AVX512 Totals run_avx512(sim::VectorLru& cache, const Stream& stream) {
  return run_stream(cache, stream);
}

Totals run_vector(sim::VectorLru& cache, const Stream& stream) {
  switch (sim::widest()) {
    case sim::Width::avx512:
      return run_avx512(cache, stream);
    case sim::Width::avx2:
      return run_avx2(cache, stream);
    case sim::Width::usual:
      break;
  }
  return run_stream(cache, stream);
}

/// What one writes first: ways with tags, dirty bits and the time of their last use.
class AgeCache {
 public:
  Totals run(const Stream& stream) {
    Totals totals;
    for (const Access a : stream) {
      const std::uint32_t line = a >> 1;
      Way* const ways = &ways_[std::size_t{line % kSets} * 16];
      const std::uint32_t tag = line / kSets + 1;
      Way* found = nullptr;
      Way* oldest = ways;
      for (int k = 0; k < 16; ++k) {
        if (ways[k].tag == tag) found = &ways[k];
        if (ways[k].used < oldest->used) oldest = &ways[k];
      }
      if (found == nullptr) {
        ++totals.misses;
        totals.writebacks += oldest->dirty ? 1 : 0;
        found = oldest;
        *found = {tag, false, 0};
      }
      found->used = ++now_;
      found->dirty = found->dirty || (a & 1) != 0;
    }
    return totals;
  }

 private:
  struct Way {
    std::uint32_t tag = 0;
    bool dirty = false;
    std::uint64_t used = 0;
  };
  std::vector<Way> ways_ = std::vector<Way>(std::size_t{kSets} * 16);
  std::uint64_t now_ = 0;
};

const char* stream_name(std::int64_t index) {
  static const char* const names[] = {"streaming", "stencil", "random", "mix"};
  return names[index];
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void level_lru(benchmark::State& state) {
  const Stream& stream = stream_of(static_cast<int>(state.range(0)));
  state.SetLabel(stream_name(state.range(0)));
  Totals fast;
  double best = 1e9;
  for (auto _ : state) {
    sim::VectorLru cache(kSets);
    best = std::min(best, seconds_of([&] { fast = run_vector(cache, stream); }));
    benchmark::DoNotOptimize(fast);
  }
  Totals slow;
  double plain = 1e9;
  for (int k = 0; k < 3; ++k) {
    AgeCache cache;
    plain = std::min(plain, seconds_of([&] { slow = cache.run(stream); }));
  }
  if (slow.misses != fast.misses || slow.writebacks != fast.writebacks)
    state.SkipWithError("the counts differ from those of the plain cache");
  const auto count = static_cast<double>(stream.size());
  state.counters["M_accesses_per_s"] = count / best / 1e6;
  state.counters["times_plain"] = plain / best;
  state.counters["plain_M_per_s"] = count / plain / 1e6;
}
BENCHMARK(level_lru)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);

order::Map identity(std::int64_t count) {
  order::Map map(static_cast<std::size_t>(count));
  for (std::int64_t k = 0; k < count; ++k) map[static_cast<std::size_t>(k)] = k;
  return map;
}

/// A job with its simulator; tiles are traced by the first run.
struct Prepared {
  explicit Prepared(const std::string& job, const std::string& gpu_name,
                    const std::vector<std::string>& overrides)
      : loaded(load_kernel(std::string(HEDDLE_EXAMPLES_DIR) + "/" + job + ".toml", overrides)),
        gpu(config::read_gpu(gpu_name)),
        simulator(loaded.program, loaded.launch, gpu),
        map(identity(loaded.launch.grid.count())) {}
  LoadedKernel loaded;
  config::Gpu gpu;
  sim::Simulator simulator;
  order::Map map;
};

/// What the whole launch asks its first caches for.
std::int64_t requests_of(const SimResult& result) {
  std::int64_t total = result.l1.cache.requests + result.l1.writes + result.l1.atomics;
  if (result.scalar) total += result.scalar->cache.requests + result.scalar->duplicate_misses;
  return std::max<std::int64_t>(1, total);
}

void replay(benchmark::State& state, const char* job, const char* gpu, sim::Fidelity fidelity,
            int threads, std::int64_t sample_requests = 20'000'000) {
  Prepared prepared(job, gpu, {});
  sim::SimOptions options;
  options.fidelity = fidelity;
  options.threads = threads;
  options.sample_requests = sample_requests;
  SimResult result = prepared.simulator.run(prepared.map, options);
  for (auto _ : state) result = prepared.simulator.run(prepared.map, options);
  state.counters["M_requests_per_s"] =
      benchmark::Counter(static_cast<double>(result.sample.requests) / 1e6,
                         benchmark::Counter::kIsIterationInvariantRate);
  // L1 and L2 together, as "accesses" of other simulators count.
  state.counters["M_accesses_per_s"] = benchmark::Counter(
      static_cast<double>(result.sample.requests +
                          result.l2.cache.requests * result.sample.requests / requests_of(result)) /
          1e6,
      benchmark::Counter::kIsIterationInvariantRate);
  state.counters["requests"] = static_cast<double>(result.sample.requests);
  state.counters["L2_hit_pct"] = result.l2.cache.hit_rate_pct();
}

#define HEDDLE_REPLAY(job, gpu)                                                       \
  BENCHMARK_CAPTURE(replay, exact_##job##_##gpu, #job, #gpu, sim::Fidelity::exact, 1) \
      ->Unit(benchmark::kMillisecond)                                                 \
      ->UseRealTime()
HEDDLE_REPLAY(stencil_2d, mi300x);
HEDDLE_REPLAY(copy, mi300x);
HEDDLE_REPLAY(gemm, mi300x);
HEDDLE_REPLAY(ising, mi300x);
HEDDLE_REPLAY(attention_causal, mi300x);
HEDDLE_REPLAY(stencil_2d, h200);
HEDDLE_REPLAY(gemm, h200);
BENCHMARK_CAPTURE(replay, exact_two_threads_stencil_2d, "stencil_2d", "mi300x",
                  sim::Fidelity::exact, 2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(replay, sampled_stencil_2d, "stencil_2d", "mi300x", sim::Fidelity::sampled, 2,
                  2'000'000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
