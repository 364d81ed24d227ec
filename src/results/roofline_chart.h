// What a roofline chart shows, computed once for all formats: lines, axes, what limits a point.
//
//   roofline_lines(ceilings, "FP64", {"HBM"})
//     HBM      (0.01, 13.9) -> (29.9, 41497)   1388.9 GB/s
//     vector   (14.6, 20272) -> (1000, 20272)  20272 GFLOP/s
//     matrix   (29.9, 41497) -> (1000, 41497)  41497 GFLOP/s
//
// Rules
//   1. A bandwidth rises from the first intensity to the highest roof of its type. A roof goes from
//      where the last level meets it to the last intensity.
//   2. Levels go from memory to the compute unit: HBM, MALL, L2, L1, LDS. There are points at HBM,
//      L2 and L1 only.
//   3. Axes are whole decades that hold every line and every point that is drawn.
//   4. All arithmetic of a kernel counts at every point, whatever the type of a chart.
#pragma once

#include <string>
#include <vector>

#include "results/panel.h"
#include "results/roofline.h"

namespace heddle {

struct RooflineLine {
  enum class Kind { bandwidth, vector, matrix };
  Kind kind = Kind::bandwidth;
  std::string name;  ///< the level, or the type
  double x_from = 0;
  double y_from = 0;
  double x_to = 0;
  double y_to = 0;
  double ceiling = 0;  ///< GB/s, or GFLOP/s
};

struct RooflineAxes {
  double x_first = 0.01;
  double x_last = 1000;
  double y_first = 1;
  double y_last = 1e6;
};

/// The roof that a point stands under.
struct RooflineLimit {
  std::string roof;   ///< "HBM", "vector FP64"; empty if there is none
  double share = 0;   ///< of it that is reached
  bool over = false;  ///< the point is above it
};

struct RooflineReport {
  std::vector<RooflineRun> runs;                 ///< the ceilings of the first are drawn
  std::vector<std::vector<std::string>> charts;  ///< the types of each
  std::vector<std::string> levels;               ///< whose lines and points are drawn
  bool whole_names = false;
  std::vector<ProfileNote> notes;

  const RooflineCeilings& ceilings() const { return runs.front().ceilings; }
};

const std::vector<std::string>& roofline_levels();

/// Lines of one type; `levels` empty: all that are known.
std::vector<RooflineLine> roofline_lines(const RooflineCeilings& ceilings, const std::string& type,
                                         const std::vector<std::string>& levels,
                                         const RooflineAxes& axes = {});

/// Lines of one chart: a level once, up to the highest roof of all types.
std::vector<RooflineLine> chart_lines(const RooflineReport& report,
                                      const std::vector<std::string>& types,
                                      const RooflineAxes& axes);

RooflineAxes chart_axes(const RooflineReport& report, const std::vector<std::string>& types);

/// At "L1", "L2" or "HBM"; 0 elsewhere.
double intensity_at(const RooflinePoint& point, const std::string& level);

/// Whether a point has a place on logarithmic axes at all.
bool is_drawn(const RooflinePoint& point);

/// Why it has none; empty if it has.
std::string why_not_drawn(const RooflinePoint& point);

/// The lowest roof over the point at a level: its bandwidth, or a rate of one of the types. The
/// highest rate if the point is above all of them; its bandwidth if it is above that.
RooflineLimit roofline_limit(const RooflineCeilings& ceilings,
                             const std::vector<std::string>& types, const std::string& level,
                             const RooflinePoint& point);

/// "matrix FP64".
std::string roof_name(const RooflineLine& line);

/// A, B, ..., Z, AA, AB: what a point is called on a chart.
std::string point_letter(std::size_t place);

}  // namespace heddle
