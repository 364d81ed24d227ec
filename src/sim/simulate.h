// Replays a kernel under an order on a simulated GPU.
//
//   const SimResult result = simulate(program, launch, gpu, map, {});
//   result.l2.cache.hit_rate_pct()     result.time_us     result.limited_by
//
// Rules
//   1. The same program, launch, GPU, order and options give the same result, on any machine and
//      with any number of threads.
//   2. `automatic` is exact up to kExactRequests requests and sampled beyond.
//   3. The order need not be a permutation: blocks run the tile they get, those without one do
//      nothing.
#pragma once

#include <cstdint>

#include "config/gpu.h"
#include "config/launch.h"
#include "kernel/program.h"
#include "order/order.h"
#include "results/simulation.h"

namespace heddle::sim {

/// Rises whenever predictions change: kept ones of another version are not used again.
inline constexpr int kModelVersion = 12;

enum class Fidelity { automatic, exact, sampled };

inline constexpr std::int64_t kExactRequests = 400'000'000;

struct SimOptions {
  bool why = false;
  bool record_tiles = false;  ///< up to kMostRecordedTurns turns
  Fidelity fidelity = Fidelity::automatic;
  std::int64_t sample_requests = 20'000'000;  ///< that a sampled run replays, at most
  /// Of a persistent launch: block b does the tiles map[b], map[b + blocks], ... ; 0: one each.
  std::int64_t blocks = 0;
  /// That every block executes before it knows its tile (order/cost.h).
  int index_operations = 0;
  int threads = 0;          ///< 0: one per core
  int tracing_threads = 0;  ///< for tiles that were not traced before; 0: as `threads`
};

/// `program` is whole. `map[launch id]` is the tile, or negative for none (order/evaluate.h).
SimResult simulate(const kernel::KernelProgram& program, const config::Launch& launch,
                   const config::Gpu& gpu, const order::Map& map, const SimOptions& options);

}  // namespace heddle::sim
