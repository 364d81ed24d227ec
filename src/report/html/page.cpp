#include "report/html/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/html/assets.h"
#include "report/html/markup.h"
#include "report/html/plot_svg.h"
#include "report/html/tile_map_html.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kShortCell = 20;  ///< bytes of a cell that stays on one line
constexpr std::size_t kLongTable = 12;  ///< rows from which on a table can be searched

const PageAsset& asset(std::string_view name) {
  return *std::ranges::find(page_assets(), name, &PageAsset::name);
}

/// 64 hexadecimal digits -> 'sha256-...' in base 64.
std::string policy_hash(std::string_view hexadecimal) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto value = [](char digit) {
    return static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
  };
  std::string text = "'sha256-";
  for (std::size_t at = 0; at < hexadecimal.size(); at += 6) {  // three bytes are four digits
    const std::size_t left = std::min<std::size_t>(6, hexadecimal.size() - at);
    unsigned bits = 0;
    for (std::size_t i = 0; i < 6; ++i)
      bits = bits << 4U | (i < left ? value(hexadecimal[at + i]) : 0U);
    for (std::size_t digit = 0; digit < 4; ++digit)
      text += digit * 3 < left * 2 ? kDigits[bits >> (18 - 6 * digit) & 63U] : '=';
  }
  return text + "'";
}

const char* tone_class(Tone tone) {
  switch (tone) {
    case Tone::good:
      return "good";
    case Tone::bad:
      return "bad";
    case Tone::doubtful:
      return "doubtful";
    case Tone::neutral:
      break;
  }
  return "neutral";
}

/// Figures stand right, short texts stay on one line.
const char* cell_class(const Table::Column& column, const std::string& cell) {
  if (column.is_figure) return " class=\"figure\"";
  const bool may_break = cell.find_first_of(" -") != std::string::npos;
  return may_break && cell.size() <= kShortCell ? " class=\"short\"" : "";
}

std::string table_html(const Table& table) {
  const bool is_long = table.rows.size() > kLongTable;
  std::string text = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
      "aria-label=\"{0}\"><table{1}><caption>{0}</caption><thead><tr>",
      html_text(table.caption), is_long ? " class=\"long\"" : "");
  for (const Table::Column& column : table.columns)
    text += fmt::format("<th scope=\"col\"{}>{}</th>", column.is_figure ? " class=\"figure\"" : "",
                        html_text(column.title));
  text += "</tr></thead><tbody>";
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const bool is_marked = std::ranges::find(table.marked, r) != table.marked.end();
    text += is_marked ? "<tr class=\"marked\">" : "<tr>";
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const std::string cell = i < table.rows[r].size() ? html_line(table.rows[r][i]) : "";
      text += fmt::format("<{0}{1}>{2}</{3}>", i == 0 ? "th scope=\"row\"" : "td",
                          cell_class(table.columns[i], cell), cell, i == 0 ? "th" : "td");
    }
    text += "</tr>";
  }
  return text + "</tbody></table></div>" +
         (table.more.empty() ? "" : fmt::format("<p>... and {}</p>", html_text(table.more)));
}

/// A unified diff, each line in its colour.
std::string diff_html(std::string_view diff) {
  std::string text;
  for (const std::string_view line : split_lines(diff)) {
    const char* const kind = line.starts_with("+++") || line.starts_with("---") ? "file"
                             : line.starts_with("@@")                           ? "hunk"
                             : line.starts_with("+")                            ? "added"
                             : line.starts_with("-")                            ? "removed"
                                                                                : "";
    text += fmt::format("<span class=\"{}\">{}\n</span>", kind, html_text(line));
  }
  return text;
}

/// Comments of Python and of C++ in another colour.
std::string code_html(std::string_view code) {
  std::string text;
  for (const std::string_view line : split_lines(code)) {
    const std::size_t comment = std::min(line.find('#'), line.find("//  "));
    if (comment == std::string_view::npos)
      text += html_text(line) + "\n";
    else
      text += fmt::format("{}<span class=\"comment\">{}</span>\n",
                          html_text(line.substr(0, comment)), html_text(line.substr(comment)));
  }
  return text;
}

class BodyWriter {
 public:
  std::string body(const Document& document) {
    for (std::size_t i = 0; i < document.blocks.size(); ++i) {
      const bool is_map = maps(document.blocks[i]);
      if (is_map && !in_pair_) {
        text_ += "<div class=\"pair\">";
        in_pair_ = true;
      } else if (!is_map && in_pair_) {
        text_ += "</div>";
        in_pair_ = false;
      }
      std::visit([this](const auto& block) { add(block); }, document.blocks[i]);
    }
    if (in_pair_) text_ += "</div>";
    return text_ + (in_section_ ? "</section>" : "");
  }
  /// Of the headings so far.
  const std::string& contents() const { return contents_; }

