#include "profile/metric/counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace heddle::profile {
namespace {

constexpr double kUnknownValue = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kEmpirical = "empirical_";
/// Of millions of dispatches, as many as a few columns have.
constexpr std::size_t kMostCopied = std::size_t{4} << 20;
/// No GPU has more; a folder that says so is not believed.
constexpr int kMostChannels = 1024;

struct SystemName {
  const char* name;
  const char* field;
};
constexpr std::array<SystemName, 11> kSystemNames = {{
    {"max_sclk", "max_sclk"},
    {"cus", "cu_per_gpu"},
    {"shader_engines", "se_per_gpu"},
    {"sqcs", "sqc_per_gpu"},
    {"pipes", "pipes_per_gpu"},
    {"lds_banks", "lds_banks_per_cu"},
    {"max_waves", "max_waves_per_cu"},
    {"wave_size", "wave_size"},
    {"hbm_bw", "hbm_bw"},
    {"l2_channels", "total_l2_chan"},
    {"xcds", "num_xcd"},
}};

int channel_count(const Workload& workload) {
  if (const auto said = workload.system_number("total_l2_chan"))
    return static_cast<int>(std::clamp(*said, 0.0, static_cast<double>(kMostChannels)));
  int count = 0;
  while (count < kMostChannels && workload.counters.has(fmt::format("TCC_HIT[{}]", count))) ++count;
  return count;
}

/// In NPS4 mode sysinfo.csv has the bandwidth of a quarter of the memory. A device that is the
/// whole chip (SPX) reads from all of it: ROCm/rocprofiler-compute issue 712.
double memory_parts(const Workload& workload) {
  const std::string* compute = workload.system_text("compute_partition");
  const std::string* memory = workload.system_text("memory_partition");
  if (compute == nullptr || memory == nullptr || *compute != "SPX" || !memory->starts_with("NPS"))
    return 1;
  const auto parts = parse_number(std::string_view(*memory).substr(3));
  return parts && *parts >= 1 && *parts <= 8 ? *parts : 1;
}

}  // namespace

WorkloadCounters::WorkloadCounters(const Workload& workload, std::vector<std::size_t> places,
                                   std::vector<std::pair<std::string, std::string>> renamed,
                                   std::string normal_unit, bool compat, bool infinite)
    : workload_(workload),
      places_(std::move(places)),
      renamed_(std::move(renamed)),
      normal_unit_(std::move(normal_unit)),
      compat_(compat),
      infinite_(infinite),
      channels_(channel_count(workload)),
      all_rows_(places_.size() == workload.counters.rows()) {
  for (std::size_t i = 0; i < places_.size() && all_rows_; ++i)
    all_rows_ = workload.dispatches[places_[i]].row == i;
}

const std::vector<double>* WorkloadCounters::find(const std::string& file, const std::string& name,
                                                  std::string& why) {
  const std::pair<std::string, std::string> key(file, name);
  auto place = known_.find(key);
  if (place == known_.end()) {
    place = known_.emplace(key, compute(file, name)).first;
    copied_ += place->second.values.size();
  }
  const Known& known = place->second;
  if (known.why.empty()) return known.lent != nullptr ? known.lent : &known.values;
  why = place->second.why;
  return nullptr;
}

void WorkloadCounters::trim() {
  if (copied_ < kMostCopied) return;
  std::erase_if(known_, [](const auto& one) { return one.second.values.size() > 1; });
  copied_ = 0;
}

WorkloadCounters::Known WorkloadCounters::compute(const std::string& file,
                                                  const std::string& name) {
  if (!file.empty()) return level(file, name);
  Known known;
  if (built_in(name, known)) return known;
  return counter(workload_.counters, workload_.counters_file, name);
}

