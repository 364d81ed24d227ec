// Pieces of Markdown, so that no name or code of a user breaks a page.
//
//   table_cell("xcd(8) | columns")   xcd(8) \| columns
//   inline_code("a `b`")             `` a `b` ``
//   escaped("input_ptr <b>")         input\_ptr \<b\>
//   fenced("diff", "+ x")            ```diff
//                                    + x
//                                    ```
//
// Rules
//   1. Code stands in more backticks than it has itself.
//   2. A pipe inside a table is escaped, within code as well: that is how tables are read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::report {

/// Text, code included, inside a cell of a table.
std::string table_cell(std::string_view text);

/// "| a | b |\n"; the cells are ready.
std::string table_row(const std::vector<std::string>& cells);

/// On one line, as code; "(empty)" for nothing.
std::string inline_code(const std::string& text);

/// A block of code with a newline at its end.
std::string fenced(std::string_view language, std::string_view code);

/// Plain text: nothing of it is Markdown or HTML.
std::string escaped(std::string_view text);

}  // namespace heddle::report
