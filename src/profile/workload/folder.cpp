#include "profile/workload/folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "profile/workload/gunzip.h"
#include "profile/workload/recorded_names.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEntries = 4096;
/// out/pmc_perf_0/node/7_results.db
constexpr int kDatabaseDepth = 4;
constexpr const char* kNameFolder =
    "name the folder that holds pmc_perf.csv, such as workloads/vcopy/MI200";

bool is_table(const std::string& name) {
  return name.ends_with(".csv");
}

bool is_database(const std::string& name) {
  return name.ends_with(".db");
}

/// Files below `path` that are databases; `seen` counts entries.
void find_databases(const fs::path& path, const std::string& shown, int depth, std::size_t& seen,
                    WorkloadFolder& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (++seen > kMostEntries) {
      folder.truncated = true;
      return;
    }
    std::error_code status;
    const std::string name = entry->path().filename().string();
    // A link to a folder may lead anywhere, also back.
    if (entry->is_symlink(status)) continue;
    if (entry->is_directory(status) && depth > 0)
      find_databases(entry->path(), shown + name + "/", depth - 1, seen, folder);
    else if (is_database(name) && entry->is_regular_file(status))
      folder.databases.emplace(shown + name, entry->path());
  }
}

WorkloadFolder list_folder(const fs::path& path) {
  WorkloadFolder folder;
  folder.path = path;
  std::error_code error;
  std::size_t seen = 0;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (++seen > kMostEntries) {
      folder.truncated = true;
      break;
    }
    std::error_code status;
    std::string name = entry->path().filename().string();
    if (is_database(name) && entry->is_regular_file(status))
      folder.databases.emplace(name, entry->path());
    if (name.ends_with(kSamplesJson))
      folder.samples_as_json = std::max(folder.samples_as_json, name);
    const bool packed = name.ends_with(".gz");
    if (packed) name.resize(name.size() - 3);
    for (const char* const ending : {".csv.xz", ".csv.zst", ".csv.bz2", ".csv.zip"})
      if (name.ends_with(ending)) folder.packed_otherwise.insert(name);
    if (!is_table(name)) continue;
    // A pipe or a device would be waited for.
    if (!entry->is_regular_file(status)) {
      folder.odd.insert(name);
      continue;
    }
    // Unpacked wins.
    if (folder.files.contains(name)) folder.twice.insert(name);
    if (packed)
      folder.files.emplace(name, entry->path());
    else
      folder.files[name] = entry->path();
  }
  if (error)
    throw Error(fmt::format("cannot read the folder '{}': {}", path.string(), error.message()),
                "check its permissions", ExitCode::missing);
  if (fs::is_directory(path / "out", error))
    find_databases(path / "out", "out/", kDatabaseDepth, seen, folder);
  return folder;
}

bool holds_counters(const WorkloadFolder& folder) {
  return folder.odd.contains(kCountersFile) || !folder.databases.empty() ||
         std::ranges::any_of(folder.files, [](const auto& file) {
           const std::string& name = file.first;
           return name == kCountersFile || name == "sysinfo.csv" || name == "timestamps.csv" ||
                  name.find("pmc_perf_") != std::string::npos || name.starts_with("results_") ||
                  name.ends_with(kCollectionFile) || name.ends_with(kTraceFile);
         });
}

/// "iteration_multiplexing: kernel" of the options that the profiler was started with.
Multiplexing read_multiplexing(const fs::path& file, std::vector<ProfileNote>& notes) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return Multiplexing::none;
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  std::string text;
  try {
    text = read_text(file.string(), kMostBytes);
  } catch (const Error& failure) {
    notes.push_back({file.filename().string(), failure.message()});
    return Multiplexing::none;
  }
  constexpr std::string_view kKey = "iteration_multiplexing:";
  for (const std::string_view line : split_lines(text)) {
    if (!line.starts_with(kKey)) continue;
    const std::string_view value = trim(line.substr(kKey.size()));
    if (value == "kernel") return Multiplexing::kernel;
    if (value == "kernel_launch_params") return Multiplexing::launch;
    if (value != "null" && !value.empty())
      notes.push_back({file.filename().string(),
                       fmt::format("'{}' is not a kind of iteration multiplexing that heddle knows",
                                   value.substr(0, 40))});
  }
  return Multiplexing::none;
}

/// Recordings in formats that are not read, by their endings.
std::string other_recording(const fs::path& path) {
  std::error_code error;
  std::size_t seen = 0;
  std::vector<std::string> names;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (++seen > kMostEntries) break;
    const std::string name = entry->path().filename().string();
    for (const char* ending :
         {"_results.json", ".pftrace", ".otf2", ".rpd", ".ncu-rep", ".hatchet"}) {
      if (name.ends_with(ending)) names.push_back(name);
    }
  }
  return names.empty() ? std::string() : std::ranges::min(names);
}

