// A roofline as a script for gnuplot: charts one below the other, a legend under them.
//
//   set terminal svg noenhanced ...
//   $lines0 << END
//   0.01 13.9
//   ...
//   set label "HBM 1,389 GB/s" at screen 0.1,0.4 rotate by 29.4 ...
//
// Rules
//   1. The script writes to standard output. Nothing is run here.
//   2. Text of others stands in double quotes, and of ASCII only letters, digits and a few signs
//      stand for themselves; the rest is in octal. It is never in a data block. Enhanced text is
//      off. (Single quotes would not do: gnuplot misreads a literal that begins with a quote.)
//   3. The shape of a point is its level: circle L1, square L2, triangle HBM. Its colour is its
//      kernel or, of several runs, its run. Colours are those of Okabe and Ito.
//   4. Names of bandwidths stand along their lines, names of roofs in the margin, one below the
//      other.
//   5. At most 60 kernels are in the legend; a line says how many are not.
#pragma once

#include <string>

#include "results/roofline_chart.h"

namespace heddle::report {

enum class PlotFormat { svg, pdf };

std::string roofline_plot(const RooflineReport& report, PlotFormat format);

/// A literal of gnuplot that stands for the text, whatever it holds.
std::string gnuplot_quoted(const std::string& text);

}  // namespace heddle::report
