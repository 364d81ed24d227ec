// Where things stand on the picture of a roofline, in pixels from the upper left corner.
#pragma once

#include <string>
#include <vector>

#include "results/roofline_chart.h"

namespace heddle::report {

struct PlotPlace {
  double x = 0;
  double y = 0;
};

struct PlotLabel {
  std::string text;
  PlotPlace place;  ///< the middle of its left end
  double degrees = 0;
};

/// The frame of one chart.
class PlotFrame {
 public:
  PlotFrame(const RooflineAxes& axes, double left, double top, double width, double height);

  PlotPlace at(double intensity, double rate) const;
  /// Of a line whose rate grows as its intensity.
  double slope_degrees() const;

  double left() const { return left_; }
  double right() const { return left_ + width_; }
  double top() const { return top_; }
  double bottom() const { return top_ + height_; }
  const RooflineAxes& axes() const { return axes_; }

 private:
  RooflineAxes axes_;
  double left_;
  double top_;
  double width_;
  double height_;
};

/// Names along the lines of bandwidths, just above them, none on top of another.
std::vector<PlotLabel> bandwidth_labels(const std::vector<RooflineLine>& lines,
                                        const PlotFrame& frame);

/// Names of roofs right of the frame, in their order, at least a line of text apart. The places go
/// with `roofs`.
std::vector<PlotPlace> roof_places(const std::vector<RooflineLine>& roofs, const PlotFrame& frame);

/// Puts short texts beside points so that they cover neither points nor one another.
class LetterPlacer {
 public:
  /// A point, or a level line between two.
  void avoid(PlotPlace from, PlotPlace to);
  /// The middle of a text of so many characters.
  PlotPlace place(PlotPlace point, std::size_t characters);

 private:
  struct Box {
    double left, top, right, bottom;
  };
  bool is_free(const Box& box) const;

  std::vector<Box> taken_;
};

}  // namespace heddle::report
