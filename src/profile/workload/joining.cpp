#include "profile/workload/joining.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

#include "profile/workload/long_counters.h"
#include "profile/workload/rocpd.h"
#include "support/csv.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

constexpr const char* kParts = "pmc_perf_*.csv";
constexpr const char* kPasses = "results_*.csv";
constexpr const char* kProfileAgain = "profile again, or name another folder";

/// "results_pmc_perf_3" -> its number; nothing for other names.
std::optional<std::int64_t> part_number(const std::string& name) {
  std::string_view rest = name;
  if (rest.starts_with("results_")) rest.remove_prefix(8);
  if (!rest.starts_with("pmc_perf_") || !rest.ends_with(".csv")) return std::nullopt;
  return parse_integer(rest.substr(9, rest.size() - 13));
}

/// Columns of all tables, each once. A row that is damaged in one of them stays damaged.
CounterTable side_by_side(const std::vector<CounterTable>& tables,
                          std::vector<ProfileNote>& notes) {
  std::string text;
  std::set<std::string> seen;
  std::vector<std::pair<std::size_t, std::size_t>> picked;  // table, column
  for (std::size_t t = 0; t < tables.size(); ++t) {
    for (std::size_t c = 0; c < tables[t].columns().size(); ++c) {
      if (!seen.insert(tables[t].columns()[c]).second) continue;
      text += (picked.empty() ? "" : ",") + csv_field(tables[t].columns()[c]);
      picked.emplace_back(t, c);
    }
  }
  text += '\n';
  for (std::size_t row = 0; row < tables[0].rows(); ++row) {
    for (std::size_t i = 0; i < picked.size(); ++i)
      text += (i == 0 ? "" : ",") + csv_field(tables[picked[i].first].text(picked[i].second, row));
    text += '\n';
    if (text.size() > kTableBytes) {
      notes.push_back({kParts, "the parts together are larger than is read"});
      break;
    }
  }
  CounterTable joined(std::move(text), kParts, notes);
  for (const CounterTable& table : tables) {
    for (std::size_t row = 0; row < joined.rows(); ++row) {
      if (table.damaged(row)) joined.leave_out(row);
    }
  }
  return joined;
}

/// Whether rows are about the same kernels, as far as they can be read.
bool same_kernels(const CounterTable& a, const CounterTable& b) {
  if (a.rows() != b.rows()) return false;
  const std::vector<std::string> of_a = kernel_names(a), of_b = kernel_names(b);
  for (std::size_t row = 0; row < a.rows(); ++row) {
    if (!a.damaged(row) && !b.damaged(row) && of_a[row] != of_b[row]) return false;
  }
  return true;
}

/// A launch of one replay: its id, then what a replay has to repeat.
struct LaunchKind {
  std::int64_t id = 0;
  std::string kernel, grid, workgroup;
};

/// In the order of their ids; nothing where a row has no id.
std::vector<LaunchKind> launches_of(const CounterTable& table) {
  const auto id = table.find("Dispatch_ID");
  const auto kernel = table.find("Kernel_Name");
  if (!id || !kernel) return {};
  const auto grid = table.find("Grid_Size"), workgroup = table.find("Workgroup_Size");
  std::map<std::int64_t, LaunchKind> launches;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto number = table.damaged(row) ? std::nullopt : table.integer(*id, row);
    if (!number || launches.contains(*number)) continue;
    launches[*number] = {*number, table.text(*kernel, row),
                         grid ? table.text(*grid, row) : std::string(),
                         workgroup ? table.text(*workgroup, row) : std::string()};
  }
  std::vector<LaunchKind> list;
  for (auto& [number, launch] : launches) list.push_back(std::move(launch));
  return list;
}

