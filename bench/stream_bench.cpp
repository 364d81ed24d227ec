// From access patterns to lines and requests. The figure that matters: 128 lines of a [32, 128]
// fp32 block under 150 ns.
#include <benchmark/benchmark.h>

#include <vector>

#include "trace/coalesce.h"
#include "trace/runs.h"

namespace {

using namespace heddle::trace;

AccessPattern rows_block(std::int64_t rows, std::int64_t columns, int element_bytes,
                         std::int64_t pitch) {
  AccessPattern pattern;
  pattern.base = std::int64_t{1} << 40;
  pattern.element_bytes = element_bytes;
  pattern.axes = 2;
  pattern.axis[0].extent = pattern.axis[0].last = rows;
  pattern.axis[0].stride = pitch;
  pattern.axis[1].extent = pattern.axis[1].last = columns;
  pattern.axis[1].stride = element_bytes;
  return pattern;
}

constexpr int kLineBytes = 128;

// The buffer is what a stream is written to: kept, and begun again when it is full.
constexpr std::size_t kBufferLines = 1 << 16;

void lines_of_block(benchmark::State& state, std::int64_t rows, std::int64_t columns, int bytes,
                    std::int64_t pitch) {
  AccessPattern pattern = rows_block(rows, columns, bytes, pitch);
  std::vector<std::uint64_t> lines;
  lines.reserve(2 * kBufferLines);
  std::int64_t written = 0;
  for (auto _ : state) {
    const std::size_t before = lines.size();
    append_lines(pattern, kLineBytes, lines);
    written += static_cast<std::int64_t>(lines.size() - before);
    benchmark::DoNotOptimize(lines.data());
    benchmark::ClobberMemory();
    if (lines.size() > kBufferLines) lines.clear();
    pattern.base += pitch * rows;
  }
  state.SetItemsProcessed(written);
}
BENCHMARK_CAPTURE(lines_of_block, attention_32x128_fp32, 32, 128, 4, 8192);
BENCHMARK_CAPTURE(lines_of_block, stencil_32x32_fp16, 32, 32, 2, 16384);
BENCHMARK_CAPTURE(lines_of_block, gemm_128x64_fp16, 128, 64, 2, 16384);
BENCHMARK_CAPTURE(lines_of_block, contiguous_1024_fp32, 1, 1024, 4, 4096);

void requests_of_block(benchmark::State& state, std::int64_t rows, std::int64_t columns, int bytes,
                       std::int64_t pitch) {
  AccessPattern pattern = rows_block(rows, columns, bytes, pitch);
  std::vector<Request> requests;
  std::int64_t made = 0;
  for (auto _ : state) {
    requests.clear();
    append_requests(pattern, blocked_layout(pattern, {4, 64}), kLineBytes, requests);
    made += static_cast<std::int64_t>(requests.size());
    benchmark::DoNotOptimize(requests.data());
    benchmark::ClobberMemory();
    pattern.base += pitch * rows;
  }
  state.SetItemsProcessed(made);
}
BENCHMARK_CAPTURE(requests_of_block, attention_32x128_fp32, 32, 128, 4, 8192);
BENCHMARK_CAPTURE(requests_of_block, stencil_32x32_fp16, 32, 32, 2, 16384);
BENCHMARK_CAPTURE(requests_of_block, gemm_128x64_fp16, 128, 64, 2, 16384);

void lines_of_gather(benchmark::State& state) {
  AccessPattern pattern = rows_block(1, 128, 2, 0);
  std::vector<std::int64_t> table(128);
  std::uint64_t random = 1;
  for (std::int64_t& offset : table) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    offset = static_cast<std::int64_t>(random >> 52) * 2;
  }
  pattern.axis[1].table = table.data();
  std::vector<std::uint64_t> lines;
  for (auto _ : state) {
    lines.clear();
    append_lines(pattern, kLineBytes, lines);
    benchmark::DoNotOptimize(lines.data());
  }
  state.SetItemsProcessed(state.iterations() * 128);
}
BENCHMARK(lines_of_gather);

}  // namespace
