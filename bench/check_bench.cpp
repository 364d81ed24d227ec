// How long verdicts take. The figures that matter: a 256x256 grid under 10 ms, 1..4096 under 1 s.
#include <benchmark/benchmark.h>

#include "emit/emit.h"
#include "order/compact.h"
#include "order/order.h"
#include "proof/check.h"
#include "proof/proven_order.h"

namespace {

using namespace heddle;

constexpr const char* kRowsToDies = R"(
pid_m = tl.program_id(0)
pid_n = tl.program_id(1)
rows = (M + BLOCK - 1) // BLOCK
cols = (N + BLOCK - 1) // BLOCK
block = pid_m * cols + pid_n
die = block % 8
turn = block // 8
block = (turn % rows) * cols + (turn // rows) * 8 + die
pid_m = block // cols
pid_n = block % cols
)";

constexpr const char* kExactRemap = R"(
pid = tl.program_id(0)
G = tl.num_programs(0)
x = pid % 8
n = (G + 7) // 8
a = G % 8
a = 8 if a == 0 else a
if x < a:
    pid = x * n + pid // 8
else:
    pid = a * n + (x - a) * (n - 1) + pid // 8
)";

void check_256x256(benchmark::State& state) {
  const order::Bindings bindings({"M=8192,N=8192,BLOCK=32"});
  order::Space space;
  space.launch = Grid({256, 256});
  for (auto _ : state) {
    const auto order = order::Order::from_formula(kRowsToDies, "bench", {});
    benchmark::DoNotOptimize(proof::check_grid(order, space, bindings, {}));
  }
}
BENCHMARK(check_256x256)->Unit(benchmark::kMillisecond);

void check_1_to_4096(benchmark::State& state) {
  const order::SpaceRange range("1..4096", "", {});
  for (auto _ : state) {
    const auto order = order::Order::from_formula(kExactRemap, "bench", {});
    benchmark::DoNotOptimize(proof::check_range(order, range, {}, {}));
  }
}
BENCHMARK(check_1_to_4096)->Unit(benchmark::kMillisecond);

void check_family(benchmark::State& state, const char* text, const char* range_text) {
  const order::SpaceRange range(range_text, "", {});
  const order::Order order = order::read_compact(text);
  for (auto _ : state) benchmark::DoNotOptimize(proof::check_range(order, range, {}, {}));
}
BENCHMARK_CAPTURE(check_family, xcd_1_to_4096, "xcd(8)", "1..4096")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(check_family, grouped_64x64, "xcd(8) | group(4)", "1..64x1..64")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(check_family, morton_256x256, "morton", "256x256")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(check_family, hilbert_256x256, "hilbert", "256x256")
    ->Unit(benchmark::kMillisecond);

void emit_hilbert(benchmark::State& state) {
  AllSizesReport report;
  const auto proven =
      proof::prove_all_sizes(order::read_compact("hilbert"), {2, 2, false}, {}, {}, report);
  for (auto _ : state)
    benchmark::DoNotOptimize(emit::emit_order(*proven, {emit::Dialect::hip, {}}));
}
BENCHMARK(emit_hilbert)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
