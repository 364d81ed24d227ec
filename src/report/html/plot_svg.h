// Plots and bars as SVG, in the colours of the page.
//
// Rules
//   1. Marks carry a <title>, which the page's script shows on hover.
//   2. A plot without a finite point, and bars without a value, are empty texts.
//   3. Series differ in shape and in colour.
#pragma once

#include <string>

#include "report/document.h"

namespace heddle::report {

std::string plot_svg(const Plot& plot, const std::string& title);
std::string bars_svg(const Bars& bars, const std::string& title);

}  // namespace heddle::report
