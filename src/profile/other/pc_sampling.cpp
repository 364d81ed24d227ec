#include "profile/other/pc_sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "support/text.h"

namespace heddle::profile {
namespace {

constexpr const char* kStochastic = "pc_sampling_stochastic.csv";
constexpr const char* kHostTrap = "pc_sampling_host_trap.csv";
constexpr std::string_view kReasonPrefix = "ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_";
constexpr std::size_t kMostReasonsShown = 3;

struct SampledLine {
  std::string instruction;
  std::int64_t count = 0;
  std::int64_t issued = 0;
  std::int64_t stalled = 0;
  std::map<std::string, std::int64_t> reasons;
};

/// "/a/b/copy.hip:12" -> ".../copy.hip:12".
std::string short_line(const std::string& line) {
  return line.empty() ? "" : ".../" + line.substr(line.rfind('/') + 1);
}

std::string reasons_text(const SampledLine& line) {
  std::vector<std::pair<std::string, std::int64_t>> sorted(line.reasons.begin(),
                                                           line.reasons.end());
  std::ranges::stable_sort(sorted,
                           [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min(sorted.size(), kMostReasonsShown); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", sorted[i].first, sorted[i].second);
  return text;
}

/// Nothing for what says neither.
std::optional<bool> issued_of(std::string_view text) {
  const std::string word = lower_case(trim(text));
  if (word == "1" || word == "true") return true;
  if (word == "0" || word == "false") return false;
  return std::nullopt;
}

void add_reason(const std::string& text, SampledLine& line) {
  std::string reason = text.starts_with(kReasonPrefix) ? text.substr(kReasonPrefix.size()) : text;
  if (!reason.empty() && reason != "NONE") ++line.reasons[std::move(reason)];
}

PanelCell count_cell(std::int64_t count) {
  return PanelCell::of_whole(static_cast<double>(count));
}

}  // namespace

Panel samples_of(const CounterTable& table, const std::string& shown,
                 std::vector<ProfileNote>& notes) {
  Panel panel{kSamplesPanel, "PC Sampling", {}};
  const auto place = table.find("Instruction_Comment"), instruction = table.find("Instruction");
  if (!place || !instruction) {
    notes.push_back(
        {shown, "it has no Instruction or no Instruction_Comment: no samples are shown"});
    return panel;
  }
  const auto issued = table.find("Wave_Issued_Instruction"), reason = table.find("Stall_Reason");
  std::map<std::string, SampledLine> lines;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.damaged(row)) continue;
    SampledLine& line = lines[table.text(*place, row)];
    if (line.count++ == 0) line.instruction = table.text(*instruction, row);
    const auto did = issued ? issued_of(table.text(*issued, row)) : std::nullopt;
    if (!did) continue;
    ++(*did ? line.issued : line.stalled);
    if (!*did && reason) add_reason(table.text(*reason, row), line);
  }
  if (lines.empty()) return panel;
  std::vector<const std::pair<const std::string, SampledLine>*> sorted;
  for (const auto& line : lines) sorted.push_back(&line);
  std::ranges::stable_sort(
      sorted, [](const auto* a, const auto* b) { return a->second.count > b->second.count; });
  PanelTable samples;
  samples.id = "21.1";
  samples.title = "PC Sampling";
  samples.is_list = true;
  samples.columns = {{"", false}, {"Source_Line", false}, {"Instruction", false}, {"Count", false}};
  if (issued) {
    for (const char* title : {"Issued", "Stalled", "Stall_Reason"})
      samples.columns.push_back({title, false});
  }
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto& [name, line] = *sorted[i];
    std::vector<PanelCell> cells = {count_cell(static_cast<std::int64_t>(i)),
                                    PanelCell::of_text(short_line(name)),
                                    PanelCell::of_text(line.instruction), count_cell(line.count)};
    if (issued) {
      cells.push_back(count_cell(line.issued));
      cells.push_back(count_cell(line.stalled));
      cells.push_back(PanelCell::of_text(reasons_text(line)));
    }
    samples.rows.push_back(std::move(cells));
  }
  panel.tables.push_back(std::move(samples));
  return panel;
}

Panel read_samples(const WorkloadFolder& folder, std::vector<ProfileNote>& notes) {
  for (const char* ending : {kStochastic, kHostTrap}) {
    if (const auto name = file_ending(folder, ending))
      return samples_of(read_table(folder, *name, notes), *name, notes);
  }
  if (!folder.samples_as_json.empty())
    notes.push_back({folder.samples_as_json,
                     "samples of the program counter as JSON are not read: "
                     "there is no block 21"});
  return {kSamplesPanel, "PC Sampling", {}};
}

}  // namespace heddle::profile
