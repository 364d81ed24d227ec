#include "profile/workload/rocpd.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <unordered_map>

#include "profile/workload/foreign_database.h"
#include "profile/workload/long_counters.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

/// Places of numbers, which are mostly small.
class Ids {
 public:
  void set(std::int64_t id, std::size_t place) {
    if (id < 0 || id >= kSmall) {
      others_[id] = place;
      return;
    }
    const auto at = static_cast<std::size_t>(id);
    if (at >= small_.size()) small_.resize(at + 1, kNone);
    small_[at] = place;
  }
  std::optional<std::size_t> find(std::int64_t id) const {
    if (id < 0 || id >= kSmall) {
      const auto found = others_.find(id);
      return found == others_.end() ? std::nullopt : std::optional(found->second);
    }
    const auto at = static_cast<std::size_t>(id);
    return at < small_.size() && small_[at] != kNone ? std::optional(small_[at]) : std::nullopt;
  }

 private:
  static constexpr std::int64_t kSmall = 1 << 20;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> small_;
  std::unordered_map<std::int64_t, std::size_t> others_;
};

struct Agent {
  std::string name;  ///< "gfx942"
  std::string product;
  std::string details;  ///< JSON
};

struct Symbol {
  std::string name;
  std::optional<std::int64_t> vgpr, accum_vgpr, sgpr;
};

/// As it stands in the file: there may be millions.
struct RocpdDispatch {
  std::int64_t event = 0, agent = 0, kernel = 0, number = 0, start = 0, end = 0, lds = 0,
               scratch = 0, grid = 0, workgroup = 0;
};
constexpr std::size_t kMostDispatches = std::size_t{4} << 20;

/// The tables of one recording in a file.
struct RocpdRecording {
  const ForeignDatabase& file;
  std::string suffix;       ///< "_0a3f...", or empty
  bool has_tracks = false;  ///< schema 4: a track says on which agent its dispatches ran
  std::string table(const char* name) const { return name + suffix; }
};

/// The product of three sizes; 0 where one is missing or the product too large.
std::int64_t product(const ForeignRows& rows, int first) {
  std::int64_t result = 1;
  for (int i = first; i < first + 3; ++i) {
    if (__builtin_mul_overflow(result, rows.integer(i).value_or(0), &result)) return 0;
  }
  return result;
}

std::unordered_map<std::int64_t, Agent> read_agents(const RocpdRecording& recording) {
  std::unordered_map<std::int64_t, Agent> agents;
  ForeignRows rows(recording.file, recording.table("rocpd_info_agent"),
                   {"id", "name", "product_name", "extdata"});
  while (rows.next()) {
    if (const auto id = rows.integer(0))
      agents[*id] = {std::string(rows.text(1)), std::string(rows.text(2)),
                     std::string(rows.text(3))};
  }
  return agents;
}

std::unordered_map<std::int64_t, Symbol> read_symbols(const RocpdRecording& recording) {
  std::unordered_map<std::int64_t, Symbol> symbols;
  ForeignRows rows(
      recording.file, recording.table("rocpd_info_kernel_symbol"),
      {"id", "display_name", "kernel_name", "arch_vgpr_count", "accum_vgpr_count", "sgpr_count"});
  while (rows.next()) {
    const auto id = rows.integer(0);
    if (!id) continue;
    const std::string_view shown = rows.text(1).empty() ? rows.text(2) : rows.text(1);
    symbols[*id] = {std::string(shown), rows.integer(3), rows.integer(4), rows.integer(5)};
  }
  return symbols;
}

/// The agents of tracks.
std::unordered_map<std::int64_t, std::int64_t> read_tracks(const RocpdRecording& recording) {
  std::unordered_map<std::int64_t, std::int64_t> agents;
  ForeignRows rows(recording.file, recording.table("rocpd_track"), {"id", "agent_id"});
  while (rows.next()) {
    if (const auto id = rows.integer(0)) agents[*id] = rows.integer(1).value_or(-1);
  }
  return agents;
}

