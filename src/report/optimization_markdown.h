// What a search found as Markdown, fit for a pull request.
//
//   # stencil_2d_kernel: 1.12x predicted on mi300x by another block order
//
//   `xcd(8) | columns`, PROVED for all sizes. Predicted, not measured.
//
//   ## What changes and why      sentences with figures, the table before and after, causes
//   ## Proof                     verdict, scope and argument; independence of the tiles
//   ## Change                    the patch as a diff
//   ## Formula                   as Triton
//   ## How sure this is          simulated, sampled or exact; docs/validation.md
//   ## Search                    what was tried, why it ended, the best five
//   ## How to reproduce          heddle optimize JOB --gpu NAME
//
// Rules
//   1. The page is complete for every answer; a part that an answer does not have is left out.
//   2. Names and texts of others are escaped or stand in code; no fence ends early.
//   3. Figures are called predicted.
#pragma once

#include <string>

#include "results/optimization.h"

namespace heddle::report {

std::string optimization_markdown(const OptimizationReport& report);

}  // namespace heddle::report
