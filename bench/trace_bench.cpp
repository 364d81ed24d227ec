// What the interpreter costs. The figure that matters: one step of an attention loop, two loads of
// [32, 128] blocks and about a dozen instructions, well under 1 microsecond.
#include <benchmark/benchmark.h>

#include "trace/building.h"

namespace {

using namespace heddle;
using kernel::Opcode;
using trace::testing::Building;
using trace::testing::DType;
using trace::testing::ValueId;

constexpr std::int64_t kSequence = 1 << 16;
constexpr std::int64_t kRows = 32;
constexpr std::int64_t kSize = 128;
constexpr std::int64_t kSteps = kSequence / kRows;

class CountingSink : public trace::AccessSink {
 public:
  std::int64_t accesses = 0;
  std::int64_t sum = 0;
  void access(const trace::AccessPattern& pattern) override {
    ++accesses;
    sum += pattern.base + pattern.axis[0].last;
  }
};

/// for n in range(0, N, 32): load(K + (n + rows) * 128 + columns, mask), the same of V.
Building masked_attention() {
  Building kernel({1024});
  const ValueId k = kernel.tensor("k", DType::float16, {kSequence, kSize});
  const ValueId v = kernel.tensor("v", DType::float16, {kSequence, kSize});
  const ValueId count = kernel.parameter("n", {kSequence}, {DType::int32, false, {}});
  const ValueId stride = kernel.parameter("stride", {kSize}, {DType::int32, false, {}});
  const ValueId rows = kernel.arange(0, kRows);
  const ValueId columns = kernel.expand(kernel.arange(0, kSize), 0);
  kernel.for_range(kernel.constant(0), count, kernel.constant(kRows), [&](ValueId start) {
    const ValueId n = kernel.add(start, rows);
    const ValueId inside = kernel.binary(Opcode::less, n, count);
    const ValueId row = kernel.multiply(kernel.expand(n, 1), stride);
    const ValueId offsets = kernel.add(row, columns);
    const ValueId mask = kernel.broadcast_to(kernel.expand(inside, 1), {kRows, kSize});
    kernel.load(kernel.add_pointer(k, offsets), mask);
    kernel.load(kernel.add_pointer(v, offsets), mask);
  });
  return kernel;
}

/// The same with pointers that move on: load, load, k += 32 * 128, v += 32 * 128.
Building moving_attention() {
  Building kernel({1024});
  const ValueId k = kernel.tensor("k", DType::float16, {kSequence, kSize});
  const ValueId v = kernel.tensor("v", DType::float16, {kSequence, kSize});
  const ValueId row =
      kernel.multiply(kernel.expand(kernel.arange(0, kRows), 1), kernel.constant(kSize));
  const ValueId offsets = kernel.add(row, kernel.expand(kernel.arange(0, kSize), 0));
  const ValueId step = kernel.constant(kRows * kSize);
  const ValueId k_moving = kernel.value({DType::float16, true, {kRows, kSize}});
  const ValueId v_moving = kernel.value({DType::float16, true, {kRows, kSize}});
  kernel.append(Opcode::copy, {k_moving}, {kernel.add_pointer(k, offsets)});
  kernel.append(Opcode::copy, {v_moving}, {kernel.add_pointer(v, offsets)});
  const ValueId count = kernel.constant(kSequence);
  kernel.for_range(kernel.constant(0), count, kernel.constant(kRows), [&](ValueId) {
    kernel.load(k_moving);
    kernel.load(v_moving);
    kernel.append(Opcode::copy, {k_moving}, {kernel.add_pointer(k_moving, step)});
    kernel.append(Opcode::copy, {v_moving}, {kernel.add_pointer(v_moving, step)});
  });
  return kernel;
}

/// Rows picked by a table of page numbers: one load of the table, then of the rows it names.
Building paged_attention() {
  Building kernel({1024});
  config::Contents pages;
  pages.kind = config::Contents::Kind::uniform;
  pages.hi = kSequence;
  const ValueId table = kernel.tensor("pages", DType::int32, {kSequence}, pages);
  const ValueId k = kernel.tensor("k", DType::float16, {kSequence, kSize});
  const ValueId rows = kernel.arange(0, kRows);
  const ValueId columns = kernel.expand(kernel.arange(0, kSize), 0);
  const ValueId stride = kernel.constant(kSize);
  kernel.for_range(kernel.constant(0), kernel.constant(kSequence), kernel.constant(kRows),
                   [&](ValueId start) {
                     const ValueId n = kernel.add(start, rows);
                     const ValueId page = kernel.load_value(kernel.add_pointer(table, n));
                     const ValueId row = kernel.multiply(kernel.expand(page, 1), stride);
                     kernel.load(kernel.add_pointer(k, kernel.add(row, columns)));
                   });
  return kernel;
}

void run_steps(benchmark::State& state, Building (*make)()) {
  const Building kernel = make();
  trace::Tracer tracer(kernel.program, kernel.launch, {});
  CountingSink sink;
  for (auto _ : state) tracer.run({0, 0, 0}, sink);
  benchmark::DoNotOptimize(sink.sum);
  const auto steps = static_cast<double>(state.iterations()) * static_cast<double>(kSteps);
  state.counters["step"] =
      benchmark::Counter(steps, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(run_steps, attention_masked, masked_attention);
BENCHMARK_CAPTURE(run_steps, attention_moving, moving_attention);
BENCHMARK_CAPTURE(run_steps, attention_paged, paged_attention);

}  // namespace
