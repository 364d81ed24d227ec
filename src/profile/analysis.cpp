#include "profile/analysis.h"

#include <fmt/format.h>

#include <algorithm>

#include "profile/blocks.h"
#include "profile/fixed_panels.h"
#include "profile/metric/counters.h"
#include "profile/metric/evaluate.h"

namespace heddle::profile {
namespace {

constexpr std::size_t kMostGaps = 3;

/// "per_wave" -> "wave".
std::string per_what(const std::string& normal_unit) {
  return normal_unit.substr(normal_unit.find('_') + 1);
}

void add(std::vector<Panel>& panels, Panel panel) {
  if (panel.tables.empty()) return;
  const auto place =
      std::ranges::find_if(panels, [&](const Panel& one) { return one.id > panel.id; });
  panels.insert(place, std::move(panel));
}

void note_gaps(const Workload& workload, const std::vector<std::string>& gaps,
               std::vector<ProfileNote>& notes) {
  for (std::size_t i = 0; i < gaps.size() && i < kMostGaps; ++i)
    notes.push_back({workload.counters_file, gaps[i] + "; these do not count"});
  if (gaps.size() > kMostGaps)
    notes.push_back({workload.counters_file,
                     fmt::format("{} more counters have such gaps", gaps.size() - kMostGaps)});
}

}  // namespace

std::vector<Panel> analyze(const Workload& workload, const Selection& selection,
                           const ArchitectureDefinition* definition, const AnalysisOptions& options,
                           std::vector<ProfileNote>* notes) {
  const Blocks blocks(options.blocks, definition);
  std::vector<Panel> panels;
  add(panels,
      top_statistics(workload, selection, {options.time_unit, options.most_rows, options.compat}));
  if (blocks.panel(1)) add(panels, system_info(workload));
  if (blocks.panel(4)) add(panels, ceilings(workload, options.compat));
  if (definition == nullptr) return panels;
  WorkloadCounters source(workload, selection.measured, definition->renamed, options.normal_unit,
                          options.compat, options.version.prints_infinite());
  const EvaluationOptions evaluation{per_what(options.normal_unit), options.compat, options.version,
                                     [&](const std::string& table, const std::string& metric) {
                                       return blocks.metric(table, metric);
                                     }};
  for (const PanelDefinition& panel : definition->panels) {
    if (blocks.panel(panel.id)) add(panels, evaluate_panel(panel, source, evaluation));
  }
  if (notes != nullptr) note_gaps(workload, source.gaps(), *notes);
  return panels;
}

std::vector<MetricLine> list_metrics(const ArchitectureDefinition& definition, bool compat) {
  std::vector<MetricLine> lines = {{0, "0", "Top Stats", ""}, {0, "1", "System Info", ""}};
  bool roofline_listed = false;
  for (const PanelDefinition& panel : definition.panels) {
    if (panel.id > 4 && !roofline_listed) {
      lines.push_back({0, "4", "Roofline", ""});
      roofline_listed = true;
    }
    lines.push_back({0, std::to_string(panel.id), panel.title, ""});
    for (const TableDefinition& table : panel.tables) {
      const std::string id = fmt::format("{}.{}", panel.id, table.id);
      lines.push_back({1, id, table.title, table.per_channel ? table.rows[0].note : ""});
      if (table.per_channel) continue;
      for (std::size_t row = 0; row < table.rows.size(); ++row)
        lines.push_back({2, fmt::format("{}.{}", id, row), metric_name(table.rows[row], compat),
                         table.rows[row].note});
    }
  }
  return lines;
}

}  // namespace heddle::profile