/// By dispatch number.
std::vector<RocpdDispatch> read_launches(const RocpdRecording& recording) {
  std::vector<RocpdDispatch> dispatches;
  std::unordered_map<std::int64_t, std::int64_t> agents;
  if (recording.has_tracks) agents = read_tracks(recording);
  ForeignRows rows(
      recording.file, recording.table("rocpd_kernel_dispatch"),
      {"event_id", recording.has_tracks ? "track_id" : "agent_id", "kernel_id", "dispatch_id",
       "start", "end", "group_segment_size", "private_segment_size", "grid_size_x", "grid_size_y",
       "grid_size_z", "workgroup_size_x", "workgroup_size_y", "workgroup_size_z"});
  while (rows.next()) {
    if (dispatches.size() >= kMostDispatches)
      throw Error(fmt::format("'{}' holds more than the {} dispatches that are read",
                              recording.file.path(), kMostDispatches),
                  "profile fewer at a time", ExitCode::missing);
    const auto whole = [&](int column, std::int64_t otherwise) {
      return rows.integer(column).value_or(otherwise);
    };
    RocpdDispatch dispatch{whole(0, -1),     whole(1, -1),     whole(2, -1), whole(3, 0),
                           whole(4, 0),      whole(5, 0),      whole(6, 0),  whole(7, 0),
                           product(rows, 8), product(rows, 11)};
    if (recording.has_tracks) {
      const auto agent = agents.find(dispatch.agent);
      dispatch.agent = agent == agents.end() ? -1 : agent->second;
    }
    dispatches.push_back(dispatch);
  }
  if (!std::ranges::is_sorted(dispatches, {}, &RocpdDispatch::number))
    std::ranges::stable_sort(dispatches, {}, &RocpdDispatch::number);
  return dispatches;
}

/// Sums of the counters of one event after the other.
class EventSums {
 public:
  EventSums(LongCounters& counters, std::uint32_t first, std::size_t rows)
      : counters_(counters), first_(first), counted_(rows) {}

  void add(std::uint32_t row, std::size_t column, double value) {
    if (row != row_) flush();
    row_ = row;
    if (column >= sums_.size()) sums_.resize(column + 1);
    if (!sums_[column]) touched_.push_back(column);
    sums_[column] = sums_[column].value_or(0) + value;
  }

  /// Hands the sums on; those of a row that comes again are added to what it has.
  void flush() {
    if (touched_.empty()) return;
    std::uint32_t& counted = counted_[row_ - first_];
    for (const std::size_t column : touched_) {
      counters_.add(column, row_, *sums_[column], counted > 0);
      sums_[column].reset();
    }
    counted += static_cast<std::uint32_t>(touched_.size());
    touched_.clear();
  }

  /// Of each row, how many counters it has.
  const std::vector<std::uint32_t>& counted() const { return counted_; }

 private:
  LongCounters& counters_;
  std::uint32_t first_;
  std::uint32_t row_ = 0;
  std::vector<std::optional<double>> sums_;
  std::vector<std::size_t> touched_;
  std::vector<std::uint32_t> counted_;
};

