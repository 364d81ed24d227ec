// Past searches as text and as JSON: the list of runs, the attempts of one, two of them compared.
//
//   history of searches in history.db
//     run  started     job              GPU     grid     attempts  best              speedup answer
//       2  2026-11-15  stencil_2d.toml  mi300x  256x256       212  xcd(8) | columns    1.144
//       improved
//
// Rules
//   1. Orders and names that are too long for a line of text go on below.
//   2. Stored texts are somebody else's: what a terminal would obey is shown as '?'. JSON has them
//      as they are.
//   3. Dates are the one thing that depends on a clock; they are as stored.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/document.h"
#include "report/style.h"
#include "results/history.h"

namespace heddle::report {

Document history_list_view(const HistoryListing& listing);
std::string history_list_text(const HistoryListing& listing, const Style& style);
nlohmann::json history_list_json(const HistoryListing& listing);

Document history_run_view(const HistoryRunReport& report);
std::string history_run_text(const HistoryRunReport& report, const Style& style);
nlohmann::json history_run_json(const HistoryRunReport& report);

Document history_comparison_view(const HistoryComparison& comparison);
std::string history_comparison_text(const HistoryComparison& comparison, const Style& style);
nlohmann::json history_comparison_json(const HistoryComparison& comparison);

}  // namespace heddle::report
