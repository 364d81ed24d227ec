// Pieces of HTML and SVG: whatever a text holds, it stays text.
//
//   html_text("<script>")      &lt;script&gt;
//   number(3.14159)            3.14
#pragma once

#include <string>
#include <string_view>

#include "report/document.h"

namespace heddle::report {

/// Fit for an element and for an attribute in double quotes.
std::string html_text(std::string_view text);

/// A line with its code in <code>.
std::string html_line(const Text& text);

/// With at most two digits behind the point, for coordinates.
std::string number(double value);

/// 1200 -> "1,200", 0.004 -> "0.004", 2.5e6 -> "2.5M": the marks of an axis.
std::string tick_text(double value);

}  // namespace heddle::report