/// Launches by their events.
class EventPlaces {
 public:
  explicit EventPlaces(const std::vector<RocpdDispatch>& launches) : launches_(launches) {
    order_.resize(launches.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::ranges::stable_sort(order_, {}, [&](std::uint32_t one) { return launches[one].event; });
  }

  /// The first launch of the event; as many as there are launches where it has none.
  std::size_t find(std::int64_t event) {
    // Values of an event stand together, and events in their order.
    if (at_ >= order_.size() || event_at(at_) != event) {
      if (at_ + 1 < order_.size() && event_at(at_ + 1) == event) {
        ++at_;
      } else {
        const auto found = std::ranges::lower_bound(
            order_, event, {}, [&](std::uint32_t one) { return launches_[one].event; });
        at_ = static_cast<std::size_t>(found - order_.begin());
      }
    }
    if (at_ >= order_.size() || event_at(at_) != event) return launches_.size();
    return order_[at_];
  }

 private:
  std::int64_t event_at(std::size_t at) const { return launches_[order_[at]].event; }

  const std::vector<RocpdDispatch>& launches_;
  std::vector<std::uint32_t> order_;
  std::size_t at_ = 0;
};

/// Reads all recordings of a replay into `counters`.
class ReplayReader {
 public:
  ReplayReader(LongCounters& counters, SystemFields& system, std::vector<ProfileNote>& notes)
      : counters_(counters), system_(system), notes_(notes) {}

  void read(const RocpdRecording& recording, const std::string& shown) {
    const auto agents = read_agents(recording);
    const auto symbols = read_symbols(recording);
    launches_ = read_launches(recording);
    // Which launches are left out is known once all values are read: until then the row of a launch
    // is its place behind the rows that there are.
    const std::uint32_t first = counters_.rows();
    const std::vector<bool> counted = add_counters(recording, first, shown);
    const bool any = std::ranges::find(counted, true) != counted.end();
    std::vector<std::uint32_t> rows(launches_.size());
    std::int64_t nameless = 0;
    std::set<std::int64_t> used;
    for (std::size_t i = 0; i < launches_.size(); ++i) {
      if (any && !counted[i]) continue;
      rows[i] = add_launch(launches_[i], agents, symbols);
      if (!symbols.contains(launches_[i].kernel)) ++nameless;
      if (used.empty() || *used.begin() != launches_[i].agent) used.insert(launches_[i].agent);
    }
    if (nameless > 0)
      notes_.push_back(
          {shown,
           fmt::format("{} of a kernel that it does not name",
                       nameless == 1 ? "1 launch is" : fmt::format("{} launches are", nameless))});
    note_chips(agents, used, shown);
    if (any)
      counters_.settle(first, rows);
    else
      notes_.push_back({shown, "it tells the kernels and their times; no counter is known"});
  }

 private:
  /// Rule 5.
  void note_chips(const std::unordered_map<std::int64_t, Agent>& agents,
                  const std::set<std::int64_t>& used, const std::string& shown) {
    std::set<std::string> chips;
    for (const std::int64_t one : used) {
      const auto agent = agents.find(one);
      if (agent != agents.end()) chips.insert(agent->second.name);
    }
    if (chips.size() < 2) return;
    notes_.push_back({shown, fmt::format("its launches ran on several chips ({}): panels and peaks "
                                         "are those of {}; choose launches with --gpu-id",
                                         fmt::join(chips, ", "), system_.front().second)});
  }

  std::uint32_t add_launch(const RocpdDispatch& launch,
                           const std::unordered_map<std::int64_t, Agent>& agents,
                           const std::unordered_map<std::int64_t, Symbol>& symbols) {
    LongDispatch fields;
    fields.start = launch.start;
    fields.end = launch.end;
    fields.lds = launch.lds;
    fields.scratch = launch.scratch;
    fields.grid = launch.grid;
    fields.workgroup = launch.workgroup;
    if (gpu_.empty() || launch.agent != last_agent_) {
      gpu_ = fmt::format("{}", launch.agent);
      last_agent_ = launch.agent;
    }
    const auto symbol = symbols.find(launch.kernel);
    fields.id = next_id_++;
    fields.gpu = gpu_;
    if (symbol != symbols.end()) {
      fields.kernel = symbol->second.name;
      fields.vgpr = symbol->second.vgpr;
      fields.accum_vgpr = symbol->second.accum_vgpr;
      fields.sgpr = symbol->second.sgpr;
    }
    if (system_.empty()) {
      const auto agent = agents.find(launch.agent);
      if (agent != agents.end()) describe(agent->second);
    }
    return counters_.row_of(fields);
  }

