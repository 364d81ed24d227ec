#include "report/table_text.h"

#include <algorithm>

#include "report/validation_table.h"

namespace heddle::report {

std::string table_text(const std::vector<Row>& rows, const std::vector<bool>& to_the_left) {
  std::vector<std::size_t> widths(to_the_left.size(), 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const Row& row : rows) {
    std::string cells;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string gap(widths[i] - width_of(row[i]), ' ');
      cells += "  " + (to_the_left[i] ? row[i] + gap : gap + row[i]);
    }
    cells.erase(cells.find_last_not_of(' ') + 1);
    text += cells + "\n";
  }
  return text;
}

}  // namespace heddle::report
