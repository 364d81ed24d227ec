// All values of all counters, in one pass over the rows: frozen, negative, too large, channels
// that do not add up.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "profile/plausibility/channel_sums.h"
#include "profile/plausibility/checks.h"

namespace heddle::profile {
namespace {

/// From here on a double, which writers of CSV files use, skips numbers.
constexpr double kMostCount = 9'007'199'254'740'992.0;
/// So many counters are not equal by chance in dispatches of different kernels.
constexpr std::size_t kLeastEqual = 16;
constexpr double kNoCount = std::numeric_limits<double>::quiet_NaN();

struct CounterColumn {
  std::size_t place = 0;
  bool compared = false;  ///< cycles of the GRBM run on where other counters are frozen
};

std::vector<CounterColumn> counter_columns(const CounterTable& table) {
  std::vector<CounterColumn> columns;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    const std::string& name = table.columns()[i];
    if (is_counter(name)) columns.push_back({i, !name.starts_with("GRBM_")});
  }
  return columns;
}

bool is_same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

/// How many counters are equal and not zero; 0 if one differs.
std::size_t equal_counters(const std::vector<CounterColumn>& columns, const std::vector<double>& a,
                           const std::vector<double>& b) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].compared) continue;
    if (!is_same(a[i], b[i])) return 0;
    if (a[i] != 0 && !std::isnan(a[i])) ++equal;
  }
  return equal;
}

/// Reads a row, and adds what no counter can be.
void read_row(const CounterTable& table, const std::vector<CounterColumn>& columns,
              const Dispatch& dispatch, const std::string& file, std::vector<double>& values,
              CounterScan& scan) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto value = table.number(columns[i].place, dispatch.row);
    values[i] = value.value_or(kNoCount);
    if (!value || (*value >= 0 && *value < kMostCount)) continue;
    const std::string place = place_of(dispatch);
    (*value < 0 ? scan.negative : scan.overflow)
        .add(std::abs(*value), file.empty() ? place : fmt::format("{}.csv, {}", file, place),
             fmt::format("{} is {}", table.columns()[columns[i].place], figure(*value)));
  }
}

std::vector<std::string> names_of(const CounterTable& table,
                                  const std::vector<CounterColumn>& columns) {
  std::vector<std::string> names;
  for (const CounterColumn& column : columns) names.push_back(table.columns()[column.place]);
  return names;
}

void add_channels(const ChannelSums& sums, const std::vector<double>& values,
                  const Dispatch& dispatch, CounterScan& scan) {
  sums.look_at(values, [&](const ChannelCase& one) {
    scan.channels.add(std::abs(one.channels - one.sum),
                      fmt::format("{}, {}", one.counter, place_of(dispatch)),
                      fmt::format("its {} channels add up to {}, the sum is {}", one.count,
                                  figure(one.channels), figure(one.sum)));
  });
}

void scan_level(const std::string& name, const CounterTable& table, const Recording& recording,
                CounterScan& scan) {
  const std::vector<CounterColumn> columns = counter_columns(table);
  std::vector<double> values(columns.size());
  for (const Dispatch* dispatch : recording.dispatches()) {
    if (dispatch->row < table.rows() && !table.damaged(dispatch->row))
      read_row(table, columns, *dispatch, name, values, scan);
  }
}

}  // namespace

CounterScan scan_counters(const Recording& recording) {
  const CounterTable& table = recording.workload().counters;
  const std::vector<CounterColumn> columns = counter_columns(table);
  CounterScan scan;
  std::vector<double> values(columns.size()), before(columns.size());
  const ChannelSums sums(names_of(table, columns), recording.system("total_l2_chan"));
  const Dispatch* last = nullptr;
  for (const Dispatch* dispatch : recording.dispatches()) {
    read_row(table, columns, *dispatch, "", values, scan);
    add_channels(sums, values, *dispatch, scan);
    if (last != nullptr && last->kernel != dispatch->kernel) {
      const std::size_t equal = equal_counters(columns, before, values);
      if (equal >= kLeastEqual)
        scan.frozen.add(static_cast<double>(equal), place_of(*dispatch),
                        fmt::format("all its counters are those of {}, {} of them not zero",
                                    place_of(*last), equal));
    }
    std::swap(values, before);
    last = dispatch;
  }
  for (const auto& [name, level] : recording.workload().levels)
    scan_level(name, level, recording, scan);
  return scan;
}

}  // namespace heddle::profile
