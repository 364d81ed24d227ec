#include "profile/other/summed_times.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "profile/workload/dispatches.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

using nlohmann::json;

constexpr int kMostDepth = 512;
constexpr std::string_view kTimeMetric = "time (";

[[noreturn]] void refuse(const std::string& what, const char* hint) {
  throw Error(what, hint, ExitCode::missing);
}

/// "time (us)" -> 1e3.
double nanoseconds_of(std::string_view metric) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
      {{"time (ns)", 1}, {"time (us)", 1e3}, {"time (ms)", 1e6}, {"time (s)", 1e9}}};
  for (const auto& [name, factor] : kUnits) {
    if (metric == name) return factor;
  }
  refuse(fmt::format("its times are '{}', a unit that heddle does not know", metric.substr(0, 40)),
         "record with Triton's Proton, whose times are in ns");
}

std::string text_of(const json& node, const char* key) {
  const auto found = node.is_object() ? node.find(key) : node.end();
  if (!node.is_object() || found == node.end()) return {};
  if (found->is_string()) return found->get<std::string>();
  return found->is_number_integer() ? fmt::format("{}", found->get<std::int64_t>()) : std::string();
}

/// Nodes with a count ran; scopes have neither count nor time.
void add_node(const json& node, int depth, SummedTimes& times) {
  if (depth > kMostDepth) refuse("its scopes are nested too deep", "record fewer scopes");
  if (!node.is_object()) return;
  const auto metrics = node.find("metrics");
  const auto frame = node.find("frame");
  if (metrics != node.end() && metrics->is_object() && frame != node.end()) {
    SummedTime time{text_of(*frame, "name"), text_of(*metrics, "device_id"), 0, 0};
    const auto count = metrics->find("count");
    if (count != metrics->end() && count->is_number())
      time.count = std::llround(
          std::min(count->get<double>(), static_cast<double>(kMostSummedLaunches) + 1));
    for (const auto& [name, value] : metrics->items()) {
      if (name.starts_with(kTimeMetric) && value.is_number())
        time.total_ns += nanoseconds_of(name) * value.get<double>();
    }
    if (time.count > 0 && time.total_ns >= 0) times.kernels.push_back(std::move(time));
  }
  const auto children = node.find("children");
  if (children == node.end() || !children->is_array()) return;
  for (const json& child : *children) add_node(child, depth + 1, times);
}

/// {"CUDA": {"0": {"arch": "90", "num_sms": 132, ...}}}
void describe(const json& devices, SystemFields& system) {
  for (const char* vendor : {"CUDA", "HIP"}) {
    const auto of_vendor = devices.find(vendor);
    if (of_vendor == devices.end() || !of_vendor->is_object() || of_vendor->empty()) continue;
    const json& device = *of_vendor->begin();
    std::string arch = text_of(device, "arch");
    if (parse_integer(arch)) arch = "sm_" + arch;
    arch = arch.substr(0, arch.find(':'));
    if (!arch.empty()) system.emplace_back("gpu_arch", arch);
    const std::string units = text_of(device, "num_sms");
    if (!units.empty()) system.emplace_back("cu_per_gpu", units);
    const auto clock = parse_number(text_of(device, "clock_rate"));
    if (clock && *clock > 0) system.emplace_back("max_sclk", fmt::format("{}", *clock / 1e3));
    return;
  }
}

void check(const SummedTimes& times, const char* hint) {
  double launches = 0, name_bytes = 0;
  for (const SummedTime& one : times.kernels) {
    launches += static_cast<double>(one.count);
    name_bytes += static_cast<double>(one.count) * static_cast<double>(one.kernel.size());
  }
  if (times.kernels.empty()) refuse("there is no kernel in it", hint);
  if (launches > static_cast<double>(kMostSummedLaunches))
    refuse(fmt::format("there are more than {} launches", with_separators(kMostSummedLaunches)),
           "profile fewer");
  if (name_bytes > static_cast<double>(kMostKernelNameBytes))
    refuse("its kernels have longer names than are read", "profile fewer launches");
}

}  // namespace

bool looks_like_proton(std::string_view text) {
  text = trim(text);
  return text.starts_with('[') &&
         text.substr(0, 100'000).find("\"frame\"") != std::string_view::npos;
}

SummedTimes parse_proton(std::string_view text) {
  const json whole = json::parse(
      text, [](int depth, json::parse_event_t, json&) { return depth <= 2 * kMostDepth; }, false);
  if (!whole.is_array() || whole.empty())
    refuse("it is not a recording of Proton, or it was cut off",
           "name the .hatchet file that proton.finalize() writes");
  SummedTimes times;
  for (const json& part : whole) {
    if (part.is_object() && part.contains("frame"))
      add_node(part, 0, times);
    else if (part.is_object() && times.system.empty())
      describe(part, times.system);
  }
  check(times, "record while kernels run: proton.start() before, proton.finalize() after");
  return times;
}

bool is_kernel_stats(const CounterTable& table) {
  return table.has("Name") && table.has("Calls") && table.has("TotalDurationNs");
}

SummedTimes read_kernel_stats(const CounterTable& table) {
  const std::size_t name = *table.find("Name"), calls = *table.find("Calls");
  const std::size_t total = *table.find("TotalDurationNs");
  SummedTimes times;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto count = table.integer(calls, row);
    const auto time = table.number(total, row);
    if (table.damaged(row) || !count || !time || *count <= 0 || *time < 0) continue;
    times.kernels.push_back({table.text(name, row), {}, *count, *time});
  }
  check(times, "record with rocprofv3 --kernel-trace --stats --output-format csv");
  return times;
}

}  // namespace heddle::profile
