#include "counters.h"

#include <cstdlib>

#include "words.h"

namespace heddle::agent {
namespace {

constexpr int kTimes = 3;
constexpr double kPatience_s = 300;  ///< ncu says nothing while it repeats kernels
constexpr std::size_t kMostCsv = std::size_t{16} << 20;
constexpr const char* kMetrics =
    "gpu__time_duration.sum,lts__t_sectors_lookup_hit.sum,lts__t_sectors_lookup_miss.sum,"
    "lts__t_sectors.sum,lts__t_sector_hit_rate.pct,lts__t_sectors_srcunit_tex_op_read.sum,"
    "dram__bytes_read.sum,dram__bytes_write.sum";

std::string find_profiler() {
  std::vector<std::string> folders;
  if (const char* const home = std::getenv("CUDA_HOME"); home != nullptr && *home != '\0')
    folders.push_back(std::string(home) + "/bin");
  folders.emplace_back("/usr/local/cuda/bin");
  return find_program("ncu", folders);
}

/// Lines of the table begin with a quote; what the worker says does not.
class Table {
 public:
  Heard hear(std::string_view line) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const bool header = line.substr(0, 4) == "\"ID\"";
    if (header || (!csv_.empty() && line.substr(0, 1) == "\"")) {
      csv_ += std::string(line) + "\n";
      if (!header && line.substr(0, 2) != "\"\"") ++rows_;
    } else if (said_.size() < std::size_t{64} << 10) {
      said_ += printable(line, 500) + "\n";
    }
    return Heard::life;
  }

  const std::string& csv() const { return csv_; }
  const std::string& said() const { return said_; }
  bool has_rows() const { return rows_ > 0; }

 private:
  std::string csv_;
  std::string said_;
  std::size_t rows_ = 0;
};

std::string first_error(const std::string& said) {
  const std::size_t at = said.find("==ERROR==");
  if (at == std::string::npos) return "";
  return ": " + printable(said.substr(at, said.find('\n', at) - at), 300);
}

}  // namespace

CounterResult count(const Workers& workers, const Bundle& bundle,
                    const std::vector<std::string>& candidates) {
  CounterResult result;
  if (bundle.language == Language::hip) {
    result.refused =
        "not-supported counters of AMD GPUs: record them with rocprofv3 and use heddle merge "
        "--import";
    return result;
  }
  const std::string profiler = find_profiler();
  if (profiler.empty()) {
    result.refused = "no-profiler there is no ncu in PATH, $CUDA_HOME/bin and /usr/local/cuda/bin";
    return result;
  }
  for (int i = 0; i < kTimes; ++i)
    result.order.insert(result.order.end(), candidates.begin(), candidates.end());
  std::vector<std::string> words = {
      profiler,          "--csv",  "--page",          "raw",
      "--clock-control", "none",   "--cache-control", "all",
      "--metrics",       kMetrics, "--kernel-name",   "regex:^" + base_name(bundle.function)};
  const std::vector<std::string> worker = workers.command({"profile"}, result.order);
  words.insert(words.end(), worker.begin(), worker.end());
  Table table;
  ChildLimits limits;
  limits.silent_s = kPatience_s + bundle.limit_s;
  limits.output_bytes = kMostCsv;
  const ChildEnd end = run_child(
      words, limits, [&](std::string_view line) { return table.hear(line); }, [] {});
  result.log = table.said() + end.errors;
  if (result.log.find("ERR_NVGPUCTRPERM") != std::string::npos)
    result.refused =
        "permission this machine keeps its counters to administrators (ERR_NVGPUCTRPERM)";
  else if (end.kind != EndKind::exited || end.code != 0 || !table.has_rows())
    result.refused = "failed ncu: " + end_text(end) + first_error(result.log);
  if (result.refused.empty()) result.csv = table.csv();
  return result;
}

}  // namespace heddle::agent
