#include "profile/other/other_recordings.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "profile/counters/counters.h"
#include "profile/counters/ncu_text.h"
#include "profile/other/ncu_recording.h"
#include "profile/other/summed_times.h"
#include "profile/workload/gunzip.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

namespace fs = std::filesystem;

Workload of_ncu(const std::string& path, std::string_view text) {
  Workload workload;
  workload.counters_file = fs::path(path).filename().string();
  NcuRecording recording = read_ncu_recording(text, workload.counters_file, workload.notes);
  workload.counters = std::move(recording.table);
  workload.system = std::move(recording.system);
  workload.unreadable = std::move(recording.unreadable);
  workload.dispatches = read_dispatches(workload.counters, workload.counters_file, workload.notes);
  const auto time = workload.counters.find("gpu__time_duration.sum");
  for (Dispatch& dispatch : workload.dispatches) {
    if (time) dispatch.duration_ns = workload.counters.number(*time, dispatch.row);
  }
  const auto untimed = std::ranges::count_if(workload.dispatches,
                                             [](const Dispatch& one) { return !one.duration_ns; });
  if (time && untimed > 0)
    workload.notes.push_back(
        {workload.counters_file, fmt::format("{} of {} launches have no time that can be read",
                                             untimed, workload.dispatches.size())});
  if (!time)
    workload.notes.push_back(
        {workload.counters_file,
         fmt::format("gpu__time_duration.sum {}: no times are known",
                     workload.unreadable.contains("gpu__time_duration.sum") ? "cannot be read"
                                                                            : "is missing")});
  return workload;
}

Workload of_times(const std::string& path, SummedTimes times) {
  Workload workload;
  workload.counters_file = fs::path(path).filename().string();
  workload.system = std::move(times.system);
  workload.times_only = true;
  ColumnStore store;
  const std::size_t kernel = store.add_words("Kernel_Name");
  bool several = false;
  for (const SummedTime& one : times.kernels) {
    several = several || one.count > 1;
    for (std::int64_t i = 0; i < one.count; ++i) {
      Dispatch dispatch;
      dispatch.row = static_cast<std::uint32_t>(workload.dispatches.size());
      dispatch.id = static_cast<std::int64_t>(dispatch.row);
      dispatch.kernel = one.kernel;
      dispatch.gpu = one.gpu;
      dispatch.duration_ns = one.total_ns / static_cast<double>(one.count);
      store.add_word(kernel, one.kernel);
      workload.dispatches.push_back(std::move(dispatch));
    }
  }
  store.finish();
  workload.counters = CounterTable(std::move(store), workload.dispatches.size());
  workload.notes.push_back(
      {workload.counters_file, several ? "it has only kernels and the sums of their times: each "
                                         "launch gets the mean time, and no counters"
                                       : "it tells kernels and their times; no counter is known"});
  return workload;
}

/// The first lines, to tell what a file is.
bool is_of_workload_folders(const std::string& text) {
  std::vector<ProfileNote> unheard;
  const CounterTable header(text.substr(0, text.find('\n')), "header", unheard);
  return header.has("Dispatch_ID") || header.has("Dispatch_Id") || header.has("Counter_Name") ||
         header.has("KernelName") || (header.has("Kernel_Name") && header.has("Start_Timestamp"));
}

std::string unpacked_text(const std::string& path) {
  std::string text = read_text(path, kTableBytes);
  if (!is_gzip(text)) return text;
  Unpacked unpacked = gunzip(text, kTableBytes);
  if (!unpacked.damage.empty()) throw Error(unpacked.damage, "pack it again").in(path);
  return std::move(unpacked.text);
}

std::optional<Workload> read_file(const std::string& path) {
  if (path.ends_with(".ncu-rep")) return of_ncu(path, import_ncu_report(path));
  std::string text = unpacked_text(path);
  if (looks_like_ncu(text)) return of_ncu(path, text);
  if (looks_like_proton(text)) return of_times(path, parse_proton(text));
  if (is_of_workload_folders(text)) return std::nullopt;
  std::vector<ProfileNote> unheard;
  if (text.find("TotalDurationNs") < 1000) {
    const CounterTable table(std::move(text), path, unheard);
    if (is_kernel_stats(table)) return of_times(path, read_kernel_stats(table));
  }
  throw Error(
      "this is not a recording that heddle knows",
      "name a workload folder, a rocpd database (.db), counter_collection.csv, "
      "kernel_trace.csv or kernel_stats.csv of rocprofv3, the output of ncu --csv, a report "
      "of ncu (.ncu-rep), or a .hatchet file of Proton",
      ExitCode::missing);
}

}  // namespace

std::optional<Workload> read_other_recording(const std::string& path) {
  std::error_code error;
  if (path.ends_with(".db") || !fs::is_regular_file(path, error)) return std::nullopt;
  try {
    std::optional<Workload> workload = read_file(path);
    if (!workload) return std::nullopt;
    workload->path = path;
    workload->arch = recorded_arch(workload->system);
    return workload;
  } catch (const Error& failure) {
    throw failure.in(path);
  }
}

}  // namespace heddle::profile
