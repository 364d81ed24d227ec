#include "report/roofline_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "report/clean_text.h"
#include "report/roofline_layout.h"
#include "report/roofline_words.h"
#include "report/style.h"
#include "report/validation_table.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr double kWidth = 900;
constexpr double kLeft = 80;
constexpr double kFrameWidth = 610;
constexpr double kFrameTop = 34;
constexpr double kFrameHeight = 400;
constexpr double kChartHeight = 490;
constexpr double kRow = 17;
constexpr double kMargin = 14;
constexpr double kPixelsPerInch = 100;
constexpr std::size_t kMostEntries = 60;
constexpr std::size_t kPlotNameWidth = 78;
constexpr std::size_t kPlotWholeName = 130;
constexpr std::size_t kQuotedLimit = 1000;
constexpr double kStatusColumn = 580;

/// Okabe and Ito, without yellow, which white swallows.
constexpr int kColours[] = {0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0x56B4E9, 0xE69F00, 0x000000};
/// Pale letters are found by their points; names have to be read.
constexpr const char* kTextColour = "#333333";
constexpr const char* kLineColour = "#666666";
constexpr const char* kRoofColours[] = {"#000000", "#8C6D31", "#4A4A8A"};

int colour_of(const RooflineReport& report, const LetteredPoint& point, std::size_t place) {
  const std::size_t index = report.runs.size() > 1 ? point.run : place;
  return kColours[index % std::size(kColours)];
}

/// gnuplot's numbers for shapes; every other run has open ones. The square of the L2 is always open
/// and larger: where no request hits in the L2, HBM's triangle stands inside it.
int shape_of(const std::string& level, std::size_t run) {
  if (level == "L2") return 4;
  const int filled = level == "L1" ? 7 : 9;
  return run % 2 == 0 ? filled : filled - 1;
}

double size_of(const std::string& level) {
  return level == "L2" ? 1.6 : 0.9;
}

class Script {
 public:
  Script(const RooflineReport& report, PlotFormat format)
      : report_(report), points_(lettered_points(report)) {
    build_legend();
    height_ = kChartHeight * static_cast<double>(report.charts.size()) +
              kRow * static_cast<double>(legend_rows_) + 2 * kMargin;
    head(format);
    for (std::size_t chart = 0; chart < report.charts.size(); ++chart) add_chart(chart);
    line("unset multiplot");
  }

  const std::string& text() const { return text_; }

 private:
  void line(const std::string& text) { text_ += text + "\n"; }

  std::string screen(PlotPlace place) const {
    return fmt::format("screen {:.5f},{:.5f}", place.x / kWidth, 1 - place.y / height_);
  }

  void label(const std::string& text, PlotPlace place, const std::string& how) {
    line(fmt::format("set label {} at {} {} noenhanced front", gnuplot_quoted(text), screen(place),
                     how));
  }

  void head(PlotFormat format) {
    line("# heddle roofline: gnuplot -d FILE.gp > picture");
    line("set encoding utf8");
    if (format == PlotFormat::svg)
      line(
          fmt::format("set terminal svg noenhanced size {:.0f},{:.0f} font 'Arial,12' "
                      "background '#ffffff'",
                      kWidth, height_));
    else
      line(
          fmt::format("set terminal pdfcairo noenhanced color size {:.3f}in,{:.3f}in "
                      "font 'Arial,13' background '#ffffff'",
                      kWidth / kPixelsPerInch, height_ / kPixelsPerInch));
    // Points are of different sizes in the two terminals.
    const bool is_svg = format == PlotFormat::svg;
    small_ = is_svg ? "font ',11'" : "font ',11.9'";
    tiny_ = is_svg ? "font ',10'" : "font ',10.8'";
    large_ = is_svg ? "font ',14'" : "font ',15'";
    line("set multiplot");
    line("set logscale xy");
    line("unset key");
    line("set border 3 lc rgb '#444444'");
    line("set tics nomirror out");
    line("set format '%g'");
    line("set grid lc rgb '#e6e6e6' lt 1 lw 0.5");
  }

  PlotFrame frame_of(std::size_t chart) const {
    return {chart_axes(report_, report_.charts[chart]), kLeft,
            kChartHeight * static_cast<double>(chart) + kFrameTop, kFrameWidth, kFrameHeight};
  }

