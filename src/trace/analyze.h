// The memory analysis of a launch: what every access of the source touches, tile by tile.
//
//   const TraceReport report = analyze(program, launch, {});
//   const TileReport tile = trace_tile(program, launch, {3, 5, 0}, {});
//
// Rules
//   1. All tiles are traced if the work allows it, else tiles spread over the grid; the report says
//      which. How many depends on the work alone, not on the machine.
//   2. A tile that cannot be traced is an Error.
//   3. Memory is bounded whatever the grid and the tensors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "config/launch.h"
#include "kernel/program.h"
#include "results/trace.h"
#include "trace/neighbours.h"
#include "trace/tracer.h"

namespace heddle::trace {

struct AnalyzeOptions {
  TraceOptions trace;
  int wave_lanes = 64;
  int line_bytes = 128;
  std::int64_t most_work = 500'000'000;  ///< steps, memory instructions and runs, all tiles
  std::int64_t most_listed = 10'000;     ///< accesses that a TileReport lists
  std::int64_t most_runs = 2;            ///< runs that it lists of each
  std::optional<TileBox> box;            ///< whose axes neighbours are looked for along
};

/// `program` is whole, not yet reduced.
TraceReport analyze(const kernel::KernelProgram& program, const config::Launch& launch,
                    const AnalyzeOptions& options);

/// Throws Error with the first fault of a report, if there is one: what is wrong with a job is wrong
/// with every figure of it.
void check_faults(const TraceReport& report);

/// Some tiles of a launch, to see whether they have faults.
TraceReport analyze_some(const kernel::KernelProgram& program, const config::Launch& launch);

/// The accesses of one tile in program order. Throws Error if the tile is outside the grid.
TileReport trace_tile(const kernel::KernelProgram& program, const config::Launch& launch,
                      std::array<std::int64_t, 3> tile, const AnalyzeOptions& options);

}  // namespace heddle::trace
