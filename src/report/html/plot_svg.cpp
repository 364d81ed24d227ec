#include "report/html/plot_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "report/clean_text.h"
#include "report/html/markup.h"

namespace heddle::report {
namespace {

constexpr double kWidth = 760;
constexpr double kHeight = 380;
constexpr double kLeft = 72;
constexpr double kRight = 20;
constexpr double kTop = 14;
constexpr double kBottom = 52;
constexpr double kMarks = 6;        ///< about as many on an axis
constexpr double kLeastRoom = 0.1;  ///< of a value, for the intervals around it
constexpr double kMargin = 0.05;    ///< of an axis, beyond the data
constexpr std::size_t kColours = 8;

/// From values to pixels.
class Scale {
 public:
  Scale(const Plot::Axis& axis, double least, double most, double from, double to)
      : is_logarithmic_(axis.is_logarithmic), from_(from), to_(to) {
    low_ = place(least);
    high_ = place(most);
    const double room = high_ > low_
                            ? (high_ - low_) * kMargin
                            : (is_logarithmic_ ? 0.5 : std::max(1e-9, std::abs(low_) * 0.1));
    low_ = axis.least && !is_logarithmic_ && *axis.least <= low_ ? *axis.least : low_ - room;
    high_ += room;
  }
  double operator()(double value) const {
    return from_ + (to_ - from_) * (place(value) - low_) / (high_ - low_);
  }
  /// At the edge where it is beyond it.
  double inside(double value) const { return (*this)(std::clamp(value, low(), high())); }
  double low() const { return is_logarithmic_ ? std::pow(10, low_) : low_; }
  double high() const { return is_logarithmic_ ? std::pow(10, high_) : high_; }

  std::vector<double> ticks() const {
    return is_logarithmic_ && high_ - low_ > 1 ? decades() : round_numbers();
  }

 private:
  double place(double value) const { return is_logarithmic_ ? std::log10(value) : value; }

  std::vector<double> decades() const {
    std::vector<double> ticks;
    const double step = std::max(1.0, std::ceil((high_ - low_) / (2 * kMarks)));
    for (double power = std::ceil(low_); power <= high_; power += step)
      ticks.push_back(std::pow(10, power));
    return ticks;
  }

  std::vector<double> round_numbers() const {
    const double span = high() - low();
    const double rough = span / kMarks;
    const double decade = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * decade;
    for (const double factor : {1.0, 2.0, 5.0})
      if (factor * decade >= 0.7 * rough) {
        step = factor * decade;
        break;
      }
    std::vector<double> ticks;
    for (int k = 0; k <= 4 * kMarks; ++k) {
      const double tick = (std::ceil(low() / step) + k) * step;
      if (tick > high()) break;
      if (!is_logarithmic_ || tick > 0) ticks.push_back(std::abs(tick) < step / 1e6 ? 0 : tick);
    }
    return ticks;
  }

