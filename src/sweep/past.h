// The searches of a sweep that was merged, as the history lists them.
//
//   past_searches("swept")     a run for each row of "optimize", by its line in results.jsonl
//
// Rules
//   1. A row holds the answer of a search: no start, no attempts. Those fields are empty and 0.
//   2. The shape stands in the place of the grid. A search that failed has the answer "unknown".
#pragma once

#include <string>

#include "results/history.h"

namespace heddle::sweep {

/// A folder with results in it.
bool is_swept(const std::string& folder);

/// Throws Error.
HistoryListing past_searches(const std::string& folder);

}  // namespace heddle::sweep
