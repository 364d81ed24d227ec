#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "profile/counters/counters.h"
#include "profile/counters/ncu_text.h"
#include "profile/workload/counter_table.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

enum NcuMetric : std::size_t { kTime, kHits, kMisses, kHitRate, kRead, kWritten, kMetrics };
enum class Quantity { time_us, bytes, sectors, per_cent };

struct MetricName {
  const char* name;
  const char* label;  ///< in ncu's own sections
  Quantity quantity;
};

constexpr std::array<MetricName, kMetrics> kNames = {{
    {"gpu__time_duration.sum", "Duration", Quantity::time_us},
    {"lts__t_sectors_lookup_hit.sum", "", Quantity::sectors},
    {"lts__t_sectors_lookup_miss.sum", "", Quantity::sectors},
    {"lts__t_sector_hit_rate.pct", "L2 Hit Rate", Quantity::per_cent},
    {"dram__bytes_read.sum", "", Quantity::bytes},
    {"dram__bytes_write.sum", "", Quantity::bytes},
}};

/// A value of the file, or why it is not one.
struct Reading {
  std::optional<double> value;
  std::string problem = "the file does not have it";
};

struct NcuLaunch {
  std::string kernel;
  std::array<Reading, kMetrics> readings;
  std::array<bool, kMetrics> seen{};
};

std::optional<NcuMetric> metric_of(std::string_view name) {
  for (std::size_t i = 0; i < kMetrics; ++i) {
    const std::string_view label = kNames[i].label;
    if (name == kNames[i].name || (!label.empty() && name == label))
      return static_cast<NcuMetric>(i);
  }
  return std::nullopt;
}

/// What a value in this unit is multiplied by, to be in heddle's.
std::optional<double> factor_of(std::string_view text, Quantity quantity) {
  const auto unit = ncu_unit(text);
  if (!unit || unit->is_rate) return std::nullopt;
  if (quantity == Quantity::time_us)
    return unit->kind == NcuUnit::Kind::time ? std::optional(unit->factor / 1e3) : std::nullopt;
  const bool fits = quantity == Quantity::per_cent ? unit->kind == NcuUnit::Kind::percent
                    : quantity == Quantity::bytes  ? unit->kind == NcuUnit::Kind::bytes
                                                   : unit->stem == "sector";
  return fits && text.find('/') == std::string_view::npos ? std::optional(unit->factor)
                                                          : std::nullopt;
}

Reading reading_of(const std::string& text, const std::string& unit, Quantity quantity) {
  const auto value = ncu_number(text);
  if (!value)
    return {
        std::nullopt,
        fmt::format("its value is '{}', which is not a number (LC_ALL=C has ncu write numbers with"
                    " points)",
                    shortened(text))};
  const auto factor = factor_of(trim(unit), quantity);
  if (!factor)
    return {std::nullopt, fmt::format("its unit is '{}', which is not known", shortened(unit))};
  return {*value * *factor, {}};
}

void set(NcuLaunch& launch, NcuMetric metric, const std::string& value, const std::string& unit) {
  // The same metric may stand in several sections.
  if (launch.seen[metric]) return;
  launch.seen[metric] = true;
  launch.readings[metric] = reading_of(value, unit, kNames[metric].quantity);
}

std::string absence(const char* what, const NcuLaunch& launch, NcuMetric metric) {
  return fmt::format("no {}: {}: {}", what, kNames[metric].name, launch.readings[metric].problem);
}

void fill_hits(KernelCounters& counters, const NcuLaunch& launch) {
  const auto hits = launch.readings[kHits].value, misses = launch.readings[kMisses].value;
  if (hits && misses) {
    counters.l2_hits = hits;
    counters.l2_lookups = *hits + *misses;
    if (*counters.l2_lookups > 0)
      counters.l2_hit_pct = 100 * *hits / *counters.l2_lookups;
    else
      counters.reasons.push_back("no L2 hit rate: no sector was looked up");
    return;
  }
  counters.reasons.push_back(absence("L2 hits", launch, hits ? kMisses : kHits));
  const auto rate = launch.readings[kHitRate].value;
  counters.l2_hit_pct = rate;
  counters.reasons.push_back(
      rate ? fmt::format("the L2 hit rate is {}, as ncu computes it", kNames[kHitRate].name)
           : absence("L2 hit rate", launch, kHitRate));
}

