// Panels for other programs: JSON, CSV and Markdown.
//
//   panels_json   every number as it was computed; blank cells are null and say why
//   panels_csv    one line per cell: run, table, row, metric, column, unit, value
//   table_csv     one table as rocprofiler-compute's --save-dfs writes it
//   panels_markdown   a heading per table, numbers with `decimals` digits
//
// Rules
//   1. JSON and panels_csv carry full precision; --decimal does not touch them.
//   2. An infinite number is the text "inf" or "-inf".
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/document.h"
#include "report/panel_text.h"
#include "results/finding.h"
#include "results/panel.h"

namespace heddle::report {

nlohmann::json panels_json(const std::vector<Panel>& panels);

/// With a header line if `header`. `run` is the folder.
std::string panels_csv(const std::vector<Panel>& panels, const std::string& run, bool header);

std::string table_csv(const PanelTable& table, const PanelStyle& style);

/// "16.3_L1D_Cache_Accesses.csv".
std::string table_file_name(const PanelTable& table);

/// A page with what cannot be, and a table for each that can be searched and sorted. `found` may be
/// null: nobody looked.
Document panels_view(const std::vector<Panel>& panels, const std::string& title,
                     const PanelStyle& style, const PlausibilityReport* found);
std::string panels_markdown(const std::vector<Panel>& panels, const PanelStyle& style);

}  // namespace heddle::report
