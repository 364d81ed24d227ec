// What a search found as a Document: the page of a pull request, and with pictures report.html.
//
//   stencil_2d_kernel: 1.12x predicted on mi300x by another block order
//   xcd(8) | columns, PROVED for all sizes. Predicted, not measured.
//   What changes and why      sentences with figures, the table before and after, tile maps
//   Proof                     verdict, scope and argument; independence of the tiles
//   Change, Formula           the patch as a diff; the order as Triton
//   Confidence                simulated, sampled or exact; docs/validation.md
//   Search                    what was tried, why it ended, the best five, every order as a point
//   How to reproduce          heddle optimize JOB --gpu NAME
//
// Rules
//   1. The page is complete for every answer; a part that an answer does not have is left out.
//   2. Figures are called predicted.
#pragma once

#include "report/document.h"
#include "results/optimization.h"

namespace heddle::report {

Document optimization_view(const OptimizationReport& report);

/// summary.md.
std::string optimization_markdown(const OptimizationReport& report);

}  // namespace heddle::report
