#include "report/panel_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "report/clean_text.h"
#include "report/memory_chart.h"
#include "report/panel_numbers.h"
#include "report/style.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kLine = 80;
/// Beyond the header, as in the original.
constexpr std::size_t kHeaderRoom = 2;
constexpr std::size_t kMostReasons = 8;

struct Box {
  bool right = false;  ///< aligned to the right
  std::size_t width = 0;
  std::string title;
  std::vector<std::vector<std::string>> cells;  ///< lines of each row
};

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

/// How many columns of a terminal a text takes.
std::size_t cell_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) width += columns_of(next_character(text, at));
  return width;
}

/// Pieces of at most `width` columns, at most `most`; a longer text ends in dots.
std::vector<std::string> cut_cell(const std::string& text, std::size_t width, std::size_t most) {
  std::vector<std::string> lines(1);
  std::size_t used = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const std::size_t columns = columns_of(next_character(text, at));
    if (used + columns > width) {
      if (lines.size() == most) {
        // Room for the dots: three characters back.
        std::string& last = lines.back();
        for (int back = 0; back < 3; ++back) {
          while ((static_cast<unsigned char>(last.back()) & 0xC0) == 0x80) last.pop_back();
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

/// Printable, on one line; blanks are kept as they are.
std::string flat(const std::string& text) {
  std::string clean = printable(text);
  std::replace_if(
      clean.begin(), clean.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return clean;
}

bool not_available(const std::string& text) {
  return text.empty() || text == "NA" || text == "N/A";
}

std::vector<std::string> text_lines(const PanelTable& table, std::size_t column,
                                    const std::string& text, const PanelStyle& style) {
  const std::string clean = flat(text);
  if (table.columns[column].title == "Kernel_Name")
    return table.id == "0.1"   ? cut_cell(clean, 40, 3)
           : table.id == "0.2" ? cut_cell(clean, 80, 4)
                               : std::vector{clean};
  if (style.compat && table.columns[column].title == "Info" && not_available(clean)) return {"nan"};
  return {clean};
}

std::string panel_number(const PanelCell& cell, const PanelStyle& style, bool as_text) {
  if (cell.kind == PanelCell::Kind::whole) return fmt::format("{:.0f}", cell.number);
  return as_text ? rounded_text(cell.number, style.decimals) : fixed(cell.number, style.decimals);
}

Box make_box(const PanelTable& table, std::size_t column, const PanelStyle& style) {
  Box box;
  box.title = table.columns[column].title;
  bool text = table.rows.empty();
  bool blank = false;
  bool number = false;
  for (const auto& row : table.rows) {
    text = text || row[column].kind == PanelCell::Kind::text;
    blank = blank || row[column].kind == PanelCell::Kind::blank;
    number = number || row[column].is_number();
  }
  const bool as_text = text || (style.compat && blank);
  box.right = !as_text && (number || table.columns[column].compared);
  box.width = cell_width(box.title) + kHeaderRoom;
  for (const auto& row : table.rows) {
    const PanelCell& cell = row[column];
    std::vector<std::string> lines = {""};
    if (cell.is_number()) lines = {panel_number(cell, style, as_text)};
    if (cell.kind == PanelCell::Kind::text) lines = text_lines(table, column, cell.text, style);
    for (const std::string& line : lines) box.width = std::max(box.width, cell_width(line));
    box.cells.push_back(std::move(lines));
  }
  return box;
}

std::string rule(const std::vector<Box>& boxes, const char* left, const char* line,
                 const char* cross, const char* right) {
  std::string text = left;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (i > 0) text += cross;
    for (std::size_t k = 0; k < boxes[i].width + 2; ++k) text += line;
  }
  return text + right + "\n";
}

void append_cell(std::string& text, const Box& box, const std::string& cell) {
  const std::string room(box.width - std::min(box.width, cell_width(cell)), ' ');
  text += "│ " + (box.right ? room + cell : cell + room) + " ";
}

/// "no TCC_HIT[17]" -> "no TCC_HIT[...]": channels lack the same.
std::string without_channel(std::string reason) {
  const std::size_t open = reason.find('[');
  const std::size_t close = reason.find(']', open);
  if (close != std::string::npos) reason.replace(open + 1, close - open - 1, "...");
  return reason;
}

}  // namespace

std::string box_text(const PanelTable& table, const PanelStyle& style) {
  std::vector<Box> boxes;
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    boxes.push_back(make_box(table, column, style));
  std::string text = rule(boxes, "╒", "═", "╤", "╕");
  for (const Box& box : boxes) append_cell(text, box, box.title);
  text += "│\n" + rule(boxes, "╞", "═", "╪", "╡");
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (row > 0) text += rule(boxes, "├", "─", "┼", "┤");
    std::size_t height = 1;
    for (const Box& box : boxes) height = std::max(height, box.cells[row].size());
    for (std::size_t line = 0; line < height; ++line) {
      for (const Box& box : boxes)
        append_cell(text, box, line < box.cells[row].size() ? box.cells[row][line] : "");
      text += "│\n";
    }
  }
  return text + rule(boxes, "╘", "═", "╧", "╛");
}

std::string panels_text(const std::vector<Panel>& panels, const PanelStyle& style) {
  std::string text;
  for (const Panel& panel : panels) {
    text += "\n" + std::string(kLine, '-') + "\n" + fmt::format("{}. {}\n", panel.id, panel.title);
    for (const PanelTable& table : panel.tables) {
      if (!table.title.empty()) text += fmt::format("{} {}\n", table.id, table.title);
      if (table.id == "3.1" && !style.per.empty() && !style.compat)
        text += memory_chart(table, style.per);
      text += box_text(table, style);
      if (!style.compat && !table.footnote.empty()) text += table.footnote + "\n";
    }
    text += "\n";
  }
  return text;
}

std::string blank_reasons(const std::vector<Panel>& panels) {
  std::map<std::string, std::int64_t> counts;
  for (const Panel& panel : panels) {
    for (const PanelTable& table : panel.tables) {
      for (const auto& row : table.rows) {
        for (const PanelCell& cell : row) {
          if (cell.kind == PanelCell::Kind::blank && !cell.text.empty())
            ++counts[without_channel(cell.text)];
        }
      }
    }
  }
  std::vector<std::pair<std::string, std::int64_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted,
                           [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < sorted.size() && i < kMostReasons; ++i)
    text += labelled(
        i == 0 ? "blank" : "",
        fmt::format("{}: {}", count_of(sorted[i].second, "cell"), one_line(sorted[i].first, 120)));
  if (sorted.size() > kMostReasons)
    text += labelled(
        "", fmt::format("and {} more reasons: --json has them all", sorted.size() - kMostReasons));
  return text;
}

}  // namespace heddle::report
