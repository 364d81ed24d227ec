#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/roofline_report.h"
#include "report/roofline_words.h"

namespace heddle::report {
namespace {

constexpr int kMostChartColumns = 65;
constexpr int kLeastChartColumns = 40;  ///< with names of roofs beside it
constexpr int kRowsOfDecade = 4;
constexpr int kLeastRows = 17;
constexpr int kMostRows = 41;
constexpr std::size_t kTickWidth = 10;

char mark_of_level(const std::string& level) {
  return level == "L1" ? '1' : level == "L2" ? '2' : 'h';
}

/// A sheet of characters with logarithmic axes.
class RooflineCanvas {
 public:
  RooflineCanvas(const RooflineAxes& axes, int columns)
      : axes_(axes),
        columns_(columns),
        rows_(std::clamp(
            static_cast<int>(std::lround(decades(axes.y_first, axes.y_last))) * kRowsOfDecade + 1,
            kLeastRows, kMostRows)),
        cells_(static_cast<std::size_t>(rows_),
               std::string(static_cast<std::size_t>(columns), ' ')),
        taken_(cells_) {}

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  const std::string& row(int place) const { return cells_[static_cast<std::size_t>(place)]; }

  int column_of(double x) const {
    return place(decades(axes_.x_first, x) / decades(axes_.x_first, axes_.x_last), columns_);
  }
  int row_of(double y) const {
    return place(1 - decades(axes_.y_first, y) / decades(axes_.y_first, axes_.y_last), rows_);
  }
  double x_at(int column) const {
    return axes_.x_first *
           std::pow(10, decades(axes_.x_first, axes_.x_last) * column / (columns_ - 1));
  }

  void line(const RooflineLine& line) {
    const bool rises = line.kind == RooflineLine::Kind::bandwidth;
    const char mark = rises ? '.' : line.kind == RooflineLine::Kind::matrix ? '=' : '-';
    for (int column = column_of(line.x_from); column <= column_of(line.x_to); ++column) {
      const double y = rises ? std::min(line.ceiling * x_at(column), line.y_to) : line.ceiling;
      char& cell = at(row_of(y), column);
      if (cell == ' ' || rises) cell = mark;
    }
  }

  /// Where nothing but lines is in the way.
  bool label(int row, int column, const std::string& text) {
    if (row < 0 || row >= rows_ || column + static_cast<int>(text.size()) > columns_) return false;
    std::string& taken = taken_[static_cast<std::size_t>(row)];
    const auto from = static_cast<std::size_t>(column);
    if (taken.substr(from, text.size()).find('t') != std::string::npos) return false;
    cells_[static_cast<std::size_t>(row)].replace(from, text.size(), text);
    taken.replace(from, text.size(), std::string(text.size(), 't'));
    return true;
  }

  /// At its place, or a column or two beside it where another mark is in the way.
  void mark(double x, double y, const std::string& text) {
    const int most = columns_ - static_cast<int>(text.size());
    const int wanted = std::min(column_of(x), most);
    const auto row = static_cast<std::size_t>(row_of(y));
    for (const int shift : {0, 1, -1, 2, -2}) {
      const int column = wanted + shift;
      if (column < 0 || column > most) continue;
      const auto from = static_cast<std::size_t>(column);
      if (taken_[row].substr(from, text.size()).find('p') != std::string::npos) continue;
      cells_[row].replace(from, text.size(), text);
      taken_[row].replace(from, text.size(), std::string(text.size(), 'p'));
      return;
    }
    cells_[row][static_cast<std::size_t>(wanted)] = '*';
  }

