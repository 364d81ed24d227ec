// The pictures of a search: what its page has beside the words.
#pragma once

#include "report/document.h"
#include "results/optimization.h"

namespace heddle::report {

/// Speedup, time, hit rate, bytes: what is looked at first.
void add_key_figures(const OptimizationReport& report, Document& page);
/// Tile maps, causes of misses, load of dies, traffic of tensors: before and after.
void add_replay_figures(const OptimizationReport& report, Document& page);
/// The rungs of the search, and every order as a point.
void add_search_figures(const OptimizationReport& report, Document& page);

}  // namespace heddle::report