/// The first replay's ids of another one's launches; nothing where these are not the same launches in
/// the same order, or have an id in common and are not all numbered as far from the first's.
std::unordered_map<std::int64_t, std::int64_t> paired_ids(const std::vector<LaunchKind>& first,
                                                          const std::vector<LaunchKind>& other) {
  std::unordered_map<std::int64_t, std::int64_t> ids;
  if (first.size() != other.size() || first.empty() || other[0].id == first[0].id) return {};
  const auto distance = [&](std::size_t i) {
    return static_cast<std::uint64_t>(other[i].id) - static_cast<std::uint64_t>(first[i].id);
  };
  for (std::size_t i = 0; i < first.size(); ++i) {
    const bool is_known = std::ranges::binary_search(first, other[i].id, {}, &LaunchKind::id);
    if ((is_known && distance(i) != distance(0)) || first[i].kernel != other[i].kernel ||
        first[i].grid != other[i].grid || first[i].workgroup != other[i].workgroup)
      return {};
    ids.emplace(other[i].id, first[i].id);
  }
  return ids;
}

/// A replay is made for counters of its own; a part of the dispatches has those of the others.
bool counts_something_new(const CounterTable& table, const LongCounters& known) {
  const auto name = table.find("Counter_Name");
  for (std::size_t row = 0; name && row < table.rows(); ++row) {
    if (!table.damaged(row) && !known.counts(table.text(*name, row))) return true;
  }
  return false;
}

/// Files of replays that hold a row for each counter: pass by pass.
void join_passes(const WorkloadFolder& folder, const std::vector<std::string>& names,
                 JoinedCounters& joined, std::vector<ProfileNote>& notes) {
  LongCounters counters;
  std::vector<LaunchKind> launches;
  for (const std::string& name : names) {
    const CounterTable table = read_table(folder, name, notes);
    if (!is_readable(table)) continue;
    if (!is_long(table))
      throw Error(
          fmt::format("'{}' has a row for each dispatch, where other files of the recording "
                      "have one for each counter",
                      folder.files.at(name).string()),
          kProfileAgain, ExitCode::missing);
    const std::vector<LaunchKind> its = launches_of(table);
    std::unordered_map<std::int64_t, std::int64_t> ids;
    if (launches.empty())
      launches = its;
    else if (counts_something_new(table, counters))
      ids = paired_ids(launches, its);
    if (!ids.empty())
      notes.push_back({name,
                       "its ids are not those of the first replay; its launches are, in the "
                       "same order: they are paired by their place"});
    counters.add_table(table, name, notes, ids);
  }
  joined.durations = counters.durations();
  joined.table = std::move(counters).table(kPasses, folder.multiplexing, notes);
}

/// Files of single replays, in the order of their numbers.
std::vector<std::string> part_names(const WorkloadFolder& folder) {
  std::map<std::pair<std::int64_t, std::string>, std::string> parts;
  for (const auto& [name, file] : folder.files) {
    if (const auto number = part_number(name))
      parts.emplace(std::pair(*number, std::string()), name);
    else if (name.starts_with("results_") || name.ends_with("counter_collection.csv"))
      parts.emplace(std::pair(std::int64_t{1} << 40, name), name);
  }
  std::vector<std::string> names;
  for (const auto& [order, name] : parts) names.push_back(name);
  return names;
}

/// Parts whose rows have the same kernels, side by side.
CounterTable join_parts(const WorkloadFolder& folder, const std::vector<std::string>& names,
                        std::vector<ProfileNote>& notes) {
  std::vector<CounterTable> tables;
  for (const std::string& name : names) {
    CounterTable table = read_table(folder, name, notes);
    if (!is_readable(table)) continue;
    if (!tables.empty() && !same_kernels(tables[0], table)) {
      notes.push_back({name, "its dispatches are not those of the first part; left out"});
      continue;
    }
    tables.push_back(std::move(table));
  }
  if (tables.empty()) return {};
  return side_by_side(tables, notes);
}