  void add_chart(std::size_t chart) {
    const std::vector<std::string>& types = report_.charts[chart];
    const PlotFrame frame = frame_of(chart);
    const RooflineAxes& axes = frame.axes();
    line(fmt::format("set lmargin at screen {:.5f}", frame.left() / kWidth));
    line(fmt::format("set rmargin at screen {:.5f}", frame.right() / kWidth));
    line(fmt::format("set tmargin at screen {:.5f}", 1 - frame.top() / height_));
    line(fmt::format("set bmargin at screen {:.5f}", 1 - frame.bottom() / height_));
    line(fmt::format("set xrange [{:g}:{:g}]", axes.x_first, axes.x_last));
    line(fmt::format("set yrange [{:g}:{:g}]", axes.y_first, axes.y_last));
    label("Roofline, " + chart_title(types), {frame.left(), frame.top() - 17}, "left " + large_);
    const double middle = (frame.left() + frame.right()) / 2;
    label("FLOP/byte", {middle, frame.bottom() + 42}, "center");
    label("GFLOP/s", {16, (frame.top() + frame.bottom()) / 2}, "center rotate by 90");
    const std::string suffix = std::to_string(chart);
    const std::vector<RooflineLine> lines = chart_lines(report_, types, axes);
    std::string plots = add_lines(lines, frame, suffix);
    plots += add_points(frame, lines, suffix);
    if (chart + 1 == report_.charts.size()) draw_legend();
    // A chart may have neither a roof nor a point; gnuplot wants something.
    line("plot " + (plots.empty() ? "NaN notitle" : plots.substr(2)));
    line("unset label");
  }

