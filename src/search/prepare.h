// The first step of a search: what is known of a kernel before any other order is tried.
//
// Rules
//   1. Without `independent` no order may be changed; the launch order still has its figures.
#pragma once

#include <memory>
#include <optional>

#include "results/optimization.h"
#include "search/scorer.h"
#include "search/subject.h"
#include "sim/simulator.h"
#include "trace/independence.h"

namespace heddle::search {

inline constexpr std::int64_t kSearchedWhole = 128;  ///< tiles: so few are searched to the end

struct Prepared {
  const Subject& subject;
  TraceReport memory;
  IndependenceReport independence;
  std::optional<trace::IndependentTiles> independent;  ///< nothing unless PROVED
  std::unique_ptr<sim::Simulator> simulator;
  Scorer scorer;
  SimResult baseline;     ///< the launch order at the answer's fidelity, with causes of misses
  double answer_seconds;  ///< what that replay took
  std::optional<sim::Sketch> sketch = {};  ///< where orders are to be outlined
};

/// What the kernel reads and writes, within a bound of work.
TraceReport look_at_memory(const Subject& subject);

/// Traces the kernel and replays the launch order. `subject` must outlive the result.
Prepared prepare(const Subject& subject, const SearchOptions& options, const Pace& pace);

}  // namespace heddle::search
