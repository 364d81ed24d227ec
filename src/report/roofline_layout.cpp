#include "report/roofline_layout.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "report/roofline_words.h"

namespace heddle::report {
namespace {

constexpr double kLabelCharacter = 5.4;
constexpr double kLabelLift = 7.5;
constexpr double kLabelBegin = 14;
constexpr double kLabelGap = 12;
constexpr double kRoofGap = 14;
constexpr double kLetterWidth = 8;
constexpr double kLetterHeight = 12;
constexpr double kPointRadius = 7;

double radians(double degrees) {
  return degrees * std::numbers::pi / 180;
}

}  // namespace

PlotFrame::PlotFrame(const RooflineAxes& axes, double left, double top, double width, double height)
    : axes_(axes), left_(left), top_(top), width_(width), height_(height) {}

PlotPlace PlotFrame::at(double intensity, double rate) const {
  const double x = std::log10(intensity / axes_.x_first) / std::log10(axes_.x_last / axes_.x_first);
  const double y = std::log10(rate / axes_.y_first) / std::log10(axes_.y_last / axes_.y_first);
  return {left_ + x * width_, bottom() - y * height_};
}

double PlotFrame::slope_degrees() const {
  const double across = width_ / std::log10(axes_.x_last / axes_.x_first);
  const double up = height_ / std::log10(axes_.y_last / axes_.y_first);
  return std::atan2(up, across) * 180 / std::numbers::pi;
}

std::vector<PlotLabel> bandwidth_labels(const std::vector<RooflineLine>& lines,
                                        const PlotFrame& frame) {
  std::vector<const RooflineLine*> rising;
  for (const RooflineLine& line : lines) {
    if (line.kind == RooflineLine::Kind::bandwidth) rising.push_back(&line);
  }
  std::ranges::stable_sort(rising,
                           [](const auto* a, const auto* b) { return a->ceiling < b->ceiling; });
  const double degrees = frame.slope_degrees();
  const double cosine = std::cos(radians(degrees));
  const double sine = std::sin(radians(degrees));
  std::vector<PlotLabel> labels;
  double along = kLabelBegin;
  double last_height = 0;
  double last_end = kLabelBegin;
  for (const RooflineLine* line : rising) {
    const PlotPlace start = frame.at(line->x_from, line->y_from);
    const std::string text = ceiling_label(*line);
    const bool is_close = !labels.empty() && (last_height - start.y) * cosine < kLabelGap;
    along = is_close ? last_end + kLabelGap : kLabelBegin;
    last_height = start.y;
    last_end = along + kLabelCharacter * static_cast<double>(text.size());
    labels.push_back({text,
                      {start.x + along * cosine - kLabelLift * sine,
                       start.y - along * sine - kLabelLift * cosine},
                      degrees});
  }
  return labels;
}

std::vector<PlotPlace> roof_places(const std::vector<RooflineLine>& roofs, const PlotFrame& frame) {
  std::vector<std::size_t> order(roofs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return roofs[a].ceiling > roofs[b].ceiling; });
  std::vector<PlotPlace> places(roofs.size());
  double above = frame.top() - kRoofGap;
  for (const std::size_t i : order) {
    const double wanted = frame.at(frame.axes().x_last, roofs[i].ceiling).y;
    above = std::max(wanted, above + kRoofGap);
    places[i] = {frame.right() + 8, above};
  }
  return places;
}

void LetterPlacer::avoid(PlotPlace from, PlotPlace to) {
  const bool is_point = from.x == to.x;
  const double height = is_point ? kPointRadius : 2;
  taken_.push_back({from.x - (is_point ? kPointRadius : 0), from.y - height,
                    to.x + (is_point ? kPointRadius : 0), to.y + height});
}

bool LetterPlacer::is_free(const Box& box) const {
  return std::ranges::none_of(taken_, [&](const Box& other) {
    return box.left < other.right && other.left < box.right && box.top < other.bottom &&
           other.top < box.bottom;
  });
}

PlotPlace LetterPlacer::place(PlotPlace point, std::size_t characters) {
  const double width = kLetterWidth * static_cast<double>(characters);
  const double beside = kPointRadius + width / 2 + 3;
  const double above = kPointRadius + kLetterHeight / 2 + 2;
  PlotPlace chosen{point.x + beside, point.y};
  const auto box_at = [&](PlotPlace middle) {
    return Box{middle.x - width / 2, middle.y - kLetterHeight / 2, middle.x + width / 2,
               middle.y + kLetterHeight / 2};
  };
  bool found = false;
  for (int ring = 1; ring <= 4 && !found; ++ring) {
    const double far = ring;
    const PlotPlace candidates[] = {{point.x + beside * far, point.y},
                                    {point.x, point.y - above * far},
                                    {point.x, point.y + above * far},
                                    {point.x + beside * far, point.y - above * far},
                                    {point.x + beside * far, point.y + above * far},
                                    {point.x - beside * far, point.y}};
    for (const PlotPlace& candidate : candidates) {
      if (!is_free(box_at(candidate))) continue;
      chosen = candidate;
      found = true;
      break;
    }
  }
  taken_.push_back(box_at(chosen));
  return chosen;
}

}  // namespace heddle::report
