// What no check could look at, and why.
#include <fmt/format.h>

#include <algorithm>

#include "profile/plausibility/checks.h"

namespace heddle::profile {
namespace {

/// What a check needs.
struct Needs {
  std::vector<std::string> counters;
  std::vector<std::string> fields;  ///< of sysinfo.csv
  bool duration = false;
};

bool has_duration(const Recording& recording) {
  const auto& all = recording.dispatches();
  return std::ranges::any_of(all, [](const auto* one) { return one->duration_ns.has_value(); });
}

bool has_counters(const Recording& recording) {
  const auto& columns = recording.workload().counters.columns();
  return std::ranges::any_of(columns, [&](const std::string& name) {
    const bool is_metric = name.find("__") != std::string::npos;  // of ncu
    return (is_counter(name) || is_metric) && recording.recorded(name);
  });
}

bool has_metrics(const std::vector<Panel>& panels) {
  for (const Panel& panel : panels) {
    for (const PanelTable& table : panel.tables) {
      const bool has_ids = !table.columns.empty() && table.columns[0].title == "Metric_ID";
      if (has_ids && !table.is_list && !table.rows.empty()) return true;
    }
  }
  return false;
}

/// Empty if there is all of it.
std::string what_lacks(const Recording& recording, const Needs& needs) {
  if (!needs.fields.empty() && recording.workload().system.empty())
    return "there is no sysinfo.csv";
  for (const std::string& field : needs.fields) {
    if (!recording.system(field))
      return fmt::format("sysinfo.csv has no {}{}",
                         recording.workload().system_text(field) == nullptr ? "" : "usable ",
                         field);
  }
  if (needs.duration && !has_duration(recording)) return "no dispatch has a duration";
  for (const std::string& counter : needs.counters) {
    if (!recording.recorded(counter)) return fmt::format("{} was not recorded", counter);
  }
  return {};
}

/// Subjects that share a reason are told together.
class Gaps {
 public:
  void add(const std::string& subject, const std::string& reason) {
    if (reason.empty()) return;
    for (auto& [known, subjects] : gaps_) {
      if (known != reason) continue;
      subjects.push_back(subject);
      return;
    }
    gaps_.push_back({reason, {subject}});
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    for (const auto& [reason, subjects] : gaps_)
      texts.push_back(fmt::format("{} ({})", fmt::join(subjects, ", "), reason));
    return texts;
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> gaps_;
};

Needs memory_needs(const Recording& recording) {
  Needs needs{{}, {"hbm_bw"}, true};
  for (const char* name : {"RDREQ_sum", "RDREQ_32B_sum", "WRREQ_sum", "WRREQ_64B_sum"})
    needs.counters.push_back(recording.fabric(name));
  if (recording.is_mi300()) needs.counters.emplace_back("TCC_BUBBLE_sum");
  return needs;
}

Needs arithmetic_needs(const std::vector<std::string>& kinds,
                       const std::vector<std::string>& types) {
  Needs needs{{}, {"max_sclk", "cu_per_gpu"}, true};
  for (const std::string& kind : kinds) {
    for (const std::string& type : types)
      needs.counters.push_back(fmt::format("SQ_INSTS_VALU_{}_{}", kind, type));
  }
  return needs;
}

void add_counter_gaps(const Recording& recording, Gaps& gaps) {
  const auto add = [&](const char* subject, const Needs& needs) {
    gaps.add(subject, what_lacks(recording, needs));
  };
  Needs cycles{{"GRBM_GUI_ACTIVE"}, {"max_sclk"}, true};
  if (recording.is_mi300()) cycles.fields.emplace_back("num_xcd");
  add("cycles against durations", cycles);
  gaps.add("cycles against durations", untold_cycles(recording));
  const bool knows_lanes = recording.recorded("wave_size") || recording.recorded("Wave_Size");
  Needs waves{{"SQ_WAVES", "Grid_Size"}, {}, false};
  if (!knows_lanes) waves.fields.emplace_back("wave_size");
  add("waves against the grid", waves);
  add("bandwidth of the vL1D",
      {{"TCP_TOTAL_CACHE_ACCESSES_sum"}, {"max_sclk", "cu_per_gpu"}, true});
  add("bandwidth of the L2", {{"TCC_REQ_sum"}, {"max_sclk", "total_l2_chan"}, true});
  add("bandwidth of the memory", memory_needs(recording));
  add("vector arithmetic", arithmetic_needs({"ADD", "MUL", "TRANS", "FMA"}, {"F16", "F32", "F64"}));
  add("matrix arithmetic", arithmetic_needs({"MFMA_MOPS"}, {"F16", "BF16", "F32", "F64"}));
  if (!has_parts(recording))
    gaps.add("counters against one another", "none that belong together were recorded");
}

}  // namespace

std::vector<std::string> find_unchecked(const Recording& recording,
                                        const std::vector<Panel>& panels) {
  Gaps gaps;
  if (!has_duration(recording)) gaps.add("durations", "no dispatch has a duration");
  const bool counted = has_counters(recording);
  if (!counted) gaps.add("counters and metrics", "no counter was recorded as a number");
  if (is_of_nvidia(recording.workload())) return gaps.texts();
  if (counted && !has_metrics(panels))
    gaps.add("metrics", recording.workload().arch.empty()
                            ? "the architecture is not known"
                            : fmt::format("no panels are known for {}", recording.workload().arch));
  if (counted) add_counter_gaps(recording, gaps);
  if (counted && has_metrics(panels))
    gaps.add(
        "peaks of metrics",
        what_lacks(recording, {{}, {"max_sclk", "cu_per_gpu", "total_l2_chan", "hbm_bw"}, false}));
  const Workload& workload = recording.workload();
  // Later profilers record levels with the other counters.
  const bool has_levels = std::ranges::any_of(workload.counters.columns(), [](const auto& name) {
    return name.starts_with("SQ") && name.ends_with("_ACCUM");
  });
  if (workload.levels.empty() && !has_levels) gaps.add("level files", "there is none");
  return gaps.texts();
}

}  // namespace heddle::profile