KernelCounters counters_of(const NcuLaunch& launch) {
  KernelCounters counters;
  counters.kernel = launch.kernel;
  counters.source = "ncu CSV";
  counters.time_us = launch.readings[kTime].value;
  if (!counters.time_us) counters.reasons.push_back(absence("time", launch, kTime));
  fill_hits(counters, launch);
  counters.dram_read_bytes = launch.readings[kRead].value;
  counters.dram_write_bytes = launch.readings[kWritten].value;
  if (!counters.dram_read_bytes)
    counters.reasons.push_back(absence("bytes read from DRAM", launch, kRead));
  if (!counters.dram_write_bytes)
    counters.reasons.push_back(absence("bytes written to DRAM", launch, kWritten));
  return counters;
}

class Launches {
 public:
  /// The launch of the row; launches of other tables are others.
  NcuLaunch& of(std::size_t table, const std::string& process, const std::string& id) {
    const auto [place, is_new] = places_.try_emplace({table, process, id}, all_.size());
    if (!is_new) return all_[place->second];
    if (all_.size() == kMostLaunches)
      throw Error(fmt::format("there are more than {} launches", with_separators(kMostLaunches)),
                  "profile fewer: ncu has --kernel-name and --launch-count");
    return all_.emplace_back();
  }

  const std::vector<NcuLaunch>& all() const { return all_; }

 private:
  std::map<std::tuple<std::size_t, std::string, std::string>, std::size_t> places_;
  std::vector<NcuLaunch> all_;
};

/// A row for each metric.
void read_details(const CounterTable& table, std::size_t number, std::size_t row,
                  Launches& launches) {
  const auto text = [&](std::string_view column) {
    const auto place = table.find(column);
    return place ? table.text(*place, row) : std::string();
  };
  NcuLaunch& launch = launches.of(number, text("Process ID"), text("ID"));
  if (launch.kernel.empty()) launch.kernel = text("Kernel Name");
  if (const auto metric = metric_of(text("Metric Name")))
    set(launch, *metric, text("Metric Value"), text("Metric Unit"));
}

/// A column for each metric; the row without an ID has the units.
void read_raw(const CounterTable& table, std::size_t number, Launches& launches) {
  std::vector<std::pair<NcuMetric, std::size_t>> columns;
  for (std::size_t column = 0; column < table.columns().size(); ++column)
    if (const auto metric = metric_of(table.columns()[column]))
      columns.emplace_back(*metric, column);
  const auto id = table.find("ID"), process = table.find("Process ID");
  const auto kernel = table.find("Kernel Name");
  std::optional<std::size_t> units;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.damaged(row)) continue;
    if (table.text(*id, row).empty()) {
      units = row;
      continue;
    }
    NcuLaunch& launch = launches.of(number, process ? table.text(*process, row) : std::string(),
                                    table.text(*id, row));
    launch.kernel = table.text(*kernel, row);
    for (const auto& [metric, column] : columns)
      set(launch, metric, table.text(column, row),
          units ? table.text(column, *units) : std::string());
  }
}

}  // namespace

std::vector<KernelCounters> parse_ncu_csv(std::string_view text) {
  Launches launches;
  std::size_t damaged = 0;
  std::vector<std::string> tables = ncu_tables(text);
  for (std::size_t number = 0; number < tables.size(); ++number) {
    std::vector<ProfileNote> notes;
    const CounterTable table(std::move(tables[number]), "counters", notes);
    if (!table.has("ID") || !table.has("Kernel Name")) continue;
    for (std::size_t row = 0; row < table.rows(); ++row)
      if (table.damaged(row)) ++damaged;
    if (!table.has("Metric Name") || !table.has("Metric Value")) {
      read_raw(table, number, launches);
      continue;
    }
    for (std::size_t row = 0; row < table.rows(); ++row)
      if (!table.damaged(row)) read_details(table, number, row, launches);
  }
  if (launches.all().empty()) throw ncu_refusal(text);
  std::vector<KernelCounters> all;
  for (const NcuLaunch& launch : launches.all()) {
    all.push_back(counters_of(launch));
    if (damaged > 0)
      all.back().reasons.push_back(fmt::format(
          "{} of the file could not be read", count_of(static_cast<std::int64_t>(damaged), "row")));
  }
  return all;
}

}  // namespace heddle::profile