  void describe(const Agent& agent) {
    system_.emplace_back("gpu_arch", agent.name);
    system_.emplace_back("gpu_model", agent.product);
    const nlohmann::json details = nlohmann::json::parse(agent.details, nullptr, false);
    if (!details.is_object()) return;
    constexpr std::array<std::pair<const char*, const char*>, 7> kDetails = {{
        {"cu_count", "cu_per_gpu"},
        {"num_shader_banks", "se_per_gpu"},
        {"simd_per_cu", "simd_per_cu"},
        {"wave_front_size", "wave_size"},
        {"max_waves_per_cu", "max_waves_per_cu"},
        {"max_engine_clk_fcompute", "max_sclk"},
        {"num_xcc", "num_xcd"},
    }};
    for (const auto& [key, field] : kDetails) {
      const auto found = details.find(key);
      if (found != details.end() && found->is_number_integer() && *found > 0)
        system_.emplace_back(field, fmt::format("{}", found->get<std::int64_t>()));
    }
  }

  void take_times(const std::vector<std::uint32_t>& counted, std::uint32_t first) {
    for (std::uint32_t i = 0; i < counted.size(); ++i) {
      std::int64_t duration = 0;
      if (__builtin_sub_overflow(launches_[i].end, launches_[i].start, &duration)) duration = 0;
      if (counted[i] > 0) counters_.took(first + i, duration, counted[i]);
    }
  }

  /// Which launches have a counter. Values go to rows from `first` on.
  std::vector<bool> add_counters(const RocpdRecording& recording, std::uint32_t first,
                                 const std::string& shown) {
    Ids columns;
    ForeignRows names(recording.file, recording.table("rocpd_info_pmc"), {"id", "name"});
    while (names.next()) {
      const auto id = names.integer(0);
      if (id && !names.text(1).empty()) columns.set(*id, counters_.column_of(names.text(1)));
    }
    std::vector<bool> counted(launches_.size());
    EventSums sums(counters_, first, launches_.size());
    EventPlaces places(launches_);
    std::int64_t lost = 0, samples = 0;
    const std::string table = recording.table("rocpd_pmc_event");
    std::vector<std::string> wanted = {"event_id", "pmc_id", "value"};
    // Since schema 3.0.3 samples of streaming counters (SPM) stand there as well.
    const std::vector<std::string> there = recording.file.columns(table);
    const bool sampled = std::ranges::find(there, "sample_id") != there.end();
    if (sampled) wanted.emplace_back("sample_id");
    ForeignRows rows(recording.file, table, wanted);
    while (rows.next()) {
      if (sampled && !rows.is_null(3)) {
        ++samples;
        continue;
      }
      const auto event = rows.integer(0);
      const auto counter = rows.integer(1);
      const std::size_t place = event ? places.find(*event) : launches_.size();
      const bool known = place < launches_.size();
      if (known) counted[place] = true;
      const auto value = rows.number(2);
      const auto column = counter ? columns.find(*counter) : std::nullopt;
      if (!known || !column || !value) {
        ++lost;
        continue;
      }
      sums.add(first + static_cast<std::uint32_t>(place), *column, *value);
    }
    sums.flush();
    take_times(sums.counted(), first);
    if (lost > 0)
      notes_.push_back({shown, fmt::format("{} of no dispatch, of no counter or without a number; "
                                           "left out",
                                           count_of(lost, "value"))});
    if (samples > 0)
      notes_.push_back({shown, fmt::format("{} of streaming counters (SPM) left out: panels are "
                                           "made of counters of whole dispatches",
                                           count_of(samples, "sample"))});
    return counted;
  }

