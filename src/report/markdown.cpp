#include "report/markdown.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::report {
namespace {

constexpr std::size_t kShortestFence = 3;

/// The longest run of backticks.
std::size_t longest_run(std::string_view text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

std::string table_cell(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string table_row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string inline_code(const std::string& text) {
  if (text.find_first_not_of(' ') == std::string::npos) return "(empty)";
  const std::size_t run = longest_run(text);
  const std::string fence(run + 1, '`');
  const std::string_view gap = run > 0 ? " " : "";
  return fmt::format("{}{}{}{}{}", fence, gap, text, gap, fence);
}

std::string fenced(std::string_view language, std::string_view code) {
  const std::string fence(std::max(kShortestFence, longest_run(code) + 1), '`');
  return fmt::format("{}{}\n{}{}{}\n", fence, language, code, code.ends_with('\n') ? "" : "\n",
                     fence);
}

std::string escaped(std::string_view text) {
  constexpr std::string_view kSpecial = "\\`*_[]<>|~#&";
  std::string result;
  for (const char c : text) {
    if (kSpecial.find(c) != std::string_view::npos) result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

}  // namespace heddle::report
