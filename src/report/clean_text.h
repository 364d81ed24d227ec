// Text of others made fit to print: orders and reasons may hold any bytes.
//
//   printable("a\x1b[2Jb\xff")   a [2Jb and the replacement character
//   one_line("p0\n// 8", 40)     p0 // 8
//
// Rules
//   1. Control characters but for tabs and newlines become blanks, so that a terminal obeys none.
//   2. Bytes that are not UTF-8 become U+FFFD.
//   3. Time is linear in the text.
#pragma once

#include <string>
#include <string_view>

namespace heddle::report {

/// Rule 2 alone: for JSON, which writes control characters as escapes.
std::string valid_utf8(std::string_view text);

std::string printable(std::string_view text);

/// Printable, on one line of at most `width` characters; what is too long ends in dots.
std::string one_line(std::string_view text, std::size_t width);
/// The same, but its end: "...gemm.py:matmul".
std::string end_of_line(std::string_view text, std::size_t width);

}  // namespace heddle::report