  LongCounters& counters_;
  SystemFields& system_;
  std::vector<ProfileNote>& notes_;
  std::vector<RocpdDispatch> launches_;
  std::int64_t next_id_ = 0;
  std::string gpu_;  ///< of the last launch
  std::int64_t last_agent_ = 0;
};

[[noreturn]] void refuse_schema(const ForeignDatabase& file, const std::string& what) {
  throw Error(fmt::format("'{}' {}", file.path(), what),
              "record with rocprofv3 --output-format rocpd, or rocprof-compute profile",
              ExitCode::missing);
}

/// The recordings of a file, each of a schema that is known.
std::vector<RocpdRecording> recordings_of(const ForeignDatabase& file) {
  constexpr std::string_view kMetadata = "rocpd_metadata";
  std::vector<RocpdRecording> recordings;
  for (const std::string& table : file.tables()) {
    if (!table.starts_with(kMetadata)) continue;
    std::string version;
    ForeignRows rows(file, table, {"tag", "value"});
    while (rows.next()) {
      if (rows.text(0) == "schema_version") version = std::string(rows.text(1));
    }
    const bool has_tracks = version == "4.1" || version.starts_with("4.1.");
    if (version != "3" && !version.starts_with("3.") && !has_tracks)
      refuse_schema(file, fmt::format("is of rocpd schema '{}', and heddle knows schemas 3 and 4.1",
                                      version.substr(0, 40)));
    recordings.push_back({file, table.substr(kMetadata.size()), has_tracks});
  }
  if (recordings.empty())
    refuse_schema(file, std::ranges::find(file.tables(), "rocpd_op") != file.tables().end()
                            ? "is a recording of the RPD tracer, which analyze does not read"
                            : "is a database, but not a recording of rocprofv3 (it has no table "
                              "rocpd_metadata)");
  return recordings;
}

struct DatabaseName {
  std::string replay;
  std::int64_t process = 0;
};

/// By rule 4.
DatabaseName parse_name(const std::string& name) {
  const std::filesystem::path path(name);
  const std::string stem = path.stem().string();
  if (name.starts_with("out/")) {
    const auto parts = split(name, '/');
    const auto process = parse_integer(std::string_view(stem).substr(0, stem.find('_')));
    return {parts.size() > 2 ? std::string(parts[1]) : std::string(), process.value_or(0)};
  }
  const std::size_t cut = stem.rfind('_');
  const auto process = cut == std::string::npos
                           ? std::nullopt
                           : parse_integer(std::string_view(stem).substr(cut + 1));
  if (process) return {stem.substr(0, cut), *process};
  return {stem, 0};
}

/// "pmc_perf_10" after "pmc_perf_9".
std::pair<std::string, std::int64_t> replay_order(const std::string& replay) {
  const std::size_t digits = replay.find_last_not_of("0123456789") + 1;
  const auto number = parse_integer(std::string_view(replay).substr(digits));
  return {replay.substr(0, digits), number.value_or(-1)};
}

}  // namespace

RocpdCounters read_rocpd(const std::map<std::string, std::filesystem::path>& databases,
                         Multiplexing multiplexing, std::vector<ProfileNote>& notes) {
  // Replay, then process, then name.
  std::map<std::pair<std::string, std::int64_t>,
           std::map<std::pair<std::int64_t, std::string>, std::filesystem::path>>
      replays;
  for (const auto& [name, path] : databases) {
    const DatabaseName parsed = parse_name(name);
    replays[replay_order(parsed.replay)][{parsed.process, name}] = path;
  }
  LongCounters counters;
  RocpdCounters result;
  for (const auto& [order, files] : replays) {
    ReplayReader reader(counters, result.system, notes);
    for (const auto& [process, path] : files) {
      const ForeignDatabase file(path.string());
      for (const RocpdRecording& recording : recordings_of(file))
        reader.read(recording, process.second);
    }
  }
  result.durations = counters.durations();
  result.table = std::move(counters).table(
      databases.size() == 1 ? databases.begin()->first : "*.db", multiplexing, notes);
  return result;
}

}  // namespace heddle::profile