  std::string add_lines(const std::vector<RooflineLine>& lines, const PlotFrame& frame,
                        const std::string& suffix) {
    std::string plots;
    std::vector<RooflineLine> roofs;
    std::vector<std::string> colours;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const RooflineLine& one = lines[i];
      const std::string block = fmt::format("$line{}_{}", suffix, i);
      line(fmt::format("{} << END\n{:.10g} {:.10g}\n{:.10g} {:.10g}\nEND", block, one.x_from,
                       one.y_from, one.x_to, one.y_to));
      std::string colour = kLineColour;
      double width = 1.2;
      if (one.kind != RooflineLine::Kind::bandwidth) {
        const bool same_type = !roofs.empty() && roofs.back().name == one.name;
        if (!same_type) ++roof_types_;
        colour = kRoofColours[(roof_types_ - 1) % std::size(kRoofColours)];
        // Roofs of two types may be one: the later line leaves an edge of the earlier one.
        width = roof_types_ == 1 ? 2.8 : 1.2;
        roofs.push_back(one);
        colours.push_back(colour);
      }
      plots += fmt::format(", {} using 1:2 with lines lc rgb '{}' lw {} dt {}", block, colour,
                           width, one.kind == RooflineLine::Kind::vector ? 2 : 1);
    }
    roof_types_ = 0;
    for (const PlotLabel& one : bandwidth_labels(lines, frame))
      label(one.text, one.place,
            fmt::format("left rotate by {:.2f} {} textcolor rgb '{}'", one.degrees, tiny_,
                        kLineColour));
    const std::vector<PlotPlace> places = roof_places(roofs, frame);
    for (std::size_t i = 0; i < roofs.size(); ++i)
      label(ceiling_label(roofs[i]), places[i],
            fmt::format("left {} textcolor rgb '{}'", small_, colours[i]));
    return plots;
  }

  /// The places of a point at the levels that are drawn.
  std::vector<std::pair<std::string, double>> levels_of(const RooflinePoint& point) const {
    std::vector<std::pair<std::string, double>> levels;
    if (!is_drawn(point)) return levels;
    for (const std::string& level : report_.levels) {
      if (intensity_at(point, level) > 0) levels.emplace_back(level, intensity_at(point, level));
    }
    return levels;
  }

  std::string add_points(const PlotFrame& frame, const std::vector<RooflineLine>& lines,
                         const std::string& suffix) {
    std::string points;
    std::string joins;
    LetterPlacer placer;
    for (const RooflineLine& one : lines) {
      if (one.kind != RooflineLine::Kind::bandwidth)
        placer.avoid(frame.at(one.x_from, one.ceiling), frame.at(one.x_to, one.ceiling));
    }
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const auto levels = levels_of(*points_[i].point);
      if (levels.empty()) continue;
      const double rate = points_[i].point->gflop_per_s;
      const int colour = colour_of(report_, points_[i], i);
      for (const auto& [level, intensity] : levels) {
        points += fmt::format("{:.10g} {:.10g} {} {} {}\n", intensity, rate, size_of(level),
                              shape_of(level, points_[i].run), colour);
        placer.avoid(frame.at(intensity, rate), frame.at(intensity, rate));
      }
      joins += fmt::format("{:.10g} {:.10g} {}\n{:.10g} {:.10g} {}\n\n", first_of(levels), rate,
                           colour, last_of(levels), rate, colour);
    }
    add_letters(frame, placer);
    if (points.empty()) return {};
    line(fmt::format("$joins{} << END\n{}END", suffix, joins));
    line(fmt::format("$points{} << END\n{}END", suffix, points));
    return fmt::format(
        ", $joins{0} using 1:2:3 with lines lc rgb variable lw 0.7 dt 3"
        ", $points{0} using 1:2:3:4:5 with points ps variable pt variable lc rgb variable lw 1.5",
        suffix);
  }

  using Levels = std::vector<std::pair<std::string, double>>;
  static double first_of(const Levels& levels) {
    double first = levels.front().second;
    for (const auto& [level, intensity] : levels) first = std::min(first, intensity);
    return first;
  }
  static double last_of(const Levels& levels) {
    double last = 0;
    for (const auto& [level, intensity] : levels) last = std::max(last, intensity);
    return last;
  }

  void add_letters(const PlotFrame& frame, LetterPlacer& placer) {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const Levels levels = levels_of(*points_[i].point);
      if (levels.empty()) continue;
      const PlotPlace point = frame.at(last_of(levels), points_[i].point->gflop_per_s);
      label(points_[i].letter, placer.place(point, points_[i].letter.size()),
            fmt::format("center textcolor rgb '#{:06X}'", colour_of(report_, points_[i], i)));
    }
  }

  struct LegendRow {
    std::string letter;
    std::string text;
    std::string status;
    int colour = 0x000000;
    bool is_swatch = false;
  };

  void build_legend() {
    if (report_.runs.size() > 1) {
      for (std::size_t run = 0; run < report_.runs.size(); ++run)
        legend_.push_back({"", one_line(report_.runs[run].name, kPlotNameWidth), "",
                           kColours[run % std::size(kColours)], true});
    }
    const std::size_t shown = std::min(points_.size(), kMostEntries);
    for (std::size_t i = 0; i < shown; ++i) {
      const RooflinePoint& point = *points_[i].point;
      const std::string why = why_not_drawn(point);
      const std::string status = why.empty() ? rate_figure(point.gflop_per_s) + " GFLOP/s" : why;
      const int colour = why.empty() ? colour_of(report_, points_[i], i) : 0x777777;
      const std::size_t width = report_.whole_names ? kPlotWholeName : kPlotNameWidth;
      const std::string name = point_name(point, width);
      if (width_of(name) <= kPlotNameWidth && width_of(status) <= 52) {
        legend_.push_back({points_[i].letter, name, status, colour, false});
        continue;
      }
      legend_.push_back({points_[i].letter, name, "", colour, false});
      legend_.push_back({"", status, "", colour, false});
    }
    if (points_.size() > shown)
      legend_.push_back({"",
                         fmt::format("and {} more, which the text lists", points_.size() - shown),
                         "", 0, false});
    for (const std::string& remark : roofline_remarks(report_)) {
      const std::string folded = wrapped(remark, 0, 0);
      for (const std::string_view part : split_lines(folded))
        legend_.push_back({"", std::string(part), "", 0x444444, false});
    }
    legend_rows_ = legend_.size() + 1;
  }

  void draw_legend() {
    double y = kChartHeight * static_cast<double>(report_.charts.size()) + kMargin;
    double x = kLeft;
    for (const char* level : {"L1", "L2", "HBM"}) {
      if (!is_one_of(level, report_.levels)) continue;
      label("", {x, y},
            fmt::format("point pt {} ps {} lc rgb '#444444'", shape_of(level, 0), size_of(level)));
      label(std::string("at ") + level, {x + 10, y}, "left " + small_);
      x += 80;
    }
    label("a dotted line joins the points of a kernel", {x, y}, "left " + small_);
    for (const LegendRow& row : legend_) {
      y += kRow;
      const std::string colour = fmt::format("textcolor rgb '#{:06X}'", row.colour);
      if (row.is_swatch)
        label("", {kLeft - 12, y}, fmt::format("point pt 5 ps 1.1 lc rgb '#{:06X}'", row.colour));
      if (!row.letter.empty())
        label(row.letter, {kLeft - 12, y}, "center " + small_ + " " + colour);
      const std::string how = fmt::format("left {} textcolor rgb '{}'", small_, kTextColour);
      label(row.text, {kLeft, y}, how);
      if (!row.status.empty()) label(row.status, {kStatusColumn, y}, how);
    }
  }

  const RooflineReport& report_;
  std::vector<LetteredPoint> points_;
  std::vector<LegendRow> legend_;
  std::size_t legend_rows_ = 0;
  std::size_t roof_types_ = 0;
  double height_ = 0;
  std::string small_;
  std::string tiny_;
  std::string large_;
  std::string text_;
};

}  // namespace

std::string gnuplot_quoted(const std::string& text) {
  constexpr std::string_view kPlain = " ,.:;()<>/+-*=_%";
  const std::string clean = one_line(text, kQuotedLimit);
  std::string result = "\"";
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const auto byte = static_cast<unsigned char>(clean[i]);
    // U+FFFE and U+FFFF are UTF-8, but no characters of XML.
    if (clean.compare(i, 2, "\xEF\xBF") == 0 && i + 2 < clean.size() &&
        static_cast<unsigned char>(clean[i + 2]) > 0xBDU) {
      result += '?';
      i += 2;
      continue;
    }
    const bool is_plain =
        byte >= 0x80U || std::isalnum(byte) != 0 || kPlain.find(clean[i]) != std::string_view::npos;
    if (clean[i] == '\n' || clean[i] == '\t')
      result += ' ';
    else if (is_plain)
      result += clean[i];
    else
      result += fmt::format("\\{:03o}", byte);
  }
  return result + "\"";
}

std::string roofline_plot(const RooflineReport& report, PlotFormat format) {
  return Script(report, format).text();
}

}  // namespace heddle::report
