// The examples as a user traces them, without reading the kernel. The figures that matter:
// stencil_2d whole under 0.5 s; the line stream of attention_fwd at 200 million lines a second or
// more.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "pipeline.h"
#include "trace/analyze.h"
#include "trace/independence.h"
#include "trace/runs.h"
#include "trace/tracer.h"

namespace {

using namespace heddle;

constexpr int kLineBytes = 128;
constexpr std::size_t kBufferLines = 1 << 16;

LoadedKernel load(const std::string& name) {
  return load_kernel(std::string(HEDDLE_EXAMPLES_DIR) + "/" + name + ".toml", {});
}

/// Writes every line of every access to a buffer, and begins it again when it is full.
class LineStream : public trace::AccessSink {
 public:
  LineStream() { buffer_.reserve(2 * kBufferLines); }

  void access(const trace::AccessPattern& pattern) override {
    const std::size_t before = buffer_.size();
    trace::append_lines(pattern, kLineBytes, buffer_);
    written += static_cast<std::int64_t>(buffer_.size() - before);
    if (buffer_.size() < kBufferLines) return;
    benchmark::DoNotOptimize(buffer_.data());
    benchmark::ClobberMemory();
    buffer_.clear();
  }

  std::int64_t written = 0;

 private:
  std::vector<std::uint64_t> buffer_;
};

/// Some tiles of an example; 0: all of them.
void stream_lines(benchmark::State& state, const char* name, std::int64_t tiles) {
  const LoadedKernel loaded = load(name);
  const kernel::KernelProgram program = kernel::remove_unneeded(loaded.program, kernel::Keep::all);
  trace::Tracer tracer(program, loaded.launch, {});
  const std::int64_t all = loaded.launch.grid.count();
  const std::int64_t count = tiles == 0 ? all : tiles;
  LineStream stream;
  for (auto _ : state) {
    for (std::int64_t i = 0; i < count; ++i)
      tracer.run(block_of(loaded.launch.grid, LaunchId{i * (all / count)}), stream);
  }
  state.SetItemsProcessed(stream.written);
}
BENCHMARK_CAPTURE(stream_lines, attention_fwd_64_tiles, "attention_fwd", 64)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(stream_lines, stencil_2d, "stencil_2d", 0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(stream_lines, gemm, "gemm", 0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(stream_lines, spmv, "spmv", 0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(stream_lines, ising, "ising", 0)->Unit(benchmark::kMillisecond);

void analyze_example(benchmark::State& state, const char* name) {
  const LoadedKernel loaded = load(name);
  for (auto _ : state) benchmark::DoNotOptimize(trace::analyze(loaded.program, loaded.launch, {}));
}
BENCHMARK_CAPTURE(analyze_example, stencil_2d, "stencil_2d")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(analyze_example, gemm, "gemm")->Unit(benchmark::kMillisecond);

void find_independence_of_example(benchmark::State& state, const char* name) {
  const LoadedKernel loaded = load(name);
  for (auto _ : state) {
    IndependenceReport report;
    benchmark::DoNotOptimize(trace::find_independence(loaded.program, loaded.launch, {}, report));
  }
}
BENCHMARK_CAPTURE(find_independence_of_example, stencil_2d, "stencil_2d")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(find_independence_of_example, in_place, "in_place")
    ->Unit(benchmark::kMillisecond);

}  // namespace
