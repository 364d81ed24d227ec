// What tracing a C++ kernel costs, on one core for both processes. The figure that matters: at most
// 30 ns an access for kernels without barriers.
#include <benchmark/benchmark.h>
#include <sched.h>

#include <chrono>
#include <string>

#include "pipeline.h"
#include "support/grid.h"
#include "trace/runs.h"
#include "trace/tracer.h"

namespace {

using namespace heddle;

class CountingSink : public trace::AccessSink {
 public:
  std::int64_t accesses = 0;
  void access(const trace::AccessPattern& pattern) override {
    accesses += trace::active_elements(pattern);
  }
};

/// This process, and those that it starts, share one core.
void stay_on_one_core() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  sched_setaffinity(0, sizeof one, &one);
}

/// Traces tiles one after the other; the first ones start the runner and do not count.
void trace_tiles(benchmark::State& state, const std::string& job,
                 const std::vector<std::string>& overrides) {
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  const LoadedKernel loaded =
      load_kernel(std::string(HEDDLE_EXAMPLES_DIR) + "/" + job + ".toml", overrides);
  stay_on_one_core();
  trace::Tracer tracer(loaded.program, loaded.launch, {});
  CountingSink sink;
  std::int64_t id = 0;
  const auto next = [&] {
    const Grid& grid = loaded.launch.grid;
    tracer.run(block_of(grid, LaunchId{id++ % grid.count()}), sink);
  };
  for (int k = 0; k < 4; ++k) next();
  id = 0;
  sink.accesses = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (auto _ : state) next();
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
  state.counters["ns_per_access"] = took.count() / static_cast<double>(sink.accesses);
  sched_setaffinity(0, sizeof all, &all);
}

BENCHMARK_CAPTURE(trace_tiles, yax_slow, "yax_slow", {"n=131072", "m=4096"})
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(trace_tiles, transpose_naive, "transpose_naive", {})
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(trace_tiles, stencil, "stencil_2d_hip", {})
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(trace_tiles, hundred_million_accesses, "yax_slow", {"n=64", "m=800000"})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1)
    ->UseRealTime();
// With barriers and shuffles, for comparison.
BENCHMARK_CAPTURE(trace_tiles, yax_fast, "yax_fast", {})
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(trace_tiles, sgemm, "sgemm_tiled", {})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
