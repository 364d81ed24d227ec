#include "profile/analysis.h"

#include <fmt/format.h>

#include <algorithm>

#include "profile/blocks.h"
#include "profile/fixed_panels.h"
#include "profile/metric/counters.h"
#include "profile/metric/evaluate.h"
#include "profile/other/pc_sampling.h"

namespace heddle::profile {
namespace {

constexpr std::size_t kMostGaps = 3;
constexpr int kRooflinePanel = 4;
/// Where rocprofiler-compute 3.3 has tables 4.1 and 4.2.
constexpr const char* kCeilingsBelowRates = "4.3";

/// "per_wave" -> "wave".
std::string per_what(const std::string& normal_unit) {
  return normal_unit.substr(normal_unit.find('_') + 1);
}

void add(std::vector<Panel>& panels, Panel panel) {
  if (panel.tables.empty()) return;
  const auto place =
      std::ranges::find_if(panels, [&](const Panel& one) { return one.id >= panel.id; });
  if (place != panels.end() && place->id == panel.id) {
    // Ceilings stand below the rates of their panel.
    panel.tables.insert(panel.tables.end(), place->tables.begin(), place->tables.end());
    *place = std::move(panel);
    return;
  }
  panels.insert(place, std::move(panel));
}

bool has_panel(const ArchitectureDefinition* definition, int id) {
  return definition != nullptr && std::ranges::find(definition->panels, id, &PanelDefinition::id) !=
                                      definition->panels.end();
}

Panel samples(const Workload& workload, std::size_t most_rows) {
  Panel panel = workload.samples;
  for (PanelTable& table : panel.tables) cut_rows(table, most_rows);
  return panel;
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
  const bool has_rates = has_panel(definition, kRooflinePanel);
  if (blocks.panel(kRooflinePanel) && (!has_rates || blocks.metric(kCeilingsBelowRates, ""))) {
    Panel roofs = ceilings(workload, options.compat);
    for (PanelTable& table : roofs.tables) {
      if (has_rates) table.id = kCeilingsBelowRates;
    }
    add(panels, std::move(roofs));
  }
  if (blocks.panel(kSamplesPanel)) add(panels, samples(workload, options.most_rows));
  if (definition == nullptr) return panels;
  WorkloadCounters source(workload, selection.measured, definition->renamed, options.normal_unit,
                          options.compat, options.version.prints_infinite());
  const EvaluationOptions evaluation{per_what(options.normal_unit), options.compat, options.version,
                                     [&](const std::string& table, const std::string& metric) {
                                       return blocks.metric(table, metric);
                                     }};
  for (const PanelDefinition& panel : definition->panels) {
    if (blocks.all() && panel.id == kSideBySidePanel) continue;
    if (blocks.panel(panel.id)) add(panels, evaluate_panel(panel, source, evaluation));
  }
  if (notes != nullptr) note_gaps(workload, source.gaps(), *notes);
  return panels;
}

std::vector<MetricLine> list_metrics(const ArchitectureDefinition& definition, bool compat) {
  std::vector<MetricLine> lines = {{0, "0", "Top Stats", ""}, {0, "1", "System Info", ""}};
  bool roofline_listed = false;
  for (const PanelDefinition& panel : definition.panels) {
    roofline_listed = roofline_listed || panel.id == kRooflinePanel;
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
