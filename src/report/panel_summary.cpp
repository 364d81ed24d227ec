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
constexpr std::size_t kMostFindings = 3;
/// What a line of 100 columns holds.
constexpr std::size_t kLongestFinding = 80;

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
                  fmt::format("{}{}; longest {}, {:.1f} % of the time",
                              table->footnote.empty() ? "" : "more than ", table->rows.size(),
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

std::string findings_lines(const std::vector<Finding>& findings) {
  if (findings.empty()) return labelled("findings", "none");
  std::string text;
  for (std::size_t i = 0; i < std::min(findings.size(), kMostFindings); ++i) {
    const Finding& finding = findings[i];
    const std::string line = one_line(
        fmt::format("{}, {}: {}", finding.id, finding.where, finding.what), kLongestFinding);
    text += i == 0 && findings.size() > 1
                ? labelled("findings", fmt::format("{}, at the end; the gravest:", findings.size()))
                : "";
    text += labelled(findings.size() == 1 ? "findings" : "", line);
  }
  return text;
}

}  // namespace

std::string panels_summary(const std::vector<Panel>& panels, const std::vector<Finding>* findings) {
  std::vector<std::string> titles;
  for (const Panel& panel : panels) titles.push_back(std::to_string(panel.id));
  return kernels_line(panels) + peaks_line(panels) +
         (findings == nullptr ? "" : findings_lines(*findings)) +
         labelled("panels", fmt::format("{}; -b ID shows one", fmt::join(titles, " ")));
}

}  // namespace heddle::report
