// Small text tools: splitting, trimming, numbers with separators.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

std::string_view trim(std::string_view text);
/// Views of the text, which must stay: a temporary one is refused.
std::vector<std::string_view> split(std::string_view text, char separator);
std::vector<std::string_view> split_lines(std::string_view text);
template <std::same_as<std::string> Text>
std::vector<std::string_view> split(Text&& text, char separator) = delete;
template <std::same_as<std::string> Text>
std::vector<std::string_view> split_lines(Text&& text) = delete;
bool starts_with_word(std::string_view text, std::string_view word);
std::string lower_case(std::string_view text);

/// A whole decimal integer with nothing around it.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// 65536 -> "65,536".
std::string with_separators(std::int64_t value);

/// "1 block", "65,536 blocks".
std::string count_of(std::int64_t count, std::string_view noun);

/// A word of a shell's command line: a name of plain letters as it is, anything else in quotes.
/// "my run/a.py" -> 'my run/a.py'.
std::string shell_quoted(std::string_view text);

/// Splits where the separator stands outside ( ) brackets; parts are trimmed.
std::vector<std::string_view> split_outside_brackets(std::string_view text, char separator);

}  // namespace heddle
