#include "profile/workload/workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "profile/other/other_recordings.h"
#include "profile/other/pc_sampling.h"
#include "profile/workload/folder.h"
#include "profile/workload/joining.h"
#include "profile/workload/recorded_names.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

/// The newest that is known; sysinfo.csv has the first number of the version.
constexpr double kNewestProfiler = 3;

/// Notes rows that are about another kernel than the row of `counters` in their place.
void note_others(const CounterTable& table, const CounterTable& counters,
                 const std::vector<std::string>& kernels, const std::string& name,
                 std::vector<ProfileNote>& notes) {
  if (!table.has("Kernel_Name") || !counters.has("Kernel_Name")) return;
  const std::vector<std::string> own = kernel_names(table);
  std::int64_t others = 0;
  for (std::size_t row = 0; row < std::min(own.size(), kernels.size()); ++row) {
    if (!table.damaged(row) && !counters.damaged(row) && own[row] != kernels[row]) ++others;
  }
  if (others > 0)
    notes.push_back({name, fmt::format("{} of another kernel than there are in the same places of "
                                       "the counters",
                                       count_of(others, "row"))});
}

void read_levels(const WorkloadFolder& folder, Workload& workload) {
  std::vector<std::string> kernels;
  for (const auto& [name, file] : folder.files) {
    // rocprof's messages lie beside the tables.
    if (!name.starts_with("SQ") || name.ends_with("_error_log.csv")) continue;
    if (kernels.empty()) kernels = kernel_names(workload.counters);
    CounterTable table =
        turned(read_table(folder, name, workload.notes), name, folder.multiplexing, workload.notes);
    if (table.rows() != 0 && table.rows() != kernels.size())
      workload.notes.push_back(
          {name, fmt::format("it has {}, {} {}; rows are paired by place",
                             count_of(static_cast<std::int64_t>(table.rows()), "row"),
                             workload.counters_file, kernels.size())});
    note_others(table, workload.counters, kernels, name, workload.notes);
    workload.levels.emplace(name.substr(0, name.size() - 4), std::move(table));
  }
}

/// The first column in which a row behind `first` has another text.
std::optional<std::size_t> differing_column(const CounterTable& table, std::size_t first) {
  for (std::size_t row = first + 1; row < table.rows(); ++row)
    for (std::size_t column = 0; column < table.columns().size() && !table.damaged(row); ++column)
      if (table.text(column, row) != table.text(column, first)) return column;
  return std::nullopt;
}

/// `otherwise` stands for a sysinfo.csv that is missing.
void read_system(const WorkloadFolder& folder, SystemFields otherwise, Workload& workload) {
  if (!folder.files.contains("sysinfo.csv")) {
    workload.system = std::move(otherwise);
    if (!workload.system.empty()) return;
    workload.notes.push_back(
        {"sysinfo.csv", absence(folder, "sysinfo.csv") + ": peaks are not known"});
    return;
  }
  const CounterTable table = read_table(folder, "sysinfo.csv", workload.notes);
  std::size_t row = 0;
  while (row < table.rows() && table.damaged(row)) ++row;
  if (row == table.rows()) return;
  for (std::size_t column = 0; column < table.columns().size(); ++column)
    workload.system.emplace_back(table.columns()[column], table.text(column, row));
  if (const auto column = differing_column(table, row))
    workload.notes.push_back(
        {"sysinfo.csv",
         fmt::format("its rows differ in {}; the first one counts", table.columns()[*column])});
  rename_fields(workload.system);
}

void check_version(const Workload& workload) {
  const auto version = workload.system_number("version");
  if (!version || *version < kNewestProfiler + 1) return;
  throw Error(fmt::format("'{}' was recorded by rocprofiler-compute {}, and heddle knows versions "
                          "up to 3",
                          workload.path, *workload.system_text("version")),
              "use a newer heddle, or profile again with rocprofiler-compute 3", ExitCode::missing);
}

/// A locale is that of the whole file, so the first rows are enough.
void check_locale(const Workload& workload) {
  constexpr std::size_t kMostRowsLookedAt = 64;
  const CounterTable& table = workload.counters;
  for (std::size_t column = 0; column < table.columns().size(); ++column) {
    if (table.columns()[column] == "Kernel_Name") continue;
    for (std::size_t row = 0; row < std::min(table.rows(), kMostRowsLookedAt); ++row) {
      if (table.damaged(row) || table.number(column, row)) continue;
      const std::string text = table.text(column, row);
      if (is_number_of_a_locale(text)) refuse_locale(workload.path, text, table.columns()[column]);
    }
  }
}

/// What sysinfo.csv says of another chip.
void check_arch(Workload& workload) {
  const std::string guess = guessed_arch(workload.counters);
  if (guess.empty() || guess == workload.arch || guess == "gfx115x" ||
      workload.system_text("simulated_by") != nullptr ||
      (guess == "gfx942" && workload.arch.starts_with("gfx94")))
    return;
  workload.notes.push_back(
      {"sysinfo.csv", fmt::format("it says {}, and the names of counters say {}: is it of another "
                                  "recording? (--specs-correction gpu_arch:{})",
                                  workload.arch, guess, guess)});
}

