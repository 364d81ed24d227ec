// Learns how far off predictions are: intervals of measured figures around predicted ones, 80 %
// wide, those of gains 90 %.
//
//   five families, measured / predicted time    0.9  1.0 1.0  1.1  1.2  1.3
//   their interval                              0.9 to 1.3: five are too few to leave any out
//
// Rules
//   1. A residual is measured minus predicted of a hit rate, in points, and measured / predicted of
//      DRAM reads, times and speedups; of predicted gains, log measured / log predicted. Small reads have none (kLeastDramReadMb), nor have speedups
//      of orders that are not a permutation.
//   2. Residuals of a scope (sim/intervals.h) with at least kLeastFamilies families make an
//      interval; of all GPUs, only with residuals of two vendors. Every family weighs the same,
//      however many points it has.
//   3. Each end leaves out residuals of at most F / 10 - c * 9 / 10 of F families (of gains, F / 20 -
//      c * 19 / 20): the outermost 10 %, less an allowance c for a family to come. With c = 1 this is the conformal interval,
//      right for families with one point each; with c = 0 it is that of the families alone. Of
//      kAllowances the one is taken, for each figure, whose coverage comes closest to 80 %; of equal
//      ones the largest.
//   4. Coverage is the share of points inside intervals of all other families: a family is left out
//      on all GPUs at once. Points for which the others make no interval are not counted.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/validation.h"
#include "sim/intervals.h"

namespace heddle::calibrate {

inline constexpr int kLeastFamilies = 5;
inline constexpr std::array<double, 5> kAllowances = {1, 0.75, 0.5, 0.25, 0};

struct Residual {
  std::size_t group = 0;
  std::string gpu;     ///< "h200"
  std::string vendor;  ///< "nvidia"
  std::string family;
  PredictionKind kind;
  Figure figure = Figure::time;
  double value = 0;
};

std::vector<Residual> residuals_of(const std::vector<ComparedGroup>& groups);

/// Of the residuals of one scope and figure, one list a family; nothing for too few families.
std::optional<Interval> family_interval(const std::vector<std::vector<double>>& families,
                                        double allowance, double share = kIntervalShare);

/// Every scope that has enough families, sorted.
sim::IntervalTable learn_intervals(const std::vector<Residual>& residuals);

/// Intervals of gains from all families but one, by that one.
std::map<std::string, sim::IntervalTable> gains_without_each(
    const std::vector<Residual>& residuals);

/// By group and figure, in the order of kFigures; rule 4.
std::vector<std::vector<FigureCoverage>> left_out_coverage(const std::vector<Residual>& residuals,
                                                           std::size_t groups);

/// Fills in the coverage of each GPU; `groups` is how many there are of all GPUs.
void add_coverage(const std::vector<Residual>& residuals, std::size_t groups,
                  std::vector<GpuScore>& scores);

}  // namespace heddle::calibrate