WorkloadCounters::Known WorkloadCounters::counter(const CounterTable& table,
                                                  const std::string& file,
                                                  const std::string& name) {
  Known known;
  std::string its_name = name;
  auto column = table.find(name);
  for (const auto& [prefix, other] : renamed_) {
    if (!name.starts_with(prefix)) continue;
    its_name = other + name.substr(prefix.size());
    if (const auto renamed = table.find(its_name)) column = renamed;
  }
  if (!column) {
    const auto unreadable = workload_.unreadable.find(its_name);
    known.why = unreadable != workload_.unreadable.end() ? its_name + ": " + unreadable->second
                : workload_.system_text("simulated_by") != nullptr
                    ? fmt::format("the model does not count {}", its_name)
                    : fmt::format("{} has no {}", file, its_name);
    return known;
  }
  if (all_rows_ && &table == &workload_.counters) known.lent = table.all_numbers(*column);
  if (known.lent != nullptr) return known;
  std::size_t without = 0;
  std::string example;
  known.values.reserve(places_.size());
  for (const std::size_t place : places_) {
    const std::size_t row = workload_.dispatches[place].row;
    const auto number = row < table.rows() ? table.number(*column, row) : std::nullopt;
    known.values.push_back(number.value_or(kUnknownValue));
    if (number) continue;
    ++without;
    if (example.empty() && row < table.rows()) example = table.text(*column, row);
  }
  if (without == 0) return known;
  if (without == places_.size()) {
    known.why = fmt::format("{} has no number in {}", file, its_name);
    if (!example.empty()) known.why += fmt::format(", but '{}'", example.substr(0, 40));
  } else {
    std::string gap =
        fmt::format("{}: {} of {} dispatches {} no number{}", its_name, without, places_.size(),
                    without == 1 ? "has" : "have",
                    example.empty() ? "" : fmt::format(" ('{}')", example.substr(0, 40)));
    if (std::ranges::find(gaps_, gap) == gaps_.end()) gaps_.push_back(std::move(gap));
  }
  return known;
}

WorkloadCounters::Known WorkloadCounters::level(const std::string& file, const std::string& name) {
  // Metrics of ncu have points in their names.
  if (is_of_nvidia(workload_) || workload_.counters.has(file + "." + name))
    return counter(workload_.counters, workload_.counters_file, file + "." + name);
  const auto found = workload_.levels.find(file);
  const bool is_there = found != workload_.levels.end() && found->second.rows() > 0;
  // Later profilers record levels in the same runs as the rest, each under a name of its own.
  const std::string own = name == "SQ_ACCUM_PREV_HIRES" ? file + "_ACCUM" : name;
  if ((!is_there || !found->second.has(name)) && workload_.counters.has(file + "_ACCUM"))
    return counter(workload_.counters, workload_.counters_file, own);
  if (!is_there) {
    return {{},
            workload_.system_text("simulated_by") != nullptr
                ? fmt::format("the model does not count {}", name)
                : fmt::format("there is no {}.csv", file)};
  }
  const CounterTable& table = found->second;
  Known known = counter(table, file + ".csv", name);
  const auto kernel = table.find("Kernel_Name");
  if (compat_ || !known.why.empty() || !kernel) return known;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Dispatch& dispatch = workload_.dispatches[places_[i]];
    if (dispatch.row < table.rows() && table.text(*kernel, dispatch.row) != dispatch.kernel)
      known.values[i] = kUnknownValue;
  }
  return known;
}

bool WorkloadCounters::built_in(const std::string& name, Known& known) {
  for (const SystemName& system : kSystemNames) {
    if (name != system.name) continue;
    known = system_value(system.field);
    return true;
  }
  if (name == "duration")
    known = durations();
  else if (name == "gui_active")
    known = per_xcd("GRBM_GUI_ACTIVE");
  else if (name == "grbm_count")
    known = per_xcd("GRBM_COUNT");
  else if (name == "spi_busy")
    known = per_xcd("GRBM_SPI_BUSY");
  else if (name == "denom")
    known = denom();
  else if (name == "active_cus")
    known = active_cus();
  else if (name.starts_with(kEmpirical))
    known = empirical(name.substr(kEmpirical.size()));
  else
    return false;
  return true;
}

