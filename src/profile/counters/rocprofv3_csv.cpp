#include <fmt/format.h>

#include <array>
#include <map>
#include <tuple>

#include "profile/counters/amd_counters.h"
#include "profile/counters/counters.h"
#include "profile/workload/counter_table.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

/// Those that figures are made of; a CSV file may have hundreds of others.
constexpr std::array<std::string_view, 10> kCounters = {
    "TCC_HIT_sum",           "TCC_MISS_sum",     "TCC_EA_RDREQ_sum",     "TCC_EA_RDREQ_32B_sum",
    "TCC_EA_RDREQ_DRAM_sum", "TCC_EA_WRREQ_sum", "TCC_EA_WRREQ_64B_sum", "TCC_EA_WRREQ_DRAM_sum",
    "TCC_EA0_RDREQ_sum",     "TCC_EA0_WRREQ_sum"};

struct RocLaunch {
  std::string kernel;
  std::string dispatch;     ///< as written
  std::string correlation;  ///< likewise
  std::optional<double> time_us;
  std::array<std::optional<double>, kCounters.size()> counters;
};

/// "TCC_HIT" is the sum of its instances as well: rocprofv3 adds them up when it writes CSV.
std::optional<std::size_t> place_of_counter(std::string_view name) {
  for (std::size_t i = 0; i < kCounters.size(); ++i) {
    const std::string_view sum = kCounters[i];
    if (name == sum || name == sum.substr(0, sum.size() - 4)) return i;
  }
  return std::nullopt;
}

class Columns {
 public:
  explicit Columns(const CounterTable& table) : table_(table) {}
  std::string text(std::string_view column, std::size_t row) const {
    const auto place = table_.find(column);
    return place ? table_.text(*place, row) : std::string();
  }
  std::optional<double> number(std::string_view column, std::size_t row) const {
    const auto place = table_.find(column);
    return place ? table_.number(*place, row) : std::nullopt;
  }
  /// From start to end; nothing if it is not there or not forward.
  std::optional<double> time_us(std::size_t row) const {
    const auto start = table_.find("Start_Timestamp"), end = table_.find("End_Timestamp");
    if (!start || !end) return std::nullopt;
    const auto from = table_.integer(*start, row), to = table_.integer(*end, row);
    if (!from || !to || *from < 0 || *to <= *from) return std::nullopt;
    return static_cast<double>(*to - *from) / 1000;
  }

 private:
  const CounterTable& table_;
};

bool is_counter_table(const CounterTable& table) {
  return table.has("Kernel_Name") && table.has("Counter_Name") && table.has("Counter_Value") &&
         table.has("Dispatch_Id");
}

bool is_trace(const CounterTable& table) {
  return table.has("Kernel_Name") && table.has("Start_Timestamp") && table.has("End_Timestamp") &&
         table.has("Kind");
}

void check_count(std::size_t launches) {
  if (launches >= kMostLaunches)
    throw Error(fmt::format("there are more than {} launches", with_separators(kMostLaunches)),
                "profile fewer: rocprofv3 has --kernel-include-regex");
}

/// A row for each counter of each dispatch.
std::vector<RocLaunch> read_counter_rows(const CounterTable& table) {
  const Columns columns(table);
  std::vector<RocLaunch> launches;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.damaged(row)) continue;
    const std::string dispatch = columns.text("Dispatch_Id", row);
    const auto [place, is_new] = places.try_emplace(
        {columns.text("Process_Id", row), columns.text("Agent_Id", row), dispatch},
        launches.size());
    if (is_new) {
      check_count(launches.size());
      launches.push_back({columns.text("Kernel_Name", row),
                          dispatch,
                          columns.text("Correlation_Id", row),
                          columns.time_us(row),
                          {}});
    }
    RocLaunch& launch = launches[place->second];
    const auto counter = place_of_counter(columns.text("Counter_Name", row));
    // The first of several values of a counter counts.
    if (counter && !launch.counters[*counter])
      launch.counters[*counter] = columns.number("Counter_Value", row);
  }
  return launches;
}

