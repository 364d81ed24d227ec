#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "profile/counters/amd_counters.h"
#include "profile/counters/counters.h"
#include "profile/plausibility/checks.h"
#include "profile/workload/workload.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFolderEntries = 4096;
constexpr std::string_view kCollection = "counter_collection.csv";

/// A folder of rocprofv3 has one such file; empty if this is a folder of something else.
std::string rocprofv3_file(const std::string& path) {
  std::vector<std::string> files;
  std::error_code error;
  std::size_t seen = 0;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (++seen > kMostFolderEntries || name.starts_with("pmc_perf") || name == "sysinfo.csv")
      return {};
    if (name.ends_with(kCollection)) files.push_back(entry->path().string());
  }
  if (files.size() > 1)
    throw Error(fmt::format("it has {} files of rocprofv3", files.size()),
                fmt::format("name one of them, such as {}", *std::ranges::min_element(files)))
        .in(path);
  return files.empty() ? std::string() : files.front();
}

/// The kernel trace beside "12_counter_collection.csv"; empty if there is none.
std::string trace_beside(const std::string& path) {
  if (!path.ends_with(kCollection)) return {};
  const std::string trace = path.substr(0, path.size() - kCollection.size()) + "kernel_trace.csv";
  std::error_code error;
  if (!std::filesystem::is_regular_file(trace, error)) return {};
  return read_text(trace, kCountersBytes);
}

template <class Parse>
std::vector<KernelCounters> in_file(const std::string& path, const Parse& parse) {
  try {
    return parse();
  } catch (const Error& error) {
    throw error.in(display_name(path));
  }
}

std::vector<KernelCounters> rocprofv3_of(std::string text, const std::string& path) {
  return in_file(path, [&] { return parse_rocprofv3_csv(std::move(text), trace_beside(path)); });
}

KernelCounters counters_of(const Recording& recording, const Dispatch& dispatch) {
  KernelCounters counters;
  counters.kernel = dispatch.kernel;
  counters.source = "rocprofiler-compute";
  if (dispatch.duration_ns && *dispatch.duration_ns > 0)
    counters.time_us = *dispatch.duration_ns / 1000;
  else
    counters.reasons.push_back("no time: the dispatch has no timestamps, or not forward");
  fill_amd_counters(counters,
                    [&](std::string_view name) { return recording.counter(name, dispatch); });
  return counters;
}

}  // namespace

std::vector<KernelCounters> read_rocprofiler_compute(const std::string& path) {
  const Workload workload = read_workload(path);
  if (workload.dispatches.size() > kMostLaunches)
    throw Error(fmt::format("there are more than {} dispatches", with_separators(kMostLaunches)),
                "profile fewer")
        .in(path);
  Selection selection;
  for (std::size_t place = 0; place < workload.dispatches.size(); ++place)
    selection.measured.push_back(place);
  const Recording recording(workload, selection);
  std::vector<KernelCounters> all;
  for (const Dispatch* dispatch : recording.dispatches())
    all.push_back(counters_of(recording, *dispatch));
  return all;
}

std::vector<KernelCounters> read_rocprofv3_csv(const std::string& path) {
  return rocprofv3_of(read_text(path, kCountersBytes), path);
}

std::vector<KernelCounters> read_counters(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    const std::string file = rocprofv3_file(path);
    return file.empty() ? read_rocprofiler_compute(path) : read_rocprofv3_csv(file);
  }
  if (path.ends_with(".db")) return read_rocprofiler_compute(path);
  std::string text = read_text(path, kCountersBytes);
  if (looks_like_ncu(text)) return in_file(path, [&] { return parse_ncu_csv(text); });
  if (looks_like_rocprofv3(text)) return rocprofv3_of(std::move(text), path);
  throw Error("these are not counters that can be read",
              "name the output of 'ncu --csv', a counter_collection.csv or kernel_trace.csv of"
              " rocprofv3, its database (.db), or a workload folder of rocprofiler-compute")
      .in(display_name(path));
}

}  // namespace heddle::profile
