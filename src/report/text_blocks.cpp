#include "report/text_blocks.h"

#include <fmt/format.h>

#include "report/table_text.h"

namespace heddle::report {
namespace {

struct TextBlock {
  const Style& style;

  std::string line(const Text& text) const {
    std::string result;
    for (const Span& span : text.spans)
      result += span.kind == Span::Kind::strong ? style.bold(span.text) : span.text;
    return result;
  }

  std::string operator()(const Heading& heading) const {
    return style.bold(heading.text.plain()) + "\n";
  }
  std::string operator()(const Paragraph& paragraph) const {
    std::string text;
    for (const Text& one : paragraph.lines) text += "  " + wrapped(line(one), 2, 2) + "\n";
    return text;
  }
  std::string operator()(const Items& items) const {
    std::string text;
    for (const Text& item : items.items) text += "  * " + wrapped(line(item), 4, 4) + "\n";
    return text;
  }
  std::string operator()(const Values& values) const {
    std::string text;
    for (const LabelledValue& value : values.values)
      text += labelled(value.label, line(value.text));
    return text;
  }
  std::string operator()(const Table& table) const {
    std::vector<Row> rows;
    std::vector<bool> to_the_left;
    Row head;
    for (const Table::Column& column : table.columns) {
      head.push_back(column.title);
      to_the_left.push_back(!column.is_figure);
    }
    if (!table.is_list) rows.push_back(std::move(head));
    for (const std::vector<Text>& cells : table.rows) {
      Row row;
      for (const Text& cell : cells) row.push_back(cell.plain());
      rows.push_back(std::move(row));
    }
    return table.is_list ? list_text(rows) : table_text(rows, to_the_left) + table_end(table);
  }
  std::string operator()(const Code& block) const { return block.text; }
  std::string operator()(const KeyFigures&) const { return {}; }
  std::string operator()(const Picture&) const { return {}; }

 private:
  static std::string table_end(const Table& table) {
    return table.more.empty() ? table.more : fmt::format("  ... and {}\n", table.more);
  }

  /// Names and values: two of them beside one another where they fit.
  static std::string list_text(const std::vector<Row>& rows) {
    std::size_t name_width = 0;
    std::size_t value_width = 0;
    for (const Row& row : rows) {
      name_width = std::max(name_width, row[0].size());
      value_width = std::max(value_width, row[1].size());
    }
    const std::size_t cell = 2 + name_width + 2 + value_width;
    const std::size_t columns = 2 * cell + 2 <= text_columns() ? 2 : 1;
    const std::size_t lines = (rows.size() + columns - 1) / columns;
    std::string text;
    for (std::size_t first = 0; first < lines; ++first) {
      for (std::size_t at = first; at < rows.size(); at += lines) {
        const std::string& name = rows[at][0];
        const std::string& figure = rows[at][1];
        const std::size_t room = std::min(cell, text_columns()) - 2;
        const std::size_t taken = name.size() + figure.size();
        text += (at == first ? "  " : "    ") + name +
                std::string(room > taken + 2 ? room - taken : 2, ' ') + figure;
      }
      text += "\n";
    }
    return text;
  }
};

}  // namespace

std::string text_blocks(const std::vector<Block>& blocks, const Style& style) {
  std::string text;
  for (const Block& block : blocks) {
    const std::string part = std::visit(TextBlock{style}, block);
    if (part.empty()) continue;
    if (!text.empty()) text += "\n";
    text += part;
  }
  return text;
}

}  // namespace heddle::report
