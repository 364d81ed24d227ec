// The files of `heddle roofline -o`: the ending of a name picks the format.
//
// Rules
//   1. .txt, .json and .gp need no other program and are written first. .svg and .pdf are drawn by
//      gnuplot, which gets a script on its standard input and has limits.
//   2. Where gnuplot is not there, the Error has ExitCode::missing and names the package.
#pragma once

#include <string>
#include <vector>

#include "results/roofline_chart.h"

namespace heddle::tool {

/// Throws Error if a name has another ending, or cannot be written.
void check_roofline_files(const std::vector<std::string>& files);

void write_roofline_files(const RooflineReport& report, const std::vector<std::string>& files);

}  // namespace heddle::tool