[[noreturn]] void refuse(const std::string& path, std::vector<WorkloadFolder>& inner) {
  if (inner.empty()) {
    const std::string other = other_recording(path);
    if (other.ends_with(".ncu-rep") || other.ends_with(".hatchet"))
      throw Error(fmt::format("'{}' holds no pmc_perf.csv", path),
                  fmt::format("name the file: -p {}/{}", path, other), ExitCode::missing);
    if (!other.empty())
      throw Error(fmt::format("'{}' holds no pmc_perf.csv, and '{}' is of a format that analyze "
                              "does not read",
                              path, other),
                  "record again with rocprof-compute profile, or with rocprofv3 "
                  "--output-format csv or rocpd",
                  ExitCode::missing);
    throw Error(fmt::format("'{}' holds no pmc_perf.csv", path), kNameFolder, ExitCode::missing);
  }
  std::ranges::sort(inner, {}, &WorkloadFolder::path);
  std::string names;
  for (const WorkloadFolder& one : inner) names += (names.empty() ? "" : ", ") + one.path.string();
  throw Error(fmt::format("'{}' holds no pmc_perf.csv", path),
              "name one of: " + names + "; or --nodes, if they are the nodes or ranks of one job",
              ExitCode::missing);
}

/// The path of a database, as a folder that holds nothing else.
WorkloadFolder only_database(const fs::path& path) {
  WorkloadFolder folder;
  folder.path = path.parent_path();
  folder.databases.emplace(path.filename().string(), path);
  return folder;
}

/// "7_counter_collection.csv" and what else begins with "7_".
WorkloadFolder only_table(const fs::path& path) {
  const WorkloadFolder all = list_folder(path.parent_path().empty() ? "." : path.parent_path());
  WorkloadFolder folder;
  folder.path = all.path;
  std::string name = path.filename().string();
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  folder.files.emplace(name, path);
  for (const char* ending : {kCollectionFile, kTraceFile}) {
    if (!name.ends_with(ending)) continue;
    const std::string prefix = name.substr(0, name.size() - std::string_view(ending).size());
    for (const char* fellow : {kTraceFile, kAgentFile}) {
      const auto found = all.files.find(prefix + fellow);
      if (found != all.files.end()) folder.files.insert(*found);
    }
  }
  return folder;
}

/// "pmc_3" -> 3.
std::optional<std::int64_t> replay_number(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with("pmc_") ? parse_integer(std::string_view(name).substr(4)) : std::nullopt;
}

/// Several processes count their dispatches from 1 each.
void check_collections(const WorkloadFolder& folder) {
  std::vector<std::string> names;
  for (const auto& [name, file] : folder.files) {
    // What is in these is joined already.
    if (name.starts_with("pmc_perf") || name.starts_with("results_")) return;
    if (name.ends_with(kCollectionFile)) names.push_back(file.string());
  }
  if (names.size() > 1)
    throw Error(fmt::format("'{}' holds {} files of rocprofv3, of as many processes",
                            folder.path.string(), names.size()),
                fmt::format("name one of them, such as {}", names[0]), ExitCode::missing);
}

/// The replays of one program, one below the other, as one folder.
std::optional<WorkloadFolder> joined_replays(const std::string& path,
                                             const std::vector<WorkloadFolder>& inner) {
  WorkloadFolder joined;
  joined.path = path;
  for (const WorkloadFolder& one : inner) {
    const auto number = replay_number(one.path);
    if (!number || one.files.contains(kCountersFile)) return std::nullopt;
    check_collections(one);
    for (const auto& [name, file] : one.files)
      joined.files.emplace(fmt::format("pmc_{:04}/{}", *number, name), file);
  }
  return joined;
}

std::vector<WorkloadFolder> inner_folders(const std::string& path) {
  std::vector<WorkloadFolder> inner;
  std::error_code error;
  std::size_t seen = 0;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code status;
    if (++seen > kMostEntries || !entry->is_directory(status)) continue;
    try {
      WorkloadFolder candidate = list_folder(entry->path());
      if (holds_counters(candidate)) inner.push_back(std::move(candidate));
    } catch (const Error&) {
      continue;  // What may not be read is not a workload.
    }
  }
  return inner;
}

/// "results_pmc_perf_3.csv", "out/pmc_perf_3/node/7_results.db" -> 3.
std::optional<std::int64_t> pass_number(std::string_view name) {
  constexpr std::string_view kPass = "pmc_perf_";
  const std::size_t at = name.find(kPass);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = name.substr(at + kPass.size());
  return parse_integer(rest.substr(0, rest.find_first_not_of("0123456789")));
}

