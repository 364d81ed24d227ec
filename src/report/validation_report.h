// Predictions beside measurements, as text, JSON and Markdown.
//
//   examples/stencil_2d.toml  stencil_2d_kernel on grid 256x256, mi300x
//                 L2 hit rate, %             speedup
//     order      real  model  error   real  model   error
//     identity   29.7   28.1   -1.6      1      1
//     xcd(8)      4.3    4.6   +0.3  0.936  0.951  +1.6 %
//     0, p0    * 99.6   99.6   +0.0  1.283  1.310  +2.1 %
//
//   mi300x, 3 points
//     L2 hit rate    mean error 0.6 points, largest 1.6 (stencil_2d under identity, ...); 3 points
//
// Rules
//   1. A column stands only where something of it was measured in the group.
//   2. Where orders have no room beside their figures, they stand above them.
//   3. A star marks an order that is not a permutation, a tilde a prediction from a sample.
//   4. Text leaves the tables of groups out where there are more than 100 points; JSON and Markdown
//      have every point. A GPU with two families or more has a table of them (family_table.h).
//   5. Markdown is complete for a page: heading, what it is, summary, every group, every source.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/document.h"
#include "report/style.h"
#include "results/validation.h"

namespace heddle::report {

std::string validation_text(const ValidationReport& report, const Style& style);
nlohmann::json validation_json(const ValidationReport& report);

/// The limits that were exceeded, one a line below a heading; empty without any.
std::string breaches_text(const ValidationReport& report, const Style& style);

/// The figures of a score; null without points.
nlohmann::json errors_json(const ErrorScore& score);

/// `appendix` is Markdown that goes to the end: known deviations, by hand.
/// With predicted against measured in the plane, a series for each family.
Document validation_view(const ValidationReport& report);
std::string validation_markdown(const ValidationReport& report, const std::string& appendix);

}  // namespace heddle::report