WorkloadCounters::Known WorkloadCounters::same_for_all(double value) {
  return {{value}, {}};
}

WorkloadCounters::Known WorkloadCounters::system_value(const std::string& field) const {
  auto value = workload_.system_number(field);
  if (!value && !compat_ && field == "num_xcd" && workload_.arch.starts_with("gfx90")) value = 1;
  if (!value && field == "hbm_bw" && workload_.system_text("num_hbm_channels") != nullptr)
    return {{}, "sysinfo.csv has no max_mclk to make hbm_bw of"};
  if (!value) return {{}, fmt::format("sysinfo.csv has no {}", field)};
  if (*value == 0 && !compat_) return {{}, fmt::format("sysinfo.csv says 0 for {}", field)};
  if (field == "hbm_bw" && !compat_) *value *= memory_parts(workload_);
  return same_for_all(*value);
}

WorkloadCounters::Known WorkloadCounters::empirical(const std::string& column) const {
  const CounterTable& table = workload_.roofline;
  if (table.rows() == 0) return {{}, "there is no roofline.csv"};
  const auto place = table.find(column);
  for (std::size_t row = 0; place && row < table.rows(); ++row) {
    if (const auto value = table.number(*place, row); value && *value > 0)
      return same_for_all(*value);
  }
  return {{}, fmt::format("roofline.csv has no {}", column)};
}

WorkloadCounters::Known WorkloadCounters::durations() const {
  Known known;
  bool any = false;
  known.values.reserve(places_.size());
  for (const std::size_t place : places_) {
    const auto& duration = workload_.dispatches[place].duration_ns;
    any = any || duration.has_value();
    known.values.push_back(duration.value_or(kUnknownValue));
  }
  if (!any && !places_.empty()) known.why = "there are no timestamps";
  return known;
}

WorkloadCounters::Known WorkloadCounters::per_xcd(const std::string& counter_name) {
  Known known = counter(workload_.counters, workload_.counters_file, counter_name);
  const Known xcds = system_value("num_xcd");
  if (known.why.empty()) known.why = xcds.why;
  if (!known.why.empty()) return known;
  if (known.lent != nullptr) known.values = *std::exchange(known.lent, nullptr);
  for (double& value : known.values) value /= xcds.values[0];
  return known;
}

WorkloadCounters::Known WorkloadCounters::denom() {
  const bool of_nvidia = is_of_nvidia(workload_);
  if (normal_unit_ == "per_wave")
    return counter(workload_.counters, workload_.counters_file,
                   of_nvidia ? "launch__warps" : "SQ_WAVES");
  if (normal_unit_ == "per_cycle")
    return per_xcd(of_nvidia ? "gpc__cycles_elapsed.max" : "GRBM_GUI_ACTIVE");
  if (normal_unit_ == "per_kernel") return same_for_all(1);
  Known known = durations();
  for (double& value : known.values) value /= 1e9;
  return known;
}

WorkloadCounters::Known WorkloadCounters::active_cus() {
  const Expression busy = Expression::parse("ROUND(AVG(4 * SQ_BUSY_CU_CYCLES / gui_active))");
  Known known;
  std::vector<double> rounded;
  if (!busy.evaluate(*this, 0, rounded, known.why)) return known;
  const auto waves = workload_.system_number("max_waves_per_cu");
  const auto units = workload_.system_number("cu_per_gpu");
  if (!waves || !units) return {{}, "sysinfo.csv has no max_waves_per_cu or no cu_per_gpu"};
  for (const double n : rounded) {
    const double full = n / *waves * 8 + std::min(std::fmod(n, *waves), 8.0);
    known.values.push_back(std::trunc(std::min(full, *units)));
  }
  return known;
}

}  // namespace heddle::profile
