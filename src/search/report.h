// What a search found so far, as a report.
#pragma once

#include "results/optimization.h"
#include "search/measure.h"

namespace heddle::search {

/// An attempt as what is handed back: with its code in every language.
BestOrder best_order(const Prepared& prepared, const Attempts& attempts, int number);

/// The launch order again, as it was replayed for the answer.
void set_baseline(const Prepared& prepared, OrderAttempt& launch);

/// Everything but the answer; `best` is the number of the best attempt.
OptimizationReport report_of(const Prepared& prepared, const Searched& searched, int best);

/// With the answer; everything but the patched kernel.
OptimizationReport report_of(const Prepared& prepared, const Chosen& chosen);
OptimizationReport report_of(const Prepared& prepared, const Measured& measured);

}  // namespace heddle::search