void find_arch(Workload& workload) {
  workload.arch = recorded_arch(workload.system);
  if (!workload.arch.empty()) return check_arch(workload);
  workload.arch = guessed_arch(workload.counters);
  workload.arch_guessed = !workload.arch.empty();
  if (workload.arch_guessed)
    workload.notes.push_back(
        {"sysinfo.csv", fmt::format("no gpu_arch; the names of counters say {}", workload.arch)});
}

/// Omniperf 1.x recorded the times in a run of their own.
void find_times(const WorkloadFolder& folder, Workload& workload) {
  const CounterTable& counters = workload.counters;
  if (counters.has("Start_Timestamp") && counters.has("End_Timestamp")) {
    const auto timed = [](const Dispatch& one) { return one.duration_ns.has_value(); };
    if (!file_ending(folder, kTraceFile) || std::ranges::any_of(workload.dispatches, timed)) return;
  }
  if (const auto trace = file_ending(folder, kTraceFile)) {
    take_trace_times(read_table(folder, *trace, workload.notes), workload.dispatches);
    return;
  }
  if (folder.files.contains("timestamps.csv")) {
    const CounterTable times = read_table(folder, "timestamps.csv", workload.notes);
    if (times.has("Start_Timestamp") && times.has("End_Timestamp")) {
      if (kernel_names(times) == kernel_names(counters))
        take_times(times, workload.dispatches);
      else
        workload.notes.push_back(
            {"timestamps.csv", fmt::format("its kernels are not those of {}: no times are known",
                                           workload.counters_file)});
      return;
    }
  }
  workload.notes.push_back(
      {workload.counters_file, "Start_Timestamp or End_Timestamp is missing: no times are known"});
}

/// What several replays tell of the time is more than what the first does.
void take_medians(const std::vector<std::optional<double>>& durations,
                  std::vector<Dispatch>& dispatches) {
  for (Dispatch& dispatch : dispatches) {
    if (dispatch.row < durations.size() && durations[dispatch.row])
      dispatch.duration_ns = durations[dispatch.row];
  }
}

/// Notes that say the same of several files, once.
void merge_notes(std::vector<ProfileNote>& notes) {
  constexpr std::size_t kMostPlaces = 3;
  std::vector<ProfileNote> merged;
  std::vector<std::size_t> places;
  for (ProfileNote& note : notes) {
    const auto same = std::ranges::find(merged, note.what, &ProfileNote::what);
    if (same == merged.end()) {
      merged.push_back(std::move(note));
      places.push_back(1);
      continue;
    }
    std::size_t& count = places[static_cast<std::size_t>(same - merged.begin())];
    if (same->where != note.where && ++count <= kMostPlaces) same->where += ", " + note.where;
  }
  for (std::size_t i = 0; i < merged.size(); ++i) {
    if (places[i] > kMostPlaces)
      merged[i].where += fmt::format(" and {} more", places[i] - kMostPlaces);
  }
  notes = std::move(merged);
}

[[noreturn]] void refuse_empty(Workload& workload) {
  merge_notes(workload.notes);
  std::string reasons;
  for (const ProfileNote& note : workload.notes)
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", note.where, note.what);
  throw Error(fmt::format("'{}' holds no counters that can be read ({})", workload.path, reasons),
              "profile again, or name another folder", ExitCode::missing);
}

}  // namespace

const std::string* Workload::system_text(const std::string& name) const {
  for (const auto& [key, value] : system) {
    if (key == name) return value.empty() ? nullptr : &value;
  }
  return nullptr;
}

std::optional<double> Workload::system_number(const std::string& name) const {
  const std::string* text = system_text(name);
  if (text == nullptr && name == "hbm_bw") return derived_bandwidth(system);
  return text == nullptr ? std::nullopt : parse_number(*text);
}

Workload read_workload(const std::string& path) {
  if (std::optional<Workload> other = read_other_recording(path)) return std::move(*other);
  Workload workload;
  workload.path = path;
  const WorkloadFolder folder = find_folder(path, workload.notes);
  if (folder.truncated)
    workload.notes.push_back({path, "the folder has very many entries; not all were looked at"});
  JoinedCounters joined = read_counters(folder, workload.notes);
  workload.counters = std::move(joined.table);
  workload.counters_file = joined.file;
  if (!is_readable(workload.counters)) refuse_empty(workload);
  workload.times_only = joined.times_only;
  read_system(folder, std::move(joined.system), workload);
  check_version(workload);
  check_locale(workload);
  read_levels(folder, workload);
  if (folder.files.contains("roofline.csv"))
    workload.roofline = read_table(folder, "roofline.csv", workload.notes);
  workload.samples = read_samples(folder, workload.notes);
  find_arch(workload);
  workload.dispatches = read_dispatches(workload.counters, workload.counters_file, workload.notes);
  find_times(folder, workload);
  take_medians(joined.durations, workload.dispatches);
  if (joined.is_long) number_dispatches(workload.dispatches);
  merge_notes(workload.notes);
  return workload;
}

}  // namespace heddle::profile