  bool is_logarithmic_;
  double from_, to_;
  double low_ = 0, high_ = 1;
};

bool can_draw(const Plot::Axis& axis, double value) {
  return std::isfinite(value) && (!axis.is_logarithmic || value > 0);
}

/// The least and the most of what is drawn on an axis; nothing: there is no point.
std::optional<Interval> range_of(const Plot& plot, bool is_x) {
  std::optional<Interval> range;
  const Plot::Axis& axis = is_x ? plot.x : plot.y;
  const auto include = [&](double value) {
    if (!can_draw(axis, value)) return;
    if (!range) range = {value, value};
    range->low = std::min(range->low, value);
    range->high = std::max(range->high, value);
  };
  for (const Plot::Series& series : plot.series)
    for (const Plot::Point& point : series.points) {
      if (!can_draw(plot.x, point.x) || !can_draw(plot.y, point.y)) continue;
      include(is_x ? point.x : point.y);
    }
  return range;
}

/// Intervals may widen the range, but not so much that points are no longer told apart.
Interval with_intervals(const Plot& plot, Interval range) {
  const double most = std::max(range.high - range.low, kLeastRoom * std::abs(range.high));
  Interval wide = range;
  for (const Plot::Series& series : plot.series)
    for (const Plot::Point& point : series.points) {
      if (!point.y_interval) continue;
      for (const double end : {point.y_interval->low, point.y_interval->high}) {
        if (!can_draw(plot.y, end)) continue;
        wide.low = std::min(
            wide.low, std::max(end, plot.y.is_logarithmic ? range.low / 2 : range.low - most));
        wide.high = std::max(wide.high, std::min(end, range.high + most));
      }
    }
  return wide;
}

std::string axes_svg(const Plot& plot, const Scale& x, const Scale& y) {
  std::string text;
  for (const double tick : x.ticks())
    text += fmt::format(
        "<line class=\"grid\" x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" y2=\"{2}\"/><text class=\"tick\" "
        "x=\"{0}\" y=\"{3}\" text-anchor=\"middle\">{4}</text>",
        number(x(tick)), number(kTop), number(kHeight - kBottom), number(kHeight - kBottom + 18),
        tick_text(tick));
  for (const double tick : y.ticks())
    text += fmt::format(
        "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\"/><text class=\"tick\" "
        "x=\"{3}\" y=\"{4}\" text-anchor=\"end\">{5}</text>",
        number(kLeft), number(kWidth - kRight), number(y(tick)), number(kLeft - 8),
        number(y(tick) + 4), tick_text(tick));
  text += fmt::format(
      "<path class=\"axis\" d=\"M{0} {1}V{2}H{3}\"/>"
      "<text class=\"label\" x=\"{4}\" y=\"{5}\" text-anchor=\"middle\">{6}</text>"
      "<text class=\"label\" transform=\"translate(16 {7}) rotate(-90)\" "
      "text-anchor=\"middle\">{8}</text>",
      number(kLeft), number(kTop), number(kHeight - kBottom), number(kWidth - kRight),
      number((kLeft + kWidth - kRight) / 2), number(kHeight - 10), html_text(plot.x.title),
      number((kTop + kHeight - kBottom) / 2), html_text(plot.y.title));
  return text;
}

/// A mark of its own for each series: circle, square, diamond, triangle.
std::string mark_path(std::size_t series, double x, double y) {
  constexpr double kSize = 4.5;
  switch (series % 4) {
    case 0:
      return fmt::format("M{} {}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0z", number(x - kSize),
                         number(y), fmt::arg("r", kSize), fmt::arg("d", 2 * kSize));
    case 1:
      return fmt::format("M{} {}h8v8h-8z", number(x - 4), number(y - 4));
    case 2:
      return fmt::format("M{} {}l5.5 5.5l-5.5 5.5l-5.5 -5.5z", number(x), number(y - 5.5));
    default:
      return fmt::format("M{} {}l5.5 9.5h-11z", number(x), number(y - 6));
  }
}

/// The end of an interval's bar; an arrow where it goes on beyond the axis.
std::string bar_end(double left, double value, const Scale& y) {
  if (value > y.high())
    return fmt::format("M{} {}l4 -7l4 7", number(left - 4), number(y.inside(value) + 7));
  if (value < y.low())
    return fmt::format("M{} {}l4 7l4 -7", number(left - 4), number(y.inside(value) - 7));
  return fmt::format("M{} {}h6", number(left - 3), number(y(value)));
}

std::string points_svg(const Plot& plot, const Plot::Series& series, std::size_t index,
                       const Scale& x, const Scale& y) {
  std::string text;
  for (const Plot::Point& point : series.points) {
    if (!can_draw(plot.x, point.x) || !can_draw(plot.y, point.y)) continue;
    const double left = x(point.x);
    if (point.y_interval && can_draw(plot.y, point.y_interval->low) &&
        can_draw(plot.y, point.y_interval->high))
      text += fmt::format(
          "<path class=\"bar\" d=\"M{} {}V{}{}{}\"/>", number(left),
          number(y.inside(point.y_interval->low)), number(y.inside(point.y_interval->high)),
          bar_end(left, point.y_interval->low, y), bar_end(left, point.y_interval->high, y));
    text += fmt::format("<path class=\"mark\" d=\"{}\"><title>{}</title></path>",
                        mark_path(index, left, y(point.y)), html_text(point.title));
  }
  return text;
}

/// Names of lines, each beside its own: along it where it rises, otherwise at its right end.
class LineLabels {
 public:
  std::string add(const Plot::Series& series, const Scale& x, const Scale& y) {
    if (series.label.empty()) return {};
    const Plot::Point& first = series.points.front();
    const Plot::Point& last = series.points.back();
    const double left = x(first.x);
    const double right = x(last.x);
    const double bottom = y(first.y);
    const double top = y(last.y);
    if (last.y > first.y) {
      const double angle = std::atan2(top - bottom, right - left) * 180 / std::numbers::pi;
      return text(left + (right - left) * kAlong, bottom + (top - bottom) * kAlong, angle, "start",
                  series.label);
    }
    double end = right;  // beside the labels that are there already, above the upper line
    double height = top;
    for (const Used& used : used_)
      if (std::abs(used.y - top) < kLineHeight) {
        end = std::min(end, used.x);
        height = std::min(height, used.y);
      }
    used_.push_back({end - kCharacter * static_cast<double>(series.label.size()) - 14, height});
    return text(end, height, 0, "end", series.label);
  }