 private:
  static double decades(double from, double to) { return std::log10(to / from); }
  static int place(double share, int count) {
    return std::clamp(static_cast<int>(std::lround(share * (count - 1))), 0, count - 1);
  }
  char& at(int row, int column) {
    return cells_[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
  }

  RooflineAxes axes_;
  int columns_;
  int rows_;
  std::vector<std::string> cells_;
  std::vector<std::string> taken_;  ///< 't' under labels, 'p' under points
};

using Roofs = std::vector<const RooflineLine*>;

/// What stands beside each row: the roofs that fall on it, the highest first.
std::vector<Roofs> roofs_of_rows(const std::vector<RooflineLine>& lines,
                                 const RooflineCanvas& canvas) {
  std::vector<Roofs> rows(static_cast<std::size_t>(canvas.rows()));
  for (const RooflineLine& line : lines) {
    if (line.kind != RooflineLine::Kind::bandwidth)
      rows[static_cast<std::size_t>(canvas.row_of(line.ceiling))].push_back(&line);
  }
  for (Roofs& roofs : rows)
    std::ranges::stable_sort(roofs,
                             [](const auto* a, const auto* b) { return a->ceiling > b->ceiling; });
  return rows;
}

std::string roof_figure(const RooflineLine& roof) {
  return fmt::format("{} {}", roof_name(roof), rate_figure(roof.ceiling));
}

/// "matrix FP64 41,500"; of several "matrix FP64, FP32" or "matrix FP64 and 2 more".
std::string row_label(const Roofs& roofs) {
  if (roofs.empty()) return {};
  if (roofs.size() == 1) return " " + roof_figure(*roofs[0]);
  std::string text = " " + roof_name(*roofs[0]);
  for (std::size_t i = 1; i < roofs.size(); ++i) {
    if (roofs[i]->kind != roofs[0]->kind || i > 1)
      return fmt::format(" {} and {} more", roof_name(*roofs[0]), roofs.size() - 1);
    text += ", " + roofs[i]->name;
  }
  return text;
}

/// The figures that do not fit beside rows with several roofs, or beside any row; empty if all do.
std::string shared_rows_text(const std::vector<Roofs>& rows, bool has_labels) {
  std::string text;
  for (const Roofs& roofs : rows) {
    if (roofs.size() < 2 && has_labels) continue;
    for (const RooflineLine* roof : roofs) text += (text.empty() ? "" : ", ") + roof_figure(*roof);
  }
  return text.empty()
             ? text
             : wrapped((has_labels ? "on one row: " : "roofs: ") + text, 0, has_labels ? 12 : 7) +
                   "\n";
}

/// Bandwidths are named where their lines begin.
void label_bandwidths(const std::vector<RooflineLine>& lines, RooflineCanvas& canvas) {
  for (const RooflineLine& line : lines) {
    if (line.kind != RooflineLine::Kind::bandwidth) continue;
    const int row = canvas.row_of(line.y_from);
    const std::string text = ceiling_label(line);
    if (canvas.label(row, 0, text)) continue;
    canvas.label(row, static_cast<int>(text.size()) + 4, text);
  }
}

std::string x_axis(const RooflineAxes& axes, const RooflineCanvas& canvas) {
  const auto columns = static_cast<std::size_t>(canvas.columns());
  std::string rule(columns, '-');
  std::string ticks(columns + kTickWidth, ' ');
  const std::size_t last = text_columns() - kTickWidth - 2;
  for (double x = axes.x_first; x < axes.x_last * 2; x *= 10) {
    const auto column = static_cast<std::size_t>(canvas.column_of(x));
    rule[column] = '+';
    const std::string text = rate_figure(x);
    ticks.replace(std::min(column, last - std::min(last, text.size())), text.size(), text);
  }
  ticks.erase(ticks.find_last_not_of(' ') + 1);
  return fmt::format("{:{}} +{}\n{:{}}  {}\n{:{}}  {}\n", "", kTickWidth, rule, "", kTickWidth,
                     ticks, "", kTickWidth, "FLOP/byte");
}

/// Columns of the chart, and whether the names of roofs fit beside it.
std::pair<int, bool> chart_size(const RooflineAxes& axes, const std::vector<RooflineLine>& lines) {
  std::size_t label = 0;
  for (const Roofs& roofs : roofs_of_rows(lines, RooflineCanvas(axes, kMostChartColumns)))
    label = std::max(label, width_of(row_label(roofs)));
  const int room = static_cast<int>(text_columns()) - static_cast<int>(kTickWidth) - 2;
  const int beside = std::min(kMostChartColumns, room - static_cast<int>(label));
  if (beside >= kLeastChartColumns) return {beside, true};
  return {std::min(kMostChartColumns, room), false};
}

}  // namespace

std::string roofline_chart_text(const RooflineReport& report,
                                const std::vector<std::string>& types) {
  const RooflineAxes axes = chart_axes(report, types);
  const std::vector<RooflineLine> lines = chart_lines(report, types, axes);
  const auto [columns, has_labels] = chart_size(axes, lines);
  RooflineCanvas canvas(axes, columns);
  for (const RooflineLine& line : lines) canvas.line(line);
  label_bandwidths(lines, canvas);
  for (const LetteredPoint& lettered : lettered_points(report)) {
    if (!is_drawn(*lettered.point)) continue;
    for (const std::string& level : report.levels) {
      const double intensity = intensity_at(*lettered.point, level);
      if (intensity > 0)
        canvas.mark(intensity, lettered.point->gflop_per_s, lettered.letter + mark_of_level(level));
    }
  }
  std::vector<std::string> ticks(static_cast<std::size_t>(canvas.rows()));
  for (double y = axes.y_first; y < axes.y_last * 2; y *= 10)
    ticks[static_cast<std::size_t>(canvas.row_of(y))] = rate_figure(y);
  const std::vector<Roofs> roofs = roofs_of_rows(lines, canvas);
  std::string text = fmt::format("{:>{}}\n", "GFLOP/s", kTickWidth);
  for (int row = 0; row < canvas.rows(); ++row) {
    const auto place = static_cast<std::size_t>(row);
    std::string line = fmt::format("{:>{}} |{}{}", ticks[place], kTickWidth, canvas.row(row),
                                   has_labels ? row_label(roofs[place]) : "");
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text + x_axis(axes, canvas) + shared_rows_text(roofs, has_labels);
}

}  // namespace heddle::report