/// Not of something else under a name of counters.
bool is_of_dispatches(const CounterTable& table, const std::string& file,
                      std::vector<ProfileNote>& notes) {
  for (const char* column : {"Counter_Name", "Counter_Value"}) {
    if (!table.has(column)) continue;
    notes.push_back({file, fmt::format("it has {}, and of Counter_Name and Counter_Value only one: "
                                       "its form is not known",
                                       column)});
    return false;
  }
  for (const char* column : {"Kernel_Name", "Dispatch_ID", "Start_Timestamp"}) {
    if (table.has(column)) return true;
  }
  std::string some;
  for (std::size_t i = 0; i < std::min<std::size_t>(table.columns().size(), 4); ++i)
    some += (some.empty() ? "" : ", ") + table.columns()[i];
  notes.push_back(
      {file, fmt::format("it is not a table of dispatches that heddle knows: it has {} ({}{}), and "
                         "none of Kernel_Name, Dispatch_ID, Start_Timestamp",
                         count_of(static_cast<std::int64_t>(table.columns().size()), "column"),
                         some, table.columns().size() > 4 ? ", ..." : "")});
  return false;
}

/// Omniperf 1.x leaves rows without names where its filters matched no dispatch.
bool names_a_kernel(const CounterTable& table, const std::string& file,
                    std::vector<ProfileNote>& notes) {
  const std::vector<std::string> names = kernel_names(table);
  const auto named = [](const std::string& name) { return !name.empty(); };
  if (!table.has("Kernel_Name") || std::ranges::any_of(names, named)) return true;
  notes.push_back({file, "no row of it names a kernel"});
  return false;
}

/// Whether the first of them that can be read has a row for each counter.
bool are_long(const WorkloadFolder& folder, const std::vector<std::string>& names) {
  std::vector<ProfileNote> unheard;
  for (const std::string& name : names) {
    const CounterTable table = read_table(folder, name, unheard);
    if (is_readable(table)) return is_long(table);
  }
  return false;
}

bool read_whole(const WorkloadFolder& folder, JoinedCounters& joined,
                std::vector<ProfileNote>& notes) {
  if (!folder.files.contains(kCountersFile)) return false;
  CounterTable table = read_table(folder, kCountersFile, notes);
  joined.file = folder.files.at(kCountersFile).filename().string();
  if (!is_readable(table)) return false;
  joined.is_long = is_long(table);
  if (joined.is_long) {
    LongCounters counters;
    counters.add_table(table, joined.file, notes);
    joined.durations = counters.durations();
    table = std::move(counters).table(joined.file, folder.multiplexing, notes);
  }
  if (!is_readable(table) || !is_of_dispatches(table, joined.file, notes) ||
      !names_a_kernel(table, joined.file, notes))
    return false;
  joined.table = std::move(table);
  return true;
}

bool read_parts(const WorkloadFolder& folder, JoinedCounters& joined,
                std::vector<ProfileNote>& notes) {
  const std::vector<std::string> names = part_names(folder);
  joined.durations.clear();
  joined.is_long = are_long(folder, names);
  joined.file = joined.is_long ? kPasses : kParts;
  if (!joined.is_long && !folder.files.contains(kCountersFile) && !file_ending(folder, kTraceFile))
    notes.push_back({kCountersFile, absence(folder, kCountersFile)});
  if (joined.is_long)
    join_passes(folder, names, joined, notes);
  else
    joined.table = join_parts(folder, names, notes);
  if (!is_readable(joined.table) || !is_of_dispatches(joined.table, joined.file, notes)) {
    joined.table = {};
    return false;
  }
  if (!joined.is_long) notes.push_back({joined.file, "its parts were joined by row instead"});
  return true;
}

bool read_trace(const WorkloadFolder& folder, JoinedCounters& joined,
                std::vector<ProfileNote>& notes) {
  const auto name = file_ending(folder, kTraceFile);
  if (!name || file_ending(folder, kCollectionFile)) return false;
  CounterTable table = read_table(folder, *name, notes);
  if (!is_readable(table) || !is_of_dispatches(table, *name, notes)) return false;
  joined.table = std::move(table);
  joined.file = *name;
  joined.times_only = true;
  notes.push_back({*name, "it tells the kernels and their times; no counter is known"});
  return true;
}

