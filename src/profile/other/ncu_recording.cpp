#include "profile/other/ncu_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "profile/counters/counters.h"
#include "profile/counters/ncu_text.h"
#include "profile/other/ncu_labels.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

using Kind = NcuUnit::Kind;

constexpr double kWarpLanes = 32;

/// Columns that are not metrics, on both pages.
constexpr std::array kNotMetrics = std::to_array<std::string_view>(
    {"ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Kernel Time", "Context",
     "Stream", "Block Size", "Grid Size", "Device", "CC"});

/// Kinds of units that a name may have. What a name does not say is left to the unit.
bool may_have(std::string_view name, const NcuUnit& unit) {
  const auto says = [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  };
  if (says("time_duration")) return unit.kind == Kind::time;
  if (says(".pct") || says("_pct")) return unit.kind == Kind::percent;
  if (says("dram__bytes") || says("2l1tex_read_bytes") || says("2xbar_write_bytes") ||
      says("launch__shared_mem_per_block"))
    return unit.kind == Kind::bytes && unit.is_rate == says(".per_second");
  if (says(".per_second")) return unit.is_rate || unit.kind == Kind::frequency || unit.is_plain;
  return !unit.is_rate;
}

/// "(128, 2, 1)" -> 256.
std::optional<double> product_of(std::string_view text) {
  text = trim(text);
  if (!text.starts_with('(') || !text.ends_with(')')) return std::nullopt;
  double product = 1;
  for (const std::string_view part : split(text.substr(1, text.size() - 2), ',')) {
    const auto number = parse_integer(trim(part));
    if (!number || *number < 1) return std::nullopt;
    product *= static_cast<double>(*number);
  }
  return product;
}

class NcuReader {
 public:
  NcuReader() {
    id_ = store_.add_wholes("Dispatch_ID");
    kernel_ = store_.add_words("Kernel_Name");
    gpu_ = store_.add_words("GPU_ID");
  }

  void read(const CounterTable& table, std::size_t number) {
    if (table.has("Metric Name") && table.has("Metric Value"))
      read_details(table, number);
    else
      read_raw(table, number);
  }

  std::uint32_t rows() const { return static_cast<std::uint32_t>(launches_.size()); }

  NcuRecording finish() && {
    add_warps();
    store_.finish();
    return {CounterTable(std::move(store_), launches_.size()), std::move(problems_), system()};
  }

 private:
  struct Launch {
    std::string kernel;
    double blocks = 0, threads = 0;  ///< 0: not known
  };

  static std::string text_of(const CounterTable& table, std::string_view column, std::size_t row) {
    const auto place = table.find(column);
    return place ? table.text(*place, row) : std::string();
  }

  /// `its_place` tells launches of a page apart that have the same ID.
  std::uint32_t launch_of(const CounterTable& table, std::size_t number, std::size_t row,
                          const std::string& its_place) {
    const std::string id = text_of(table, "ID", row);
    const std::string kernel = text_of(table, "Kernel Name", row);
    const auto [place, fresh] =
        places_.try_emplace({number, text_of(table, "Process ID", row), id + its_place}, rows());
    if (!fresh && kernel != launches_[place->second].kernel)
      throw Error(fmt::format("launch {} is '{}' in one row and '{}' in another", shortened(id),
                              shortened(launches_[place->second].kernel), shortened(kernel)),
                  "print it again: ncu --import FILE --csv", ExitCode::missing);
    if (!fresh) return place->second;
    if (launches_.size() == kMostLaunches)
      throw Error(fmt::format("there are more than {} launches", with_separators(kMostLaunches)),
                  "profile fewer: ncu has --kernel-name and --launch-count");
    // Several processes count from 0 each.
    std::int64_t its_id = parse_integer(id).value_or(rows());
    if (!ids_.insert(its_id).second)
      ids_.insert(its_id = static_cast<std::int64_t>(kMostLaunches + rows()));
    store_.add_whole(id_, its_id);
    store_.add_word(kernel_, kernel);
    store_.add_word(gpu_, text_of(table, "Device", row));
    launches_.push_back({kernel, product_of(text_of(table, "Grid Size", row)).value_or(0),
                         product_of(text_of(table, "Block Size", row)).value_or(0)});
    const std::string capability = text_of(table, "CC", row);
    if (!capability.empty()) texts_.emplace("CC", capability);
    return place->second;
  }

