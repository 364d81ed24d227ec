// Columns of text: names to the left, figures to the right, on the columns of the terminal.
//
//   iteration  order                    hit rate    time
//           4  digits(x1 y x0=2 die=8     68.0 %  108 us
//              -> y, die x1 x0)
//
// Rules
//   1. Each column is as wide as its widest cell; rows end where their last cell does.
//   2. Where that is wider than text_columns(), names are continued on lines of their own.
//   3. Where figures alone are too wide, columns follow below in a second table, which begins with the
//      first column again.
//   4. A row with fewer cells than there are columns gives its last cell the rest of the line.
//   5. Cells may be coloured (width_of).
#pragma once

#include <string>
#include <vector>

namespace heddle::report {

using Row = std::vector<std::string>;

std::string table_text(const std::vector<Row>& rows, const std::vector<bool>& to_the_left);

}  // namespace heddle::report
