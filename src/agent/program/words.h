// Lines of text, in and out: words, numbers, fields of CSV.
//
//   split("grid 256 32 1") -> "grid", "256", "32", "1"
//   integer("12") -> 12      integer("12x") -> nothing
//
// Rules
//   1. A number is the whole of the text, or it is none. There is no space, no `+`, no octal.
//   2. What others wrote is printed only through `printable`: one line, bounded, no control
//   characters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::agent {

/// At single spaces; two of them in a row give an empty word.
std::vector<std::string_view> split(std::string_view line);

/// The first `count` words and the rest of the line; fewer if there are not so many.
std::vector<std::string_view> split_first(std::string_view line, std::size_t count);

std::optional<std::int64_t> integer(std::string_view text);
std::optional<std::uint64_t> natural(std::string_view text);
std::optional<double> real(std::string_view text);  ///< `inf` and `nan` too

std::string printable(std::string_view text, std::size_t most = 2000);
std::string csv_field(std::string_view text);
std::string number_text(double value, int digits);  ///< as %.{digits}g

}  // namespace heddle::agent
