#include "report/panel_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/clean_text.h"
#include "report/finding_report.h"
#include "report/json_values.h"
#include "report/markdown.h"
#include "report/panel_numbers.h"
#include "support/csv.h"
#include "support/text.h"

namespace heddle::report {
namespace {

nlohmann::json cell_json(const PanelCell& cell) {
  switch (cell.kind) {
    case PanelCell::Kind::blank:
      return nullptr;
    case PanelCell::Kind::text:
      return valid_utf8(cell.text);
    case PanelCell::Kind::whole:
      return static_cast<std::int64_t>(cell.number);
    case PanelCell::Kind::number:
      break;
  }
  if (std::isinf(cell.number)) return cell.number > 0 ? "inf" : "-inf";
  return cell.number;
}

std::string cell_text(const PanelCell& cell) {
  if (cell.kind == PanelCell::Kind::number) return exact(cell.number);
  if (cell.kind == PanelCell::Kind::whole) return fmt::format("{:.0f}", cell.number);
  return cell.kind == PanelCell::Kind::text ? valid_utf8(cell.text) : "";
}

bool is_unit(const PanelColumn& column) {
  return column.title == "Unit" || column.title == "Units";
}

nlohmann::json table_json(const PanelTable& table) {
  nlohmann::json panel = {{"id", table.id}, {"title", table.title}};
  nlohmann::json titles = nlohmann::json::array();
  for (const PanelColumn& column : table.columns) titles.push_back(column.title);
  panel["columns"] = std::move(titles);
  nlohmann::json rows = nlohmann::json::array();
  nlohmann::json blanks = nlohmann::json::array();
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    nlohmann::json cells = nlohmann::json::array();
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      const PanelCell& cell = table.rows[row][column];
      cells.push_back(cell_json(cell));
      if (cell.kind == PanelCell::Kind::blank && !cell.text.empty())
        blanks.push_back({{"row", row}, {"column", column}, {"why", valid_utf8(cell.text)}});
    }
    rows.push_back(std::move(cells));
  }
  panel["rows"] = std::move(rows);
  if (!blanks.empty()) panel["blank"] = std::move(blanks);
  return panel;
}

std::string page_cell(const PanelCell& cell, const PanelStyle& style) {
  return cell.kind == PanelCell::Kind::number ? fixed(cell.number, style.decimals)
                                              : one_line(cell_text(cell), 400);
}

/// Columns of numbers are to the right.
Table document_table(const PanelTable& table, const Panel& panel, const PanelStyle& style) {
  Table result{table.title.empty() ? fmt::format("{} {}", table.id, panel.title)
                                   : fmt::format("{} {}", table.id, table.title),
               {}};
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const bool is_figure =
        std::ranges::any_of(table.rows, [&](const auto& row) { return row[column].is_number(); });
    result.columns.push_back({table.columns[column].title, is_figure});
  }
  for (const auto& row : table.rows) {
    std::vector<Text> cells;
    for (const PanelCell& cell : row) cells.emplace_back(page_cell(cell, style));
    result.rows.push_back(std::move(cells));
  }
  return result;
}

}  // namespace

nlohmann::json panels_json(const std::vector<Panel>& panels) {
  nlohmann::json list = nlohmann::json::array();
  for (const Panel& panel : panels) {
    list.push_back({{"id", panel.id},
                    {"title", panel.title},
                    {"tables", list_json(panel.tables, table_json)}});
  }
  return list;
}

std::string panels_csv(const std::vector<Panel>& panels, const std::string& run, bool header) {
  std::string text = header ? "run,table,row,metric,column,unit,value\n" : "";
  for (const Panel& panel : panels) {
    for (const PanelTable& table : panel.tables) {
      std::size_t number = 0;
      for (const auto& row : table.rows) {
        std::string unit;
        for (std::size_t column = 0; column < row.size(); ++column) {
          if (is_unit(table.columns[column])) unit = cell_text(row[column]);
        }
        // Lists have no ids: their rows are numbered.
        const std::string id = table.is_list ? std::to_string(number) : cell_text(row[0]);
        const std::string metric = row.size() > 1 && !table.is_list ? cell_text(row[1]) : "";
        for (std::size_t column = table.is_list ? 0 : 2; column < row.size(); ++column) {
          if (is_unit(table.columns[column]) || table.columns[column].title.empty()) continue;
          text += fmt::format("{},{},{},{},{},{},{}\n", csv_field(valid_utf8(run)), table.id, id,
                              csv_field(metric), csv_field(table.columns[column].title),
                              csv_field(unit), csv_field(cell_text(row[column])));
        }
        ++number;
      }
    }
  }
  return text;
}

std::string table_csv(const PanelTable& table, const PanelStyle& style) {
  std::string text;
  std::string separator;
  for (const PanelColumn& column : table.columns) {
    if (column.title.empty()) continue;
    text += separator + csv_field(column.title);
    separator = ",";
  }
  text += "\n";
  for (const auto& row : table.rows) {
    separator.clear();
    for (std::size_t column = 0; column < row.size(); ++column) {
      if (table.columns[column].title.empty()) continue;
      const PanelCell& cell = row[column];
      text += separator + (cell.kind == PanelCell::Kind::number
                               ? rounded_text(cell.number, style.decimals)
                               : csv_field(cell_text(cell)));
      separator = ",";
    }
    text += "\n";
  }
  return text;
}

std::string table_file_name(const PanelTable& table) {
  std::string name = table.title.empty() ? table.id : table.id + "_" + table.title;
  for (char& c : name) {
    if (c == ' ' || c == '/') c = '_';
  }
  return name + ".csv";
}

std::string panels_markdown(const std::vector<Panel>& panels, const PanelStyle& style) {
  std::string text;
  for (const Panel& panel : panels) {
    text += fmt::format("{}## {}. {}\n", text.empty() ? "" : "\n", panel.id, panel.title);
    for (const PanelTable& table : panel.tables) {
      if (!table.title.empty()) text += fmt::format("\n### {} {}\n", table.id, table.title);
      std::vector<std::string> titles;
      std::vector<std::string> rules;
      for (const PanelColumn& column : table.columns) {
        titles.push_back(table_cell(column.title));
        rules.push_back(column.compared ? "--:" : "---");
      }
      text += "\n" + table_row(titles) + table_row(rules);
      for (const auto& row : table.rows) {
        std::vector<std::string> cells;
        for (const PanelCell& cell : row) {
          if (cell.kind == PanelCell::Kind::number)
            cells.push_back(fixed(cell.number, style.decimals));
          else
            cells.push_back(escaped(one_line(cell_text(cell), 200)));
        }
        text += table_row(cells);
      }
      if (!table.footnote.empty()) text += "\n" + table.footnote + "\n";
    }
  }
  return text;
}

Document panels_view(const std::vector<Panel>& panels, const std::string& title,
                     const PanelStyle& style, const PlausibilityReport* found) {
  Document page;
  page.verb = "analyze";
  page.title = one_line(title, 400);
  if (found != nullptr) {
    const auto findings = std::ssize(found->findings);
    page.badge = findings == 0 ? "no finding" : count_of(findings, "finding");
    page.tone = findings == 0 ? Tone::neutral : Tone::doubtful;
    add_findings(*found, page);
  }
  for (const Panel& panel : panels) {
    page.heading(fmt::format("{}. {}", panel.id, panel.title));
    for (const PanelTable& table : panel.tables) page.add(document_table(table, panel, style));
  }
  return page;
}

}  // namespace heddle::report
