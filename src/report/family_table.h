// One row of figures for each kernel family of a GPU: what text and Markdown share.
//
//   family       points  L2 hit rate  DRAM reads    time  speedup  ranks   signs  regret
//   gemm_row          8          2.1       3.4 %   4.0 %    1.2 %   0.81  3 of 4   0.4 %
//
// Rules
//   1. Errors are means over the points of the family: of hit rates in points, of all else in per
//      cent. Ranks are of times. Signs are those that are right, of effects beyond kClearEffect.
//   2. A figure that a family lacks is an empty cell; a column without any figure is left out.
#pragma once

#include <string>
#include <vector>

#include "results/validation.h"

namespace heddle::report {

/// The head first. Empty where the GPU has fewer than two families.
std::vector<std::vector<std::string>> family_rows(const GpuScore& score);

}  // namespace heddle::report