 private:
  static constexpr double kAlong = 0.05;
  static constexpr double kLineHeight = 13;
  static constexpr double kCharacter = 6.2;  ///< about as wide, in pixels
  struct Used {
    double x, y;
  };

  static std::string text(double x, double y, double angle, const char* anchor,
                          const std::string& words) {
    return fmt::format(
        "<text class=\"tick\" transform=\"translate({} {}) rotate({})\" dy=\"-5\" "
        "text-anchor=\"{}\">{}</text>",
        number(x), number(y), number(angle), anchor, html_text(words));
  }

  std::vector<Used> used_;
};

std::string line_svg(const Plot& plot, const Plot::Series& series, const Scale& x, const Scale& y) {
  std::string path;
  for (const Plot::Point& point : series.points) {
    if (!can_draw(plot.x, point.x) || !can_draw(plot.y, point.y)) continue;
    if (path.empty())
      path = fmt::format("M{} {}", number(x(point.x)), number(y(point.y)));
    else if (series.kind == Plot::Series::Kind::steps)
      path += fmt::format("H{}V{}", number(x(point.x)), number(y(point.y)));
    else
      path += fmt::format("L{} {}", number(x(point.x)), number(y(point.y)));
  }
  if (path.empty()) return {};
  return fmt::format(
      "<path class=\"line\" d=\"{}\"><title>{}</title></path>", path,
      html_text(series.points.front().title.empty() ? series.name : series.points.front().title));
}

/// Verdicts have colours of their own, which every page uses.
std::string colour_class(const Plot::Series& series, std::size_t place) {
  if (series.is_quiet) return "quiet";
  if (series.tone == Tone::good) return "c2";
  if (series.tone == Tone::bad) return "c3";
  if (series.tone == Tone::doubtful) return "c1";
  return fmt::format("c{}", place % kColours);
}

/// One line an entry, below the plot; a switch where series can be hidden.
std::string legend_html(const Plot& plot) {
  if (plot.series.size() < 2) return {};
  std::string text = "<ul class=\"legend\">";
  std::size_t colour = 0;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Plot::Series& series = plot.series[i];
    if (series.points.empty() || !series.label.empty()) continue;
    const std::string tone = colour_class(series, colour);
    const std::string swatch =
        series.kind == Plot::Series::Kind::points
            ? fmt::format("<path class=\"mark\" d=\"{}\"/>", mark_path(colour, 8, 8))
            : std::string("<path class=\"line\" d=\"M1 8H15\"/>");
    if (!series.is_quiet) ++colour;
    text += fmt::format(
        "<li>{}<svg class=\"{}\" width=\"16\" height=\"16\" aria-hidden=\"true\">{}</svg> "
        "{}{}</li>",
        plot.has_filter
            ? fmt::format("<label><input type=\"checkbox\" checked data-series=\"{}\">", i)
            : std::string(),
        tone, swatch, html_text(series.name), plot.has_filter ? "</label>" : "");
  }
  return text + "</ul>";
}

std::string bars_legend(const Bars& bars) {
  if (bars.series.size() < 2) return {};
  std::string text = "<ul class=\"legend\">";
  for (std::size_t i = 0; i < bars.series.size(); ++i)
    text += fmt::format(
        "<li><svg class=\"c{}\" width=\"16\" height=\"16\" aria-hidden=\"true\"><rect "
        "class=\"fill\" x=\"2\" y=\"2\" width=\"12\" height=\"12\"/></svg> {}</li>",
        i % kColours, html_text(bars.series[i]));
  return text + "</ul>";
}

}  // namespace

