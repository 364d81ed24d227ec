#include "report/text_width.h"

#include <algorithm>
#include <array>

#include "support/text.h"

namespace heddle::report {
namespace {

struct CodeRange {
  std::uint32_t first;
  std::uint32_t last;
};
/// Characters that terminals draw over two columns (Unicode, East Asian Width): the large blocks.
constexpr std::array<CodeRange, 9> kWide = {{{0x1100, 0x115F},
                                             {0x2E80, 0x303E},
                                             {0x3041, 0xA4CF},
                                             {0xAC00, 0xD7A3},
                                             {0xF900, 0xFAFF},
                                             {0xFE30, 0xFE6F},
                                             {0xFF00, 0xFF60},
                                             {0x1F300, 0x1FAFF},
                                             {0x20000, 0x3FFFD}}};

/// The character that begins at `at`, which moves behind it. The text is valid UTF-8.
std::uint32_t next_character(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  std::uint32_t code = first < 0x80 ? first
                                    : first & (first >= 0xF0   ? 0x07U
                                               : first >= 0xE0 ? 0x0FU
                                                               : 0x1FU);
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80)
    code = code << 6 | (static_cast<unsigned char>(text[at++]) & 0x3FU);
  return code;
}

std::size_t columns_of(std::uint32_t code) {
  return std::ranges::any_of(
             kWide,
             [&](const CodeRange& range) { return range.first <= code && code <= range.last; })
             ? 2
             : 1;
}

/// The character that begins at `at`, or a colour code: its columns. `at` moves behind it.
std::size_t next_columns(std::string_view text, std::size_t& at) {
  if (text[at] != '\x1b') return columns_of(next_character(text, at));
  at = std::min(text.find('m', at), text.size() - 1) + 1;
  return 0;
}

}  // namespace

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) width += next_columns(text, at);
  return width;
}

std::vector<std::string> pieces(std::string_view text, std::size_t width, std::size_t most) {
  std::vector<std::string> lines(1);
  std::size_t used = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const std::size_t columns = columns_of(next_character(text, at));
    if (used + columns > width) {
      if (lines.size() == most) {
        // Room for the dots: three characters back.
        std::string& last = lines.back();
        for (int back = 0; back < 3 && !last.empty(); ++back) {
          while (last.size() > 1 && (static_cast<unsigned char>(last.back()) & 0xC0) == 0x80)
            last.pop_back();
          last.pop_back();
        }
        last += "...";
        return lines;
      }
      lines.emplace_back();
      used = 0;
    }
    lines.back() += text.substr(begin, at - begin);
    used += columns;
  }
  return lines;
}

std::string cut(std::string_view text, std::size_t width) {
  std::string line;
  for (const char c : text) {
    const bool is_space = c == ' ' || (c >= '\t' && c <= '\r');
    if (!is_space) line += c;
    if (is_space && !line.ends_with(' ')) line += ' ';
  }
  if (width_of(line) <= width) return line;
  return pieces(line, width, 1).front();
}

std::vector<std::string> broken(std::string_view text, std::size_t width) {
  if (width_of(text) <= width || width == 0) return {std::string(text)};
  std::vector<std::string> lines(1);
  for (const std::string_view word : split(text, ' ')) {
    if (!lines.back().empty() && width_of(lines.back()) + 1 + width_of(word) <= width) {
      lines.back() += ' ' + std::string(word);
      continue;
    }
    if (!lines.back().empty()) lines.emplace_back();
    std::vector<std::string> parts = pieces(word, width, word.size() + 1);
    lines.back() = std::move(parts.front());
    lines.insert(lines.end(), parts.begin() + 1, parts.end());
  }
  return lines;
}

}  // namespace heddle::report
