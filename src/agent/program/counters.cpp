#include "counters.h"

#include <cstdlib>

#include "words.h"

namespace heddle::agent {
namespace {

constexpr int kTimes = 3;
constexpr std::size_t kMostCsv = std::size_t{16} << 20;
constexpr const char* kMetrics =
    "gpu__time_duration.sum,lts__t_sectors_lookup_hit.sum,lts__t_sectors_lookup_miss.sum,"
    "dram__bytes_read.sum,dram__bytes_write.sum";

std::string find_profiler() {
  std::vector<std::string> folders;
  if (const char* const home = std::getenv("CUDA_HOME"); home != nullptr && *home != '\0')
    folders.push_back(std::string(home) + "/bin");
  folders.emplace_back("/usr/local/cuda/bin");
  return find_program("ncu", folders);
}

std::string first_error(const std::string& said) {
  const std::size_t at = said.find("==ERROR==");
  if (at == std::string::npos) return "";
  return ": " + printable(said.substr(at, said.find('\n', at) - at), 300);
}

}  // namespace

std::vector<std::string> profiler_command(const std::vector<std::string>& functions,
                                          std::string& refused) {
  const std::string profiler = find_profiler();
  if (profiler.empty()) {
    refused = "no-profiler ncu is not in PATH, $CUDA_HOME/bin or /usr/local/cuda/bin";
    return {};
  }
  std::string names;
  for (const std::string& function : functions)
    names += (names.empty() ? "" : "|") + base_name(function);
  if (functions.size() > 1) names = "(" + names + ")";
  return {profiler,          "--csv", "--page",    "raw",    "--clock-control", "none",
          "--cache-control", "all",   "--metrics", kMetrics, "--kernel-name",   "regex:^" + names};
}

/// Lines of the table begin with a quote; what the worker says does not.
Heard CounterTable::hear(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  const bool header = line.substr(0, 4) == "\"ID\"";
  if (header || (!header_.empty() && line.substr(0, 1) == "\"")) {
    (header || line.substr(0, 2) == "\"\"" ? header_ : rows_).emplace_back(line);
  } else if (said_.size() < std::size_t{64} << 10) {
    said_ += printable(line, 500) + "\n";
  }
  return Heard::life;
}

std::string CounterTable::csv() const {
  std::string text;
  for (const auto* lines : {&header_, &rows_})
    for (const std::string& line : *lines) text += line + "\n";
  return text;
}

std::string refusal_of(const ChildEnd& end, const CounterTable& table) {
  const std::string log = table.said() + end.errors;
  if (log.find("ERR_NVGPUCTRPERM") != std::string::npos)
    return "permission this machine keeps its counters to administrators (ERR_NVGPUCTRPERM)";
  if (end.kind != EndKind::exited || end.code != 0 || table.rows().empty())
    return "failed ncu: " + end_text(end) + first_error(log);
  return "";
}

CounterResult count(const Workers& workers, const Bundle& bundle,
                    const std::vector<std::string>& candidates) {
  CounterResult result;
  if (bundle.language == Language::hip) {
    result.refused =
        "not-supported counters of AMD GPUs: record them with rocprofv3 and use heddle merge "
        "--import";
    return result;
  }
  std::vector<std::string> words = profiler_command({bundle.function}, result.refused);
  if (words.empty()) return result;
  for (int i = 0; i < kTimes; ++i)
    result.order.insert(result.order.end(), candidates.begin(), candidates.end());
  const std::vector<std::string> worker = workers.command({"profile"}, result.order);
  words.insert(words.end(), worker.begin(), worker.end());
  CounterTable table;
  ChildLimits limits;
  limits.silent_s = kProfilerPatience_s + bundle.limit_s;
  limits.output_bytes = kMostCsv;
  const ChildEnd end = run_child(
      words, limits, [&](std::string_view line) { return table.hear(line); }, [] {});
  result.log = table.said() + end.errors;
  result.refused = refusal_of(end, table);
  if (result.refused.empty()) result.csv = table.csv();
  return result;
}

}  // namespace heddle::agent