std::string plot_svg(const Plot& plot, const std::string& title) {
  const auto x_range = range_of(plot, true);
  const auto y_range = range_of(plot, false);
  if (!x_range || !y_range) return {};
  const Scale x(plot.x, x_range->low, x_range->high, kLeft, kWidth - kRight);
  const Interval tall = with_intervals(plot, *y_range);
  const Scale y(plot.y, tall.low, tall.high, kHeight - kBottom, kTop);
  std::string text = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{2}\"><svg class=\"plot\" "
      "viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"{2}\">",
      kWidth, kHeight, html_text(title));
  text += axes_svg(plot, x, y);
  std::size_t colour = 0;
  std::string quiet;
  std::string loud;
  std::string words;  // above lines for reference, below what they are compared with
  LineLabels labels;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Plot::Series& series = plot.series[i];
    if (series.points.empty()) continue;
    std::string& part = series.is_quiet ? quiet : loud;
    part += fmt::format("<g class=\"{}\" data-series=\"{}\">", colour_class(series, colour), i);
    part += series.kind == Plot::Series::Kind::points ? points_svg(plot, series, colour, x, y)
                                                      : line_svg(plot, series, x, y);
    part += "</g>";
    words += labels.add(series, x, y);
    if (!series.is_quiet) ++colour;
  }
  return text + quiet + words + loud + "</svg></div>" + legend_html(plot);
}

std::string bars_svg(const Bars& bars, const std::string& title) {
  constexpr std::size_t kMostLetters = 44;
  constexpr double kLetter = 7;
  constexpr double kTexts = 110;
  constexpr double kBar = 16;
  constexpr double kGap = 12;
  double most = 0;
  double height = kGap / 2;
  double labels = 60;
  for (const Bars::Group& group : bars.groups) {
    const auto letters = static_cast<double>(std::min(group.label.size(), kMostLetters));
    labels = std::max(labels, 20 + kLetter * letters);
    height += kBar * static_cast<double>(group.values.size()) + kGap;
    for (const std::optional<double>& value : group.values)
      if (value && std::isfinite(*value)) most = std::max(most, *value);
  }
  if (most <= 0) return {};
  std::string text = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{2}\"><svg class=\"bars\" "
      "viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"{2}\">",
      kWidth, number(height), html_text(title));
  double top = kGap / 2;
  for (const Bars::Group& group : bars.groups) {
    const double middle = top + kBar * static_cast<double>(group.values.size()) / 2;
    text += fmt::format("<text class=\"name\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                        labels - 10, number(middle + 4.5),
                        html_text(end_of_line(group.label, kMostLetters)));
    for (std::size_t i = 0; i < group.values.size(); ++i, top += kBar) {
      if (!group.values[i] || !std::isfinite(*group.values[i])) continue;
      const double share = std::max(0.0, *group.values[i]) / most;
      const double width = share > 0 ? std::max(1.0, (kWidth - labels - kTexts) * share) : 0;
      text += fmt::format(
          "<rect class=\"c{} fill\" x=\"{}\" y=\"{}\" width=\"{}\" "
          "height=\"{}\"><title>{}</title></rect>"
          "<text class=\"tick\" x=\"{}\" y=\"{}\">{}</text>",
          i % kColours, number(labels), number(top + 1), number(width), kBar - 2,
          html_text(fmt::format("{}{}: {}", group.label,
                                bars.series.size() > 1 ? ", " + bars.series[i] : "",
                                group.texts[i])),
          number(labels + width + 6), number(top + 12.5), html_text(group.texts[i]));
    }
    top += kGap;
  }
  return text + "</svg></div>" + bars_legend(bars);
}

}  // namespace heddle::report