/// Passes that are missing between others; empty: none is.
std::string missing_passes(const std::set<std::int64_t>& numbers) {
  constexpr std::int64_t kMostShown = 5;
  std::string text;
  std::int64_t missing = 0;
  for (auto one = numbers.begin(); one != numbers.end() && std::next(one) != numbers.end(); ++one) {
    for (std::int64_t k = *one + 1; k < *std::next(one) && missing < kMostShown; ++k, ++missing)
      text += fmt::format("{}{}", text.empty() ? "" : ", ", k);
  }
  return missing == kMostShown ? text + ", ..." : text;
}

/// What is there and is not read, and what seems to be missing.
void note_files_left_out(const WorkloadFolder& folder, std::vector<ProfileNote>& notes) {
  for (const std::string& name : folder.odd)
    if (name != kCountersFile && name != "sysinfo.csv")
      notes.push_back({name, "it is not a file, or a link to none; left out"});
  for (const std::string& name : folder.packed_otherwise)
    notes.push_back({name, "it is packed in a way that heddle does not read; left out"});
  for (const std::string& name : folder.twice)
    notes.push_back({name, "it is there packed, too; the other one is read"});
  std::set<std::int64_t> tables;
  std::set<std::int64_t> databases;
  for (const auto& [name, file] : folder.files)
    if (const auto number = name.starts_with("results_") ? pass_number(name) : std::nullopt)
      tables.insert(*number);
  for (const auto& [name, file] : folder.databases)
    if (const auto number = pass_number(name)) databases.insert(*number);
  if (!tables.empty() && folder.files.contains(kCountersFile))
    notes.push_back({kCountersFile, "results_*.csv are beside it, and are not read"});
  for (const auto& [numbers, what] : {std::pair(&tables, "results_pmc_perf_N.csv"),
                                      std::pair(&databases, "databases of pmc_perf_N")})
    if (const std::string missing = missing_passes(*numbers); !missing.empty())
      notes.push_back(
          {what, fmt::format("there are {} to {}, but not {}: metrics that need more are blank",
                             *numbers->begin(), *numbers->rbegin(), missing)});
}

}  // namespace

WorkloadFolder find_folder(const std::string& path, std::vector<ProfileNote>& notes) {
  std::error_code error;
  if (is_database(path) && fs::is_regular_file(path, error)) return only_database(path);
  if (fs::is_regular_file(path, error)) return only_table(path);
  if (!fs::is_directory(path, error)) {
    throw Error(fs::exists(path, error) ? fmt::format("'{}' is not a folder", path)
                                        : fmt::format("there is no folder or file '{}'", path),
                kNameFolder, ExitCode::missing);
  }
  WorkloadFolder folder = list_folder(path);
  if (!holds_counters(folder)) {
    std::vector<WorkloadFolder> inner = inner_folders(path);
    if (std::optional<WorkloadFolder> joined;
        inner.size() > 1 && (joined = joined_replays(path, inner)))
      return std::move(*joined);
    if (inner.size() != 1) refuse(path, inner);
    notes.push_back({path, fmt::format("the workload is in '{}'", inner[0].path.string())});
    folder = std::move(inner[0]);
  }
  check_collections(folder);
  note_files_left_out(folder, notes);
  folder.multiplexing = read_multiplexing(folder.path / "profiling_config.yaml", notes);
  return folder;
}

std::optional<std::string> file_ending(const WorkloadFolder& folder, std::string_view ending) {
  for (const auto& [name, file] : folder.files) {
    if (name.ends_with(ending)) return name;
  }
  return std::nullopt;
}

std::string absence(const WorkloadFolder& folder, const std::string& name) {
  return folder.odd.contains(name) ? "it is not a file, or a link to none" : "the file is missing";
}

CounterTable read_table(const WorkloadFolder& folder, const std::string& name,
                        std::vector<ProfileNote>& notes) {
  const fs::path& file = folder.files.at(name);
  const std::string shown = file.filename().string();
  try {
    std::string text = read_text(file.string(), kTableBytes);
    if (is_gzip(text)) {
      Unpacked unpacked = gunzip(text, kTableBytes);
      if (!unpacked.damage.empty()) notes.push_back({shown, unpacked.damage});
      text = std::move(unpacked.text);
    } else if (shown.ends_with(".gz") && !text.empty()) {
      notes.push_back({shown, "it is not packed, whatever its name says; read as it is"});
    }
    CounterTable table(std::move(text), shown, notes);
    rename_columns(table);
    return table;
  } catch (const Error& error) {
    notes.push_back({shown, error.message()});
    return {};
  }
}

bool is_readable(const CounterTable& table) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!table.damaged(row)) return true;
  }
  return false;
}

std::vector<std::string> kernel_names(const CounterTable& table) {
  std::vector<std::string> names(table.rows());
  const auto column = table.find("Kernel_Name");
  for (std::size_t row = 0; column && row < table.rows(); ++row)
    names[row] = table.text(*column, row);
  return names;
}

}  // namespace heddle::profile
