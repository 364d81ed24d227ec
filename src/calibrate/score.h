// How far predictions lie from measurements: ranks within a group, errors over the groups of a GPU.
//
//   measured 29.7 4.3 67.6, predicted 25.0 6.0 70.1     rank correlation 1, mean error 3.0 points
//
// Rules
//   1. Spearman's correlation is that of the ranks; equal figures share the mean of their ranks.
//      There is none for fewer than three points, or where all figures of a side are equal.
//   2. The fastest order is sought among permutations with a measured speedup and the baseline; of
//      equal ones the one that makes measurement and prediction agree, else the first. Where fewer
//      than two have a speedup, it is sought among those with a time. Ranks of times and regret are
//      of the same orders.
//   3. Ranks and regrets of a GPU or a family are means over its groups, errors over its points.
#pragma once

#include <optional>
#include <vector>

#include "results/validation.h"

namespace heddle::calibrate {

/// Of two lists of the same length.
std::optional<double> rank_correlation(const std::vector<double>& first,
                                       const std::vector<double>& second);

/// Fills in the ranks, the fastest orders and the regret of a group.
void score_group(ComparedGroup& group);

/// One score for each GPU of the groups, in their order.
std::vector<GpuScore> score_gpus(const std::vector<ComparedGroup>& groups);

/// Where the scores go beyond the limits. Throws Error if a limit of DRAM reads has no point to
/// judge.
std::vector<LimitBreach> breaches_of(const std::vector<GpuScore>& scores,
                                     const ValidationLimits& limits);

}  // namespace heddle::calibrate