  void read_raw(const CounterTable& table, std::size_t number) {
    std::vector<std::pair<std::size_t, std::string>> columns;
    for (std::size_t column = 0; column < table.columns().size(); ++column) {
      const std::string& name = table.columns()[column];
      if (std::ranges::find(kNotMetrics, name) == kNotMetrics.end())
        columns.emplace_back(column, name);
    }
    std::optional<std::size_t> units;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (table.damaged(row)) continue;
      if (text_of(table, "ID", row).empty()) {
        units = row;
        continue;
      }
      if (!units)
        throw Error(
            "the row of units below the header is missing: nothing tells what its numbers are",
            "print it again: ncu --import FILE --csv --page raw", ExitCode::missing);
      const std::uint32_t launch = launch_of(table, number, row, fmt::format(" {}", row));
      for (const auto& [column, name] : columns)
        add(launch, name, table.text(column, row), table.text(column, *units));
    }
  }

  void read_details(const CounterTable& table, std::size_t number) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (table.damaged(row)) continue;
      const std::uint32_t launch = launch_of(table, number, row, "");
      const std::string label = text_of(table, "Metric Name", row);
      const std::string_view metric = ncu_metric(text_of(table, "Section Name", row), label);
      // A metric may stand in several sections, with other units and digits.
      if (!metric.empty() && told_.emplace(launch, metric).second)
        add(launch, std::string(metric), text_of(table, "Metric Value", row),
            text_of(table, "Metric Unit", row));
    }
  }

  void add(std::uint32_t launch, const std::string& name, std::string value,
           const std::string& unit_text) {
    // Values of instances follow in brackets: "12 (4; 8)".
    if (const std::size_t bracket = value.find(" ("); bracket != std::string::npos)
      value.resize(bracket);
    if (value.empty()) return;
    if (name.starts_with("device__attribute_")) texts_.emplace(name.substr(18), value);
    const auto number = ncu_number(value);
    const bool is_measured = name.find('.') != std::string::npos;
    if (!number) {
      if (is_measured && is_number_of_other_locale(value))
        throw Error(
            fmt::format("numbers are written as '{}' ({}), not as in the C locale: others of "
                        "the file would be misread",
                        shortened(value), name),
            "print it again: LC_ALL=C ncu --import FILE --csv --page raw", ExitCode::missing);
      if (is_measured)
        problems_.emplace(name, fmt::format("its value is '{}', not a number", shortened(value)));
      return;
    }
    const auto unit = ncu_unit(unit_text);
    if (!unit || !may_have(name, *unit)) {
      if (is_measured || name.starts_with("launch__"))
        problems_.emplace(name, fmt::format("its unit is '{}'", shortened(unit_text)));
      return;
    }
    store_.set_real(column_of(name), launch, *number * unit->factor);
    if (name == "launch__grid_size") launches_[launch].blocks = *number;
    if (name == "launch__block_size") launches_[launch].threads = *number;
    constexpr std::string_view kPerCycle = ".sum.per_cycle_elapsed";
    if (name == "smsp__cycles_elapsed.avg") cycles_[launch] = *number;
    if (name.starts_with("smsp__sass_thread_inst_executed_op_") && name.ends_with(kPerCycle))
      per_cycle_[name.substr(0, name.size() - kPerCycle.size()) + ".sum"].emplace_back(launch,
                                                                                       *number);
  }

  std::size_t column_of(const std::string& name) {
    const auto known = columns_.find(name);
    if (known != columns_.end()) return known->second;
    if (columns_.size() >= kMostColumns)
      throw Error(fmt::format("there are more than {} metrics", kMostColumns), "profile fewer");
    const std::size_t column = store_.add_reals(name);
    columns_.emplace(name, column);
    return column;
  }

  /// By rule 4.
  void add_warps() {
    for (std::uint32_t row = 0; row < rows(); ++row) {
      const auto& [kernel, blocks, threads] = launches_[row];
      if (blocks > 0 && threads > 0)
        store_.set_real(column_of("launch__warps"), row, blocks * std::ceil(threads / kWarpLanes));
    }
    for (const auto& [name, values] : per_cycle_) {
      if (columns_.contains(name)) continue;
      for (const auto& [launch, value] : values) {
        const auto cycles = cycles_.find(launch);
        if (cycles != cycles_.end())
          store_.set_real(column_of(name), launch, std::round(value * cycles->second));
      }
    }
  }

  std::optional<double> attribute(const char* name) const {
    const auto found = texts_.find(name);
    return found == texts_.end() ? std::nullopt : ncu_number(found->second);
  }

  SystemFields system() const {
    SystemFields fields;
    const auto add_text = [&](const char* field, std::string text) {
      if (!text.empty()) fields.emplace_back(field, std::move(text));
    };
    const auto add_number = [&](const char* field, std::optional<double> number) {
      if (number && *number > 0) fields.emplace_back(field, fmt::format("{}", *number));
    };
    const auto name = texts_.find("display_name");
    add_text("gpu_model", name == texts_.end() ? std::string() : name->second);
    const auto capability = texts_.find("CC");
    std::string version = capability == texts_.end() ? std::string() : capability->second;
    if (const auto major = attribute("compute_capability_major"),
        minor = attribute("compute_capability_minor");
        version.empty() && major && minor)
      version = fmt::format("{}.{}", *major, *minor);
    std::erase(version, '.');
    if (parse_integer(version)) add_text("gpu_arch", "sm_" + version);
    add_number("cu_per_gpu", attribute("multiprocessor_count"));
    add_number("wave_size", attribute("warp_size"));
    add_number("max_waves_per_cu", attribute("max_warps_per_multiprocessor"));
    if (const auto khz = attribute("clock_rate")) add_number("max_sclk", *khz / 1e3);
    add_number("total_l2_chan", attribute("l2s_count"));
    const auto memory_khz = attribute("memory_clock_rate");
    const auto bits = attribute("global_memory_bus_width");
    // Two transfers a clock, whatever the memory.
    if (memory_khz && bits) add_number("hbm_bw", 2 * *memory_khz * 1e3 * *bits / 8 / 1e9);
    fields.emplace_back("num_xcd", "1");
    return fields;
  }

  ColumnStore store_;
  std::size_t id_ = 0, kernel_ = 0, gpu_ = 0;
  std::map<std::tuple<std::size_t, std::string, std::string>, std::uint32_t> places_;
  std::set<std::int64_t> ids_;
  std::set<std::pair<std::uint32_t, std::string>> told_;
  std::vector<Launch> launches_;
  std::unordered_map<std::string, std::size_t> columns_;
  std::map<std::string, std::string, std::less<>> texts_;
  std::map<std::string, std::string> problems_;
  std::map<std::uint32_t, double> cycles_;
  std::map<std::string, std::vector<std::pair<std::uint32_t, double>>> per_cycle_;
};

}  // namespace

NcuRecording read_ncu_recording(std::string_view text, const std::string& shown,
                                std::vector<ProfileNote>& notes) {
  NcuReader reader;
  std::vector<std::string> tables = ncu_tables(text);
  for (std::size_t number = 0; number < tables.size(); ++number) {
    const CounterTable table(std::move(tables[number]), shown, notes);
    if (table.has("ID") && table.has("Kernel Name")) reader.read(table, number);
  }
  if (reader.rows() == 0) throw ncu_refusal(text);
  return std::move(reader).finish();
}

}  // namespace heddle::profile
