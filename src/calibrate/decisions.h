// What heddle would have answered about kernels that were measured, and what that costs.
//
//   columns predicted 1.20x, measured 1.14x; hilbert measured 1.19x    faster: columns, regret 4.4 %
//
// Rules
//   1. The rule is that of a search (results/decision.h), over the orders that were measured; the
//      intervals are learnt without the kernel's family.
//   2. Of several orders that are surely faster the predicted fastest is taken; of orders that are
//      worth a measurement the kMostMeasured that are predicted fastest.
//   3. Groups with fewer than two measured permutations besides the baseline are not decided.
#pragma once

#include <vector>

#include "calibrate/uncertainty.h"
#include "results/decision.h"
#include "results/validation.h"

namespace heddle::calibrate {

/// One for each group that can be decided, in their order.
std::vector<GroupDecision> decide_groups(const std::vector<ComparedGroup>& groups,
                                         const std::vector<Residual>& residuals, Risk risk);

/// Hands them to the scores of their GPUs.
void add_decisions(const std::vector<GroupDecision>& decisions, std::vector<GpuScore>& scores);

}  // namespace heddle::calibrate
