// Numbers of panels as text.
//
//   fixed(2.005, 2)      2.00        every number of a column has the same decimals
//   rounded_text(5, 2)   5.0         as Python writes a rounded number
//   exact(0.1)           0.1         the shortest text that reads back as the same number
#pragma once

#include <string>

namespace heddle::report {

std::string fixed(double value, int decimals);
std::string rounded_text(double value, int decimals);
std::string exact(double value);

}  // namespace heddle::report
