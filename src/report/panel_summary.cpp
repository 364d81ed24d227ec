#include "report/panel_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "report/clean_text.h"
#include "report/style.h"

namespace heddle::report {
namespace {

constexpr std::size_t kMostPeaks = 4;
constexpr std::size_t kLongestSummarized = 80;

const PanelTable* find_table(const std::vector<Panel>& panels, const std::string& id) {
  for (const Panel& panel : panels) {
    const auto found = std::ranges::find(panel.tables, id, &PanelTable::id);
    if (found != panel.tables.end()) return &*found;
  }
  return nullptr;
}

std::optional<std::size_t> column_of(const PanelTable& table, const std::string& title) {
  const auto found = std::ranges::find(table.columns, title, &PanelColumn::title);
  if (found == table.columns.end()) return {};
  return static_cast<std::size_t>(found - table.columns.begin());
}

std::string kernels_line(const std::vector<Panel>& panels) {
  const PanelTable* table = find_table(panels, "0.1");
  if (table == nullptr || table->rows.empty()) return {};
  const auto name = column_of(*table, "Kernel_Name");
  const auto share = column_of(*table, "Pct");
  if (!name || !share || !table->rows.front()[*share].is_number()) return {};
  return labelled("kernels",
                  fmt::format("{}; longest {}, {:.1f} % of the time", table->rows.size(),
                              one_line(table->rows.front()[*name].text, kLongestSummarized),
                              table->rows.front()[*share].number));
}

/// The metrics of the speed-of-light table with the largest shares of their peaks.
std::string peaks_line(const std::vector<Panel>& panels) {
  const PanelTable* table = find_table(panels, "2.1");
  if (table == nullptr) return {};
  const auto name = column_of(*table, "Metric");
  const auto share = column_of(*table, "Pct of Peak");
  if (!name || !share) return {};
  std::vector<std::pair<double, std::string>> shares;
  for (const auto& row : table->rows) {
    if (row[*share].is_number() && std::isfinite(row[*share].number))
      shares.emplace_back(row[*share].number, one_line(row[*name].text, kLongestSummarized));
  }
  std::ranges::stable_sort(shares, std::greater(), &std::pair<double, std::string>::first);
  shares.resize(std::min(shares.size(), kMostPeaks));
  std::vector<std::string> parts;
  for (const auto& [percent, metric] : shares)
    parts.push_back(fmt::format("{} {:.0f} %", metric, percent));
  return parts.empty() ? "" : labelled("of its peak", fmt::format("{}", fmt::join(parts, ", ")));
}

std::string findings_line(const std::vector<Finding>& findings) {
  std::vector<std::string> ids;
  for (const Finding& finding : findings) {
    if (std::ranges::find(ids, finding.id) == ids.end()) ids.push_back(finding.id);
  }
  return labelled("findings", ids.empty() ? "none"
                                          : fmt::format("{}, at the end: {}", findings.size(),
                                                        fmt::join(ids, ", ")));
}

}  // namespace

std::string panels_summary(const std::vector<Panel>& panels, const std::vector<Finding>* findings) {
  std::vector<std::string> titles;
  for (const Panel& panel : panels) titles.push_back(fmt::format("{} {}", panel.id, panel.title));
  return kernels_line(panels) + peaks_line(panels) +
         (findings == nullptr ? "" : findings_line(*findings)) +
         labelled("panels", fmt::format("{}; -b ID shows one", fmt::join(titles, ", ")));
}

}  // namespace heddle::report
