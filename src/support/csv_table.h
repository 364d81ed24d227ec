// A text of comma-separated values as rows of fields, with the line each row begins at.
//
//   # comment                         (left out)
//   order,note                        line 2: {order, note}
//   "p0 % 8, p1","a ""quoted"" word"  line 3: {p0 % 8, p1} {a "quoted" word}
//
// Rules
//   1. A field in double quotes may hold commas, line ends and, doubled, double quotes. Blanks
//      around a field are dropped, those within quotes kept.
//   2. Blank lines and lines that begin with '#' are not rows, except within quotes.
//   3. A text is at most so long and has at most so many rows (CsvLimits) of kMostFields fields; an
//      Error with the line otherwise, and for quotes that do not close or stand inside a field.
//   4. It is UTF-8 with lines that end in a line feed, with or without a carriage return before it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

inline constexpr std::size_t kMostFields = 64;

struct CsvLimits {
  std::size_t bytes = std::size_t{4} << 20;
  std::size_t rows = 10'000;
};

struct CsvRow {
  int line = 0;
  std::vector<std::string> fields;
};

/// Errors have a line, but no file yet.
std::vector<CsvRow> parse_csv(std::string_view text, const CsvLimits& limits = {});

}  // namespace heddle
