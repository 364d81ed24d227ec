// What the formats of a roofline say in the same words: figures, labels, the legend.
//
//   ceiling_label(...)   "HBM 1,389 GB/s", "matrix FP64 41,498 GFLOP/s"
//   chart_title(...)     "FP32, FP64"
#pragma once

#include <string>
#include <vector>

#include "results/roofline_chart.h"

namespace heddle::report {

/// 41497.6 -> "41,498", 169.417 -> "169.4", 0.0625 -> "0.0625".
std::string rate_figure(double value);

std::string ceiling_label(const RooflineLine& line);

std::string chart_title(const std::vector<std::string>& types);

/// A point with its letter; letters go on from run to run.
struct LetteredPoint {
  std::string letter;
  std::size_t run = 0;
  const RooflinePoint* point = nullptr;
};
std::vector<LetteredPoint> lettered_points(const RooflineReport& report);

/// "saxpy(float*)", "saxpy(float*), dispatch 3"; one line, cut to the width.
std::string point_name(const RooflinePoint& point, std::size_t width);

/// "at HBM 97 % of HBM", for each level that has points.
std::string limits_text(const RooflineReport& report, const RooflinePoint& point);

/// What a reader has to know, one sentence each: where the ceilings are from, what counts.
std::vector<std::string> roofline_remarks(const RooflineReport& report);

/// Every type of every chart.
std::vector<std::string> all_types(const RooflineReport& report);

}  // namespace heddle::report
