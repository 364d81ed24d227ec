// Columns of text: names to the left, figures to the right.
#pragma once

#include <string>
#include <vector>

namespace heddle::report {

using Row = std::vector<std::string>;

/// Each column is as wide as its widest cell; rows end where their last cell does.
std::string table_text(const std::vector<Row>& rows, const std::vector<bool>& to_the_left);

}  // namespace heddle::report
