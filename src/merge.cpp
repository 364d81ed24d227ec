// heddle merge: what an agent measured, with counters that were taken elsewhere.
#include <fmt/format.h>

#include "measure/judge.h"
#include "measure/results.h"
#include "pipeline.h"
#include "profile/counters/counters.h"
#include "support/text.h"

namespace heddle {
namespace {

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
  // A recording may hold other kernels; names of templates are longer than the function's.
  const std::string name = report.kernel.substr(0, report.kernel.find('<'));
  std::erase_if(launches, [&](const KernelCounters& one) {
    return one.kernel.find(name) == std::string::npos;
  });
  if (launches.empty())
    throw Error(fmt::format("nothing in it is of the kernel '{}'", name), "record that kernel")
        .in(path);
  report.candidates[static_cast<std::size_t>(*number)].counters =
      measure::median_counters(launches);
}

}  // namespace

MeasurementReport merge_bundle(const MergeRequest& request) {
  MeasurementReport report = measure::read_measurement(request.folder);
  for (const std::string& text : request.imports) import_counters(text, report);
  return report;
}

}  // namespace heddle
