// How many columns of a terminal a text takes, and text cut or broken to so many.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::report {

/// Columns, not bytes, of a text in UTF-8: colour codes take none, East Asian characters take two.
std::size_t width_of(std::string_view text);

/// On one line of at most `width` columns; what is too long ends in dots.
std::string cut(std::string_view text, std::size_t width);

/// Lines of at most `width` columns: broken at blanks, and within a word that is longer.
std::vector<std::string> broken(std::string_view text, std::size_t width);

/// Pieces of at most `width` columns, broken anywhere; at most `most`, the last of which then ends in
/// dots.
std::vector<std::string> pieces(std::string_view text, std::size_t width, std::size_t most);

}  // namespace heddle::report
