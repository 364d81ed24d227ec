#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "profile/counters/counters.h"
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

/// "12,345.60" -> 12345.6; nothing where commas do not part thousands.
std::optional<double> separated_number(std::string_view text) {
  text = trim(text);
  std::string digits;
  const std::size_t point = std::min(text.find('.'), text.size());
  std::size_t since_comma = 0;
  bool has_comma = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ',') {
      digits += text[i];
      if (i < point) ++since_comma;
      continue;
    }
    const bool is_third = has_comma ? since_comma == 3 : since_comma >= 1 && since_comma <= 3;
    if (i > point || !is_third) return std::nullopt;
    has_comma = true;
    since_comma = 0;
  }
  if (has_comma && since_comma != 3) return std::nullopt;
  const auto value = parse_number(digits);
  return value && *value >= 0 && *value <= kLargestCount ? value : std::nullopt;
}

/// What a value in this unit is multiplied by, to be in heddle's.
std::optional<double> factor_of(std::string_view unit, Quantity quantity) {
  static const std::map<std::string_view, double> times = {
      {"nsecond", 1e-3}, {"ns", 1e-3}, {"usecond", 1},  {"us", 1},
      {"msecond", 1e3},  {"ms", 1e3},  {"second", 1e6}, {"s", 1e6}};
  if (quantity == Quantity::time_us) {
    const auto found = times.find(unit);
    return found == times.end() ? std::nullopt : std::optional(found->second);
  }
  if (quantity == Quantity::per_cent) return unit == "%" ? std::optional(1.0) : std::nullopt;
  const std::string_view base = quantity == Quantity::bytes ? "byte" : "sector";
  if (!unit.ends_with(base)) return std::nullopt;
  const std::string_view prefix = unit.substr(0, unit.size() - base.size());
  for (const auto& [letter, factor] :
       {std::pair{"", 1.0}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}})
    if (prefix == letter) return factor;
  return std::nullopt;
}

std::string shortened(std::string text) {
  constexpr std::size_t kMostShown = 40;
  if (text.size() > kMostShown) text = text.substr(0, kMostShown) + "...";
  return text;
}

Reading reading_of(const std::string& text, const std::string& unit, Quantity quantity) {
  const auto value = separated_number(text);
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

bool is_header(std::string_view line) {
  return line.starts_with("\"ID\",") && line.find("\"Kernel Name\"") != std::string_view::npos;
}

/// Tables of the text, without what ncu and the program printed in between.
std::vector<std::string> tables_of(std::string_view text) {
  std::vector<std::string> tables;
  for (std::string_view line : split_lines(text)) {
    if (is_header(line)) tables.emplace_back();
    if (tables.empty() || !line.starts_with('"')) continue;
    tables.back() += line;
    tables.back() += '\n';
  }
  return tables;
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

/// Why ncu has counted nothing, as an Error.
Error refusal(std::string_view text) {
  if (text.find("ERR_NVGPUCTRPERM") != std::string_view::npos)
    return Error("ncu was not allowed to read the GPU's counters (ERR_NVGPUCTRPERM)",
                 "run it as root; in a container, start that with --cap-add=SYS_ADMIN; or have the"
                 " driver loaded with NVreg_RestrictProfilingToAdminUsers=0",
                 ExitCode::missing);
  for (const char* mark : {"==ERROR==", "==WARNING=="}) {
    for (std::string_view line : split_lines(text)) {
      if (!line.starts_with(mark)) continue;
      constexpr std::size_t kMostShown = 300;
      return Error(fmt::format("ncu has counted nothing: {}", trim(line.substr(0, kMostShown))),
                   "run ncu again where it works", ExitCode::missing);
    }
  }
  return Error("there is no launch in what ncu wrote", "check that it profiled the kernel",
               ExitCode::missing);
}

}  // namespace

bool looks_like_ncu(std::string_view text) {
  for (std::string_view line : split_lines(text))
    if (is_header(line) || line.starts_with("==PROF==") || line.starts_with("==ERROR=="))
      return true;
  return false;
}

std::vector<KernelCounters> parse_ncu_csv(std::string_view text) {
  Launches launches;
  std::size_t damaged = 0;
  std::vector<std::string> tables = tables_of(text);
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
  if (launches.all().empty()) throw refusal(text);
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
