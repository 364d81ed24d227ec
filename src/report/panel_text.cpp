#include "report/panel_text.h"

#include <fmt/format.h>

#include <algorithm>
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
constexpr std::size_t kLeastBox = 18;  ///< to which a column of names may shrink

struct Box {
  bool right = false;  ///< aligned to the right
  std::size_t width = 0;
  std::string title;
  std::vector<std::vector<std::string>> cells;  ///< lines of each row
};

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

/// The widest that a column of kernels' names may be; 0: as wide as its cells.
std::size_t name_width(const PanelTable& table, std::size_t column) {
  if (table.columns[column].title != "Kernel_Name") return 0;
  return table.id == "0.1" ? 40 : table.id == "0.2" ? 80 : 0;
}

std::vector<std::string> text_lines(const PanelTable& table, std::size_t column,
                                    const std::string& text, const PanelStyle& style) {
  const std::string clean = flat(text);
  const std::size_t width = name_width(table, column);
  if (width > 0 && style.compat) return pieces(clean, width, width / 20 + 1);
  if (width > 0) return {cut(clean, width * (width / 20 + 1))};
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
  box.width = width_of(box.title) + kHeaderRoom;
  for (const auto& row : table.rows) {
    const PanelCell& cell = row[column];
    std::vector<std::string> lines = {""};
    if (cell.is_number()) lines = {panel_number(cell, style, as_text)};
    if (cell.kind == PanelCell::Kind::text) lines = text_lines(table, column, cell.text, style);
    for (const std::string& line : lines) box.width = std::max(box.width, width_of(line));
    box.cells.push_back(std::move(lines));
  }
  const std::size_t most = name_width(table, column);
  if (most > 0) box.width = std::min(box.width, most);
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

std::size_t boxes_width(const std::vector<Box>& boxes) {
  std::size_t width = 1;
  for (const Box& box : boxes) width += box.width + 3;
  return width;
}

/// The widest column of names gives way, until all fit or none can.
void shrink_boxes(std::vector<Box>& boxes) {
  while (boxes_width(boxes) > text_columns()) {
    Box* widest = nullptr;
    for (Box& box : boxes) {
      if (box.right || box.width <= kLeastBox) continue;
      if (widest == nullptr || box.width > widest->width) widest = &box;
    }
    if (widest == nullptr) return;
    --widest->width;
  }
}

/// The columns as tables that fit below one another; each begins with the first column.
std::vector<std::vector<Box>> fitting_boxes(const std::vector<Box>& boxes) {
  std::vector<std::vector<Box>> tables;
  for (std::size_t next = 0; next < boxes.size();) {
    std::vector<Box> table;
    if (next > 0) table.push_back(boxes.front());
    const std::size_t least = table.size() + 1;
    for (; next < boxes.size(); ++next) {
      std::vector<Box> wider = table;
      wider.push_back(boxes[next]);
      shrink_boxes(wider);
      if (wider.size() > least && boxes_width(wider) > text_columns()) break;
      table.push_back(boxes[next]);
    }
    shrink_boxes(table);
    tables.push_back(std::move(table));
  }
  return tables;
}

/// Cells that are wider than their box go on below.
void break_lines(Box& box) {
  for (std::vector<std::string>& lines : box.cells) {
    if (lines.size() == 1) lines = broken(lines.front(), box.width);
  }
}

void append_cell(std::string& text, const Box& box, const std::string& cell) {
  const std::string room(box.width - std::min(box.width, width_of(cell)), ' ');
  text += "│ " + (box.right ? room + cell : cell + room) + " ";
}

/// "no TCC_HIT[17]" -> "no TCC_HIT[...]": channels lack the same.
std::string without_channel(std::string reason) {
  const std::size_t open = reason.find('[');
  const std::size_t close = reason.find(']', open);
  if (close != std::string::npos) reason.replace(open + 1, close - open - 1, "...");
  return reason;
}

std::string drawn_boxes(const std::vector<Box>& boxes, std::size_t rows) {
  std::string text = rule(boxes, "╒", "═", "╤", "╕");
  for (const Box& box : boxes) append_cell(text, box, cut(box.title, box.width));
  text += "│\n" + rule(boxes, "╞", "═", "╪", "╡");
  for (std::size_t row = 0; row < rows; ++row) {
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

}  // namespace

std::string box_text(const PanelTable& table, const PanelStyle& style) {
  std::vector<Box> boxes;
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    boxes.push_back(make_box(table, column, style));
  if (style.compat) return drawn_boxes(boxes, table.rows.size());
  std::string text;
  for (std::vector<Box>& fitting : fitting_boxes(boxes)) {
    for (Box& box : fitting) break_lines(box);
    text += drawn_boxes(fitting, table.rows.size());
  }
  return text;
}

std::string panels_text(const std::vector<Panel>& panels, const PanelStyle& style) {
  std::string text;
  for (const Panel& panel : panels) {
    text += "\n" + std::string(std::min(kLine, style.compat ? kLine : text_columns()), '-') + "\n" +
            fmt::format("{}. {}\n", panel.id, panel.title);
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
