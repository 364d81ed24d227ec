#include "report/table_text.h"

#include <algorithm>
#include <numeric>

#include "report/style.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kTableGap = 2;
constexpr std::size_t kLeastName = 12;  ///< to which a column of names may shrink

std::size_t line_width(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), kTableGap * widths.size());
}

/// One table of some of the columns.
class Sheet {
 public:
  Sheet(const std::vector<Row>& rows, const std::vector<bool>& to_the_left,
        std::vector<std::size_t> columns)
      : rows_(rows), to_the_left_(to_the_left), columns_(std::move(columns)) {
    for (const std::size_t column : columns_) widths_.push_back(widest_cell(column));
    shrink();
  }

  bool fits() const { return line_width(widths_) <= text_columns(); }

  std::string text() const {
    std::string text;
    for (const Row& row : rows_) text += row_text(row);
    return text;
  }

 private:
  bool spans(const Row& row, std::size_t column) const {
    return row.size() < to_the_left_.size() && column + 1 == row.size();
  }

  std::size_t widest_cell(std::size_t column) const {
    std::size_t width = 0;
    for (const Row& row : rows_) {
      if (column < row.size() && !spans(row, column))
        width = std::max(width, width_of(row[column]));
    }
    return width;
  }

  /// The widest name gives way, until the line fits or no name can.
  void shrink() {
    while (!fits()) {
      std::size_t widest = columns_.size();
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (!to_the_left_[columns_[i]] || widths_[i] <= kLeastName) continue;
        if (widest == columns_.size() || widths_[i] > widths_[widest]) widest = i;
      }
      if (widest == columns_.size()) return;
      --widths_[widest];
    }
  }

  std::string row_text(const Row& row) const {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    std::size_t used = 0;
    for (std::size_t i = 0; i < columns_.size() && columns_[i] < row.size(); ++i) {
      const std::size_t rest = text_columns() - std::min(text_columns(), used + kTableGap);
      const std::size_t width = spans(row, columns_[i]) ? std::max(rest, kLeastName) : widths_[i];
      cells.push_back(broken(row[columns_[i]], width));
      height = std::max(height, cells.back().size());
      used += kTableGap + widths_[i];
    }
    std::string text;
    for (std::size_t line = 0; line < height; ++line) text += line_text(cells, line);
    return text;
  }

  std::string line_text(const std::vector<std::vector<std::string>>& cells,
                        std::size_t line) const {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string cell = line < cells[i].size() ? cells[i][line] : "";
      const std::string gap(widths_[i] - std::min(widths_[i], width_of(cell)), ' ');
      text += std::string(kTableGap, ' ') + (to_the_left_[columns_[i]] ? cell + gap : gap + cell);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  }

  const std::vector<Row>& rows_;
  const std::vector<bool>& to_the_left_;
  std::vector<std::size_t> columns_;
  std::vector<std::size_t> widths_;
};

}  // namespace

std::string table_text(const std::vector<Row>& rows, const std::vector<bool>& to_the_left) {
  std::string text;
  for (std::size_t next = 0; next < to_the_left.size();) {
    std::vector<std::size_t> columns;
    if (next > 0) columns.push_back(0);
    const std::size_t least = columns.size() + 1;
    for (; next < to_the_left.size(); ++next) {
      columns.push_back(next);
      if (columns.size() <= least || Sheet(rows, to_the_left, columns).fits()) continue;
      columns.pop_back();
      break;
    }
    text += (text.empty() ? "" : "\n") + Sheet(rows, to_the_left, columns).text();
  }
  return text;
}

}  // namespace heddle::report
