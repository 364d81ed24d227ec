// How far sampled replays are from full ones: every example, several orders, one table.
//
//   heddle_sampling mi300x 20000000 [JOB ...]       the GPU, the most requests of a sample
//
// Prints for each order the L2 hit rate and the predicted time of both, and at the end of each job
// the worst error and the pairs of orders that rank differently although their full times differ by
// over 3 %.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "config/gpu.h"
#include "order/compact.h"
#include "order/evaluate.h"
#include "order/order.h"
#include "pipeline.h"
#include "sim/simulator.h"
#include "support/error.h"
#include "support/text.h"

namespace {

using namespace heddle;

struct Case {
  std::string name;
  order::Map map;
};

/// Orders of published logs and of the SwizzlePerf study, as functions of (p0, p1) on a square
/// grid.
std::vector<Case> square_orders(std::int64_t side) {
  using Tile = std::function<std::int64_t(std::int64_t, std::int64_t)>;
  const std::int64_t chunk = side * side / 8;
  const std::vector<std::pair<std::string, Tile>> functions = {
      {"contiguous by die",
       [=](std::int64_t p0, std::int64_t p1) {
         const std::int64_t b = p0 * side + p1;
         return b / 8 + b % 8 * chunk;
       }},
      {"columns of 8",
       [=](std::int64_t p0, std::int64_t p1) {
         const std::int64_t b = p0 * side + p1;
         const std::int64_t r = b / 8;
         return r % side * side + r / side * 8 + b % 8;
       }},
      {"rows to dies", [=](std::int64_t p0, std::int64_t p1) {
         const std::int64_t b = p0 * side + p1;
         const std::int64_t x = b / side % 8;
         const std::int64_t r = b / (8 * side);
         return (r * side + b % side) * 8 + x;
       }}};
  std::vector<Case> cases;
  for (const auto& [name, tile] : functions) {
    Case one{name, order::Map(static_cast<std::size_t>(side * side))};
    for (std::int64_t p1 = 0; p1 < side; ++p1) {
      for (std::int64_t p0 = 0; p0 < side; ++p0) {
        const std::int64_t t = tile(p0, p1);  // row-major: t / side is the row, which axis 0 counts
        one.map[static_cast<std::size_t>(p0 + p1 * side)] = t / side + t % side * side;
      }
    }
    cases.push_back(std::move(one));
  }
  return cases;
}

std::vector<Case> cases_for(const Grid& grid) {
  std::vector<Case> cases;
  for (const char* text :
       {"identity", "xcd(8)", "xcd_chunk(8, 16)", "group(8)", "xcd(8) | group(8)", "hilbert"}) {
    try {
      cases.push_back(
          {text, order::materialize(order::read_compact(text), {grid, std::nullopt}, {})});
    } catch (const Error&) {
      // Walks need a plane.
    }
  }
  if (grid.axes() == 2 && grid.extent(0) == grid.extent(1) && grid.extent(0) % 8 == 0)
    for (Case& one : square_orders(grid.extent(0))) cases.push_back(std::move(one));
  return cases;
}

struct Outcome {
  double hit = 0;
  double time = 0;
};

void report(const std::string& job, const config::Gpu& gpu,
            const std::vector<std::string>& overrides, std::int64_t sample_requests) {
  const LoadedKernel loaded =
      load_kernel(std::string(HEDDLE_EXAMPLES_DIR) + "/" + job + ".toml", overrides);
  sim::Simulator simulator(loaded.program, loaded.launch, gpu);
  fmt::print("{} on {}: {:.1f} M requests\n", job, gpu.name,
             static_cast<double>(simulator.requests_estimated()) / 1e6);
  std::vector<Outcome> full;
  std::vector<Outcome> sampled;
  const std::vector<Case> cases = cases_for(loaded.launch.grid);
  double worst = 0;
  for (const Case& one : cases) {
    const auto start = std::chrono::steady_clock::now();
    const SimResult a = simulator.run(one.map, {.fidelity = sim::Fidelity::exact});
    const auto middle = std::chrono::steady_clock::now();
    const SimResult b = simulator.run(
        one.map, {.fidelity = sim::Fidelity::sampled, .sample_requests = sample_requests});
    const auto end = std::chrono::steady_clock::now();
    full.push_back({a.l2.cache.hit_rate_pct(), a.time_us});
    sampled.push_back({b.l2.cache.hit_rate_pct(), b.time_us});
    const double off = sampled.back().hit - full.back().hit;
    worst = std::max(worst, std::abs(off));
    fmt::print(
        "  {:20} L1 {:5.1f} {:5.1f} L2 {:6.2f} {:6.2f} ({:+5.2f}, said +-{:.2f})  us {:9.1f} "
        "{:9.1f} ({:+5.1f} %)  "
        "{:5.2f} M, {:5.2f} s, {:5.3f} s\n",
        one.name, a.l1.cache.hit_rate_pct(), b.l1.cache.hit_rate_pct(), full.back().hit,
        sampled.back().hit, off, b.sample.hit_rate_error_pct, full.back().time, sampled.back().time,
        100 * (sampled.back().time / full.back().time - 1),
        static_cast<double>(b.sample.requests) / 1e6,
        std::chrono::duration<double>(middle - start).count(),
        std::chrono::duration<double>(end - middle).count());
    std::fflush(stdout);
  }
  fmt::print("  worst hit rate error {:.2f} points\n", worst);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (std::size_t k = 0; k < cases.size(); ++k) {
      if (full[i].time * 1.03 >= full[k].time || sampled[i].time < sampled[k].time) continue;
      fmt::print(
          "  RANKS DIFFERENTLY: {} ({:.1f}, sampled {:.1f}) and {} ({:.1f}, sampled {:.1f})\n",
          cases[i].name, full[i].time, sampled[i].time, cases[k].name, full[k].time,
          sampled[k].time);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto size = arguments.size() > 1 ? parse_integer(arguments[1]) : std::nullopt;
  if (!size) {
    fmt::print(stderr, "heddle_sampling GPU REQUESTS [JOB ...]\n");
    return 2;
  }
  const std::int64_t sample_requests = *size;
  std::vector<std::string> jobs(arguments.begin() + 2, arguments.end());
  if (jobs.empty())
    jobs = {"stencil_2d",       "ising",
            "in_place",         "spmv",
            "histogram",        "softmax",
            "layer_norm",       "copy",
            "transpose",        "fused_elementwise",
            "stencil_3d",       "gemm",
            "gemm_grouped",     "gemm_wide",
            "gemm_9216",        "attention_heads",
            "attention_causal", "attention_gqa"};
  try {
    const config::Gpu gpu = config::read_gpu(arguments[0]);
    for (const std::string& job : jobs) report(job, gpu, {}, sample_requests);
    report("attention_fwd", gpu, {"sequence=2048"}, sample_requests);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.full_text());
    return 2;
  }
  return 0;
}
