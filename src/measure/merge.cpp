#include "measure/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "agent/program/bundle.h"
#include "measure/judge.h"
#include "measure/results.h"
#include "profile/counters/counters.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::measure {
namespace {

/// "scale" of "void ns::scale<float, 4>(float*, int)".
std::string name_of(const std::string& kernel) {
  std::string name = kernel.substr(0, std::min(kernel.find('('), kernel.find('<')));
  const std::size_t blank = name.rfind(' ');
  if (blank != std::string::npos) name = name.substr(blank + 1);
  // What compilers and profilers put behind a name.
  if (name.ends_with(".kd")) name.resize(name.size() - 3);
  return agent::base_name(name);
}

void import_counters(const std::string& text, MeasurementReport& report) {
  const std::size_t equals = text.find('=');
  const auto number = parse_integer(std::string_view(text).substr(0, equals));
  if (equals == std::string::npos || !number)
    throw Error(fmt::format("--import '{}' names no candidate", text),
                "write --import 1=counters.csv; 0 is the original");
  if (*number < 0 || *number >= static_cast<std::int64_t>(report.candidates.size()))
    throw Error(fmt::format("--import: there is no candidate {}", *number),
                fmt::format("the bundle has 0 to {}", report.candidates.size() - 1));
  const std::string path = text.substr(equals + 1);
  std::vector<KernelCounters> launches = profile::read_counters(path);
  const std::string name = agent::base_name(report.kernel);
  const std::size_t all = launches.size();
  std::erase_if(launches, [&](const KernelCounters& one) { return name_of(one.kernel) != name; });
  if (launches.empty())
    throw Error(fmt::format("nothing in it is of the kernel '{}'", name), "record that kernel")
        .in(path);
  if (launches.size() < all)
    report.notes.push_back(fmt::format("{}: {} of {} launches are of other kernels", path,
                                       all - launches.size(), all));
  report.candidates[static_cast<std::size_t>(*number)].counters = median_counters(launches);
}

}  // namespace

std::vector<std::string> find_bundles(const std::vector<std::string>& folders) {
  namespace fs = std::filesystem;
  std::vector<std::string> bundles;
  for (const std::string& folder : folders) {
    std::vector<std::string> inside;
    std::error_code error;
    if (!fs::exists(fs::path(folder) / "bundle.txt", error))
      for (const auto& entry : fs::directory_iterator(folder, error))
        if (fs::exists(entry.path() / "bundle.txt", error)) inside.push_back(entry.path().string());
    std::ranges::sort(inside);
    if (inside.empty()) inside.push_back(folder);
    append(bundles, inside);
  }
  return bundles;
}

MeasurementReport merge_bundle(const MergeRequest& request) {
  MeasurementReport report = read_measurement(request.folder);
  for (const std::string& text : request.imports) import_counters(text, report);
  const bool has_all = std::ranges::all_of(
      report.candidates, [](const MeasuredCandidate& one) { return one.rejected || one.counters; });
  if (has_all) report.counters_reason.clear();
  return report;
}

}  // namespace heddle::measure
