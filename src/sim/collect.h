// Turns what a machine counted into a SimResult, scaled where it was sampled.
#pragma once

#include "config/gpu.h"
#include "results/simulation.h"
#include "sim/machine.h"

namespace heddle::sim {

/// `scale`: the whole launch over what was replayed of it, sampled sets apart. `code_bytes`: what
/// instruction caches fetch (AMD's L2 counters contain it).
SimResult collect(const Machine& machine, const config::Gpu& gpu, double scale,
                  std::int64_t code_bytes = 0);

/// What each turn did; the tiles are blocks of the grid.
TileRun tile_run(const Machine& machine, const config::Gpu& gpu, const order::Map& map,
                 std::int64_t blocks, const std::vector<std::int64_t>& grid);

}  // namespace heddle::sim