/// What rocprofv3 tells of the GPU of the first dispatch, or of the first GPU.
SystemFields read_agents(const WorkloadFolder& folder, const CounterTable& counters,
                         std::vector<ProfileNote>& notes) {
  SystemFields system;
  const auto name = file_ending(folder, kAgentFile);
  if (!name) return system;
  const CounterTable agents = read_table(folder, *name, notes);
  const auto type = agents.find("Agent_Type"), node = agents.find("Node_Id");
  const auto gpu = counters.find("GPU_ID");
  if (!type || !node) return system;
  std::string used = gpu && counters.rows() > 0 ? counters.text(*gpu, 0) : std::string();
  used = used.substr(used.rfind(' ') + 1);  // "Agent 4"
  std::optional<std::size_t> chosen;
  for (std::size_t row = 0; row < agents.rows(); ++row) {
    if (agents.damaged(row) || agents.text(*type, row) != "GPU") continue;
    if (!chosen || agents.text(*node, row) == used) chosen = row;
  }
  if (!chosen) return system;
  constexpr std::array<std::pair<const char*, const char*>, 9> kFields = {{
      {"Name", "gpu_arch"},
      {"Product_Name", "gpu_model"},
      {"Cu_Count", "cu_per_gpu"},
      {"Num_Shader_Banks", "se_per_gpu"},
      {"Simd_Per_Cu", "simd_per_cu"},
      {"Wave_Front_Size", "wave_size"},
      {"Max_Waves_Per_Cu", "max_waves_per_cu"},
      {"Max_Engine_Clk_Fcompute", "max_sclk"},
      {"Num_Xcc", "num_xcd"},
  }};
  for (const auto& [column, field] : kFields) {
    const auto place = agents.find(column);
    const std::string text = place ? agents.text(*place, *chosen) : std::string();
    if (!text.empty() && text != "0") system.emplace_back(field, text);
  }
  return system;
}

bool read_databases(const WorkloadFolder& folder, JoinedCounters& joined,
                    std::vector<ProfileNote>& notes) {
  if (folder.databases.empty()) return false;
  RocpdCounters counters = read_rocpd(folder.databases, folder.multiplexing, notes);
  if (!is_readable(counters.table)) return false;
  joined.table = std::move(counters.table);
  joined.durations = std::move(counters.durations);
  joined.system = std::move(counters.system);
  joined.file = folder.databases.size() == 1 ? folder.databases.begin()->first : "*.db";
  joined.is_long = true;
  return true;
}

}  // namespace

CounterTable turned(CounterTable table, const std::string& shown, Multiplexing multiplexing,
                    std::vector<ProfileNote>& notes) {
  if (!is_long(table)) return table;
  LongCounters counters;
  counters.add_table(table, shown, notes);
  return std::move(counters).table(shown, multiplexing, notes);
}

JoinedCounters read_counters(const WorkloadFolder& folder, std::vector<ProfileNote>& notes) {
  JoinedCounters joined;
  if (read_whole(folder, joined, notes)) return joined;
  std::vector<ProfileNote> about_parts;
  if (read_parts(folder, joined, about_parts) || !read_databases(folder, joined, notes))
    notes.insert(notes.end(), about_parts.begin(), about_parts.end());
  if (!is_readable(joined.table)) read_trace(folder, joined, notes);
  if (is_readable(joined.table)) {
    if (joined.system.empty()) joined.system = read_agents(folder, joined.table, notes);
    return joined;
  }
  if (folder.files.contains("timestamps.csv")) {
    joined = {};
    joined.table = read_table(folder, "timestamps.csv", notes);
    joined.file = "timestamps.csv";
    if (is_readable(joined.table))
      notes.push_back(
          {"timestamps.csv", "it tells the kernels and their times; no counter is known"});
  }
  return joined;
}

}  // namespace heddle::profile
