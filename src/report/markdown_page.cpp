#include "report/markdown_page.h"

#include <fmt/format.h>

#include "report/markdown.h"

namespace heddle::report {
namespace {

std::string markdown_line(const Text& text) {
  std::string line;
  for (const Span& span : text.spans) {
    if (span.kind == Span::Kind::code)
      line += inline_code(span.text);
    else if (span.kind == Span::Kind::strong)
      line += fmt::format("**{}**", span.text);
    else
      line += span.kind == Span::Kind::ours ? span.text : escaped(span.text);
  }
  return line;
}

/// Pipes of words are escaped already.
std::string markdown_cell(const Text& text) {
  std::string cell;
  for (const Span& span : text.spans) {
    if (span.kind == Span::Kind::words || span.kind == Span::Kind::link)
      cell += escaped(span.text);
    else
      cell += table_cell(span.kind == Span::Kind::code ? inline_code(span.text) : span.text);
  }
  return cell;
}

struct MarkdownBlock {
  std::string operator()(const Heading& heading) const {
    return fmt::format("## {}\n", markdown_line(heading.text));
  }
  std::string operator()(const Paragraph& paragraph) const {
    std::string text;
    for (const Text& line : paragraph.lines) text += markdown_line(line) + "\n";
    return text;
  }
  std::string operator()(const Items& items) const {
    std::string text;
    for (const Text& item : items.items) text += fmt::format("* {}\n", markdown_line(item));
    return text;
  }
  std::string operator()(const Values& values) const {
    std::string text;
    for (const LabelledValue& value : values.values)
      text += fmt::format("* {}{}{}\n", value.label, value.label.empty() ? "" : ": ",
                          markdown_line(value.text));
    return text;
  }
  std::string operator()(const Table& table) const {
    std::vector<std::string> cells;
    std::string rule = "|";
    for (const Table::Column& column : table.columns) {
      cells.push_back(table_cell(column.title));
      rule += column.is_figure ? "--:|" : "---|";
    }
    std::string text = table_row(cells) + rule + "\n";
    for (const std::vector<Text>& row : table.rows) {
      cells.assign(table.columns.size(), "");
      for (std::size_t i = 0; i < cells.size() && i < row.size(); ++i)
        cells[i] = markdown_cell(row[i]);
      text += table_row(cells);
    }
    return text;
  }
  std::string operator()(const Code& block) const { return fenced(block.language, block.text); }
  std::string operator()(const KeyFigures&) const { return {}; }
  std::string operator()(const Picture&) const { return {}; }
};

}  // namespace

std::string markdown_page(const Document& document) {
  std::string text = fmt::format("# {}\n", markdown_line(document.title));
  for (const Block& block : document.blocks) {
    const std::string part = std::visit(MarkdownBlock{}, block);
    if (!part.empty()) text += "\n" + part;
  }
  return text;
}

}  // namespace heddle::report
