// Pictures of one replay, or of two beside one another: tile maps, dies over time, misses, bytes.
//
// Rules
//   1. A figure whose numbers are not there is not added.
//   2. Every figure has a table of its numbers.
#pragma once

#include <string>
#include <vector>

#include "report/document.h"
#include "results/simulation.h"
#include "results/trace.h"
#include "results/verdict.h"

namespace heddle::report {

/// A replay with its name: "launch order".
struct NamedReplay {
  std::string name;
  const SimResult* result = nullptr;
};

/// The map of each that was recorded.
void add_tile_maps(const std::vector<NamedReplay>& replays, Document& page);
/// A map that nobody replayed, with its counterexample.
void add_checked_map(const std::string& name, TileRun run,
                     const std::optional<Counterexample>& counterexample, Document& page);
/// Resident tiles of each die over time.
void add_die_loads(const std::vector<NamedReplay>& replays, Document& page);
/// Why requests missed in the L2.
void add_miss_causes(const std::vector<NamedReplay>& replays, Document& page);
/// How busy each resource was.
void add_utilization(const std::vector<NamedReplay>& replays, Document& page);
/// What tiles read and write of each tensor.
void add_tensor_traffic(const TraceReport& memory, Document& page);

}  // namespace heddle::report
