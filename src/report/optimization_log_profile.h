// The parts of the log that are read back: the formula of an attempt, and its profile.
//
//   --- PROFILING ITERATION 4 ---
//   On the simulated GPU, predicted and not measured: hit rate increased from 31.9% to 69.2%.
//   Predicted: achieved 1.122x speedup with execution time reduced from 0.1672ms to 0.149ms (12.2%
//   faster). ...                                                            (on one line)
//
//   --- NOT PROFILED, ITERATION 3 ---
//   Launch ids 1 and 8 both compute tile 256. ...
//
// Rules
//   1. optlog::read_claim reads the hit rates, the speedup and the times, and nothing else.
//   2. The time before is that of the launch order at the same fidelity: speedup times this time.
#pragma once

#include <string>

#include "results/optimization.h"

namespace heddle::report {

/// The lines after "Swizzling formula:", each with a newline (optimization_log.h, rule 4).
std::string log_formula(const OrderAttempt& attempt);

/// The section after the formula.
std::string log_profile(const OptimizationReport& report, const OrderAttempt& attempt);

/// What became of an attempt without a replay: refuted, unknown, repeated. One or two sentences.
std::string unprofiled_reason(const OptimizationReport& report, const OrderAttempt& attempt);

}  // namespace heddle::report