std::vector<RocLaunch> read_trace_rows(const CounterTable& table) {
  const Columns columns(table);
  std::vector<RocLaunch> launches;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.damaged(row) || columns.text("Kind", row) != "KERNEL_DISPATCH") continue;
    check_count(launches.size());
    launches.push_back({columns.text("Kernel_Name", row),
                        columns.text("Dispatch_Id", row),
                        columns.text("Correlation_Id", row),
                        columns.time_us(row),
                        {}});
  }
  return launches;
}

/// Times of a trace, for launches without one: of the same kernel and dispatch, or correlation
/// where old traces have no dispatches.
void add_times(std::vector<RocLaunch>& launches, const std::vector<RocLaunch>& trace) {
  std::map<std::pair<std::string, std::string>, std::optional<double>> by_dispatch, by_correlation;
  for (const RocLaunch& launch : trace) {
    if (launch.dispatch.empty())
      by_correlation.emplace(std::pair(launch.correlation, launch.kernel), launch.time_us);
    else
      by_dispatch.emplace(std::pair(launch.dispatch, launch.kernel), launch.time_us);
  }
  for (RocLaunch& launch : launches) {
    if (launch.time_us) continue;
    const auto one = by_dispatch.find({launch.dispatch, launch.kernel});
    const auto other = by_correlation.find({launch.correlation, launch.kernel});
    if (one != by_dispatch.end())
      launch.time_us = one->second;
    else if (other != by_correlation.end())
      launch.time_us = other->second;
  }
}

KernelCounters counters_of(const RocLaunch& launch, bool has_counters) {
  KernelCounters counters;
  counters.kernel = launch.kernel;
  counters.source = "rocprofv3 CSV";
  counters.time_us = launch.time_us;
  if (!counters.time_us) counters.reasons.push_back("no time: there are no times, or not forward");
  if (!has_counters) {
    counters.reasons.push_back("no L2 hit rate, no bytes of DRAM: a kernel trace has no counters");
    return counters;
  }
  fill_amd_counters(counters, [&](std::string_view name) -> std::optional<double> {
    const auto place = place_of_counter(name);
    return place ? launch.counters[*place] : std::nullopt;
  });
  return counters;
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace

bool looks_like_rocprofv3(std::string_view text) {
  std::vector<ProfileNote> notes;
  const CounterTable header(first_line(text), "counters", notes);
  return is_counter_table(header) || is_trace(header);
}

std::vector<KernelCounters> parse_rocprofv3_csv(std::string text, std::string trace) {
  std::vector<ProfileNote> notes;
  const CounterTable table(std::move(text), "counters", notes);
  const bool has_counters = is_counter_table(table);
  if (!has_counters && !is_trace(table))
    throw Error(
        "it has not the columns of rocprofv3: Dispatch_Id, Kernel_Name, Counter_Name and"
        " Counter_Value, or Kind, Kernel_Name and timestamps",
        "run rocprofv3 with --output-format csv");
  std::vector<RocLaunch> launches =
      has_counters ? read_counter_rows(table) : read_trace_rows(table);
  if (has_counters && !trace.empty()) {
    const CounterTable times(std::move(trace), "trace", notes);
    if (is_trace(times)) add_times(launches, read_trace_rows(times));
  }
  if (launches.empty())
    throw Error("there is no launch in it", "check that rocprofv3 profiled the kernel",
                ExitCode::missing);
  std::size_t damaged = 0;
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (table.damaged(row)) ++damaged;
  std::vector<KernelCounters> all;
  for (const RocLaunch& launch : launches) {
    all.push_back(counters_of(launch, has_counters));
    if (damaged > 0)
      all.back().reasons.push_back(fmt::format(
          "{} of the file could not be read", count_of(static_cast<std::int64_t>(damaged), "row")));
  }
  return all;
}

}  // namespace heddle::profile