 private:
  static bool maps(const Block& block) {
    const Picture* const figure = std::get_if<Picture>(&block);
    return figure != nullptr && std::holds_alternative<TileMap>(figure->drawing);
  }

  void add(const Heading& heading) {
    const int number = ++sections_;
    if (in_section_) text_ += "</section>";
    in_section_ = true;
    const std::string words = html_line(heading.text);
    text_ +=
        fmt::format("<section aria-labelledby=\"s{0}\"><h2 id=\"s{0}\">{1}</h2>", number, words);
    contents_ += fmt::format("<li><a href=\"#s{}\">{}</a></li>", number, words);
  }
  void add(const Paragraph& paragraph) {
    text_ += "<p>";
    for (const Text& line : paragraph.lines) text_ += html_line(line) + " ";
    text_ += "</p>";
  }
  void add(const Items& items) {
    text_ += "<ul>";
    for (const Text& item : items.items) text_ += fmt::format("<li>{}</li>", html_line(item));
    text_ += "</ul>";
  }
  void add(const Values& values) {
    text_ += "<dl>";
    for (const LabelledValue& value : values.values)
      text_ += value.label.empty() ? fmt::format("<dd>{}</dd>", html_line(value.text))
                                   : fmt::format("<dt>{}</dt><dd>{}</dd>", html_text(value.label),
                                                 html_line(value.text));
    text_ += "</dl>";
  }
  void add(const Table& table) { text_ += table_html(table); }
  void add(const Code& block) {
    text_ += fmt::format("<pre tabindex=\"0\"><code>{}</code></pre>",
                         block.language == "diff" ? diff_html(block.text) : code_html(block.text));
  }
  void add(const KeyFigures& key) {
    text_ += "<ul class=\"key\">";
    for (const KeyFigures::One& one : key.figures)
      text_ += fmt::format(
          "<li class=\"{}\"><span class=\"what\">{}</span><span class=\"value\">{}</span><span "
          "class=\"detail\">{}</span></li>",
          tone_class(one.tone), html_text(one.label), html_text(one.value), html_text(one.detail));
    text_ += "</ul>";
  }
  void add(const Picture& figure) {
    const std::string id = fmt::format("m{}", ++figures_);
    std::string drawing;
    if (const Plot* const plot = std::get_if<Plot>(&figure.drawing))
      drawing = plot_svg(*plot, figure.title);
    else if (const Bars* const bars = std::get_if<Bars>(&figure.drawing))
      drawing = bars_svg(*bars, figure.title);
    else
      drawing = tile_map_html(std::get<TileMap>(figure.drawing), id);
    if (drawing.empty()) return;
    text_ += fmt::format(
        "<figure><figcaption><h3>{}</h3>{}</figcaption>{}", html_text(figure.title),
        figure.caption.empty() ? "" : fmt::format("<p>{}</p>", html_text(figure.caption)), drawing);
    if (!figure.table.rows.empty())
      text_ += fmt::format(
          "<details><summary>As a table<span class=\"unseen\">: {}</span></summary>{}</details>",
          html_text(figure.title), table_html(figure.table));
    text_ += "</figure>";
  }

  std::string text_;
  std::string contents_;
  int sections_ = 0;
  int figures_ = 0;
  bool in_section_ = false;
  bool in_pair_ = false;
};

}  // namespace

std::string html_page(const Document& document) {
  const PageAsset& style = asset("page.css");
  const PageAsset& script = asset("page.js");
  BodyWriter writer;
  const std::string body = writer.body(document);
  const std::string badge = document.badge.empty()
                                ? ""
                                : fmt::format("<span class=\"badge {}\">{}</span>",
                                              tone_class(document.tone), html_text(document.badge));
  const std::string contents =
      writer.contents().empty()
          ? ""
          : fmt::format("<nav aria-label=\"contents\"><ol>{}</ol></nav>", writer.contents());
  return fmt::format(
             "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
             "style-src {}; script-src {}; base-uri 'none'; form-action 'none'\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>",
             policy_hash(style.sha256), policy_hash(script.sha256),
             html_text(document.title.plain())) +
         std::string(style.text) +
         fmt::format(
             "</style>\n</head>\n<body>\n<header><p class=\"brand\">heddle <b>{}</b></p>"
             "<h1>{}{}</h1></header>\n<div class=\"columns\">{}<main>{}</main></div>\n"
             "<div id=\"tip\" role=\"status\" aria-live=\"polite\" hidden></div>\n<script>",
             html_text(document.verb), html_line(document.title), badge, contents, body) +
         std::string(script.text) + "</script>\n</body>\n</html>\n";
}

}  // namespace heddle::report
