#include "report/validation_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/family_table.h"
#include "report/table_text.h"
#include "report/validation_table.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kValidationIndent = 2;
constexpr std::size_t kValidationGap = 2;  ///< between cells
constexpr std::size_t kWideGap = 3;        ///< between figures
constexpr std::size_t kLeastOrder = 16;
constexpr std::size_t kStar = 2;  ///< columns of the marks
constexpr std::size_t kLongestNoted = 48;
constexpr int kMostPoints = 100;  ///< whose groups have their tables in text

/// The width of each of a figure's columns.
std::vector<std::size_t> widths_of(const FigureColumns& figure, const Row& heads) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    std::size_t width = heads[i].size();
    for (const Row& cells : figure.cells) width = std::max(width, cells[i].size());
    widths.push_back(width);
  }
  return widths;
}

std::size_t total_of(const std::vector<std::size_t>& widths) {
  std::size_t total = kValidationGap * (widths.size() - 1);
  for (const std::size_t width : widths) total += width;
  return total;
}

std::string cells_text(const Row& cells, const std::vector<std::size_t>& widths) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i)
    text += fmt::format("{:{}}{:>{}}", "", i == 0 ? kWideGap : kValidationGap, cells[i], widths[i]);
  return text;
}

std::string line_of(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

/// The figures of a group with their widths, laid out for one table.
struct Layout {
  explicit Layout(const ComparedGroup& group) : figures(figure_columns(group)) {
    std::size_t taken = kValidationIndent + kStar;
    for (const FigureColumns& figure : figures) {
      widths.push_back(widths_of(figure, heads));
      taken += kWideGap + total_of(widths.back());
    }
    room = text_columns() - std::min(text_columns(), taken);
    is_stacked = room < kLeastOrder;
    if (is_stacked) room = text_columns() - kValidationIndent - kStar;
    for (const ComparedPoint& point : group.points)
      order_width =
          std::max(order_width, std::min(room, width_of(cut(point.measured.order, room))));
    if (is_stacked) order_width = 0;
  }

  std::string heading() const {
    std::string top = fmt::format("{:{}}", "", kValidationIndent + order_width + kStar);
    std::string head = fmt::format("{:{}}{:{}}", "", kValidationIndent, is_stacked ? "" : "order",
                                   order_width + kStar);
    for (std::size_t f = 0; f < figures.size(); ++f) {
      top += fmt::format("{:{}}{:^{}}", "", kWideGap, figures[f].title, total_of(widths[f]));
      head += cells_text(heads, widths[f]);
    }
    return line_of(top) + line_of(head);
  }

  std::string row(const ComparedPoint& point, std::size_t p) const {
    const bool sampled = point.predicted.kind.sampled;
    const std::string star =
        fmt::format("{:>2}", fmt::format("{}{}", point.permutation ? "" : "*", sampled ? "~" : ""));
    std::string text = fmt::format("{:{}}{:{}}{}", "", kValidationIndent,
                                   cut(point.measured.order, room), order_width, star);
    if (is_stacked) text = line_of(text) + fmt::format("{:{}}", "", kValidationIndent + kStar);
    for (std::size_t f = 0; f < figures.size(); ++f)
      text += cells_text(figures[f].cells[p], widths[f]);
    return line_of(text);
  }

  const Row heads = {"real", "model", "error"};
  std::vector<FigureColumns> figures;
  std::vector<std::vector<std::size_t>> widths;
  std::size_t room = 0;         ///< for an order
  std::size_t order_width = 5;  ///< that it takes
  bool is_stacked = false;      ///< orders stand above their figures: there is no room beside them
};

std::string group_table(const ComparedGroup& group) {
  const Layout layout(group);
  std::string text = layout.heading();
  for (std::size_t p = 0; p < group.points.size(); ++p) text += layout.row(group.points[p], p);
  for (const ComparedPoint& point : group.points) {
    if (!point.note.empty())
      text += labelled("note",
                       fmt::format("{}: {}", cut(point.measured.order, kLongestNoted), point.note));
  }
  return text;
}

/// What the marks mean, of those that there are.
std::string legend(const ValidationReport& report) {
  std::string text;
  if (any_point(report, [](const ComparedPoint& point) { return !point.permutation; }))
    text += "* not a permutation: scored separately, as \"others\"\n";
  if (any_point(report, [](const ComparedPoint& point) { return point.predicted.kind.sampled; }))
    text += "~ predicted from a sample of the launch\n";
  return text.empty() ? text : text + "\n";
}

/// The tables of all groups, or where they are to be found.
std::string group_tables(const ValidationReport& report, const Style& style) {
  int points = 0;
  for (const GpuScore& score : report.scores) points += score.points;
  if (points > kMostPoints)
    return wrapped(
               fmt::format("{} in {}: single points are in the output of --json and -o FILE.md",
                           count_of(points, "point"), count_of(std::ssize(report.groups), "group")),
               0, 0) +
           "\n\n";
  std::string text;
  for (const ComparedGroup& group : report.groups) {
    text += headline(style.bold(group.job), fmt::format("{} on grid {}, {}", group.kernel,
                                                        fmt::join(group.grid, "x"), group.gpu));
    if (!group.overrides.empty())
      text += labelled("set", fmt::format("{}", fmt::join(group.overrides, " ")));
    text += group_table(group) + "\n";
  }
  return text + legend(report);
}

std::string family_table(const GpuScore& score) {
  const std::vector<Row> rows = family_rows(score);
  if (rows.empty()) return {};
  std::vector<bool> to_the_left(rows.front().size(), false);
  to_the_left.front() = true;
  return "\n" + table_text(rows, to_the_left);
}

}  // namespace

std::string validation_text(const ValidationReport& report, const Style& style) {
  std::string text = group_tables(report, style);
  bool is_first = true;
  for (const GpuScore& score : report.scores) {
    const std::string table = family_table(score);
    if (!is_first && !table.empty()) text += "\n";
    is_first = false;
    text += fmt::format("{}, {}\n", style.bold(score.gpu), count_of(score.points, "point"));
    for (const ScoreLine& line : score_lines(report, score))
      text += labelled(line.label, line.text);
    text += table;
  }
  if (!report.breaches.empty()) text += "\n" + breaches_text(report, style);
  return text;
}

std::string breaches_text(const ValidationReport& report, const Style& style) {
  if (report.breaches.empty()) return {};
  std::string text = style.bold("limits exceeded") + "\n";
  for (const LimitBreach& breach : report.breaches)
    text += wrapped("  " + breach_text(report, breach), 0, 4) + "\n";
  return text;
}

}  // namespace heddle::report
