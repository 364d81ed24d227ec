#include "profile/workload/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "profile/workload/gunzip.h"
#include "support/csv.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCountersFile = "pmc_perf.csv";
constexpr const char* kParts = "pmc_perf_*.csv";
constexpr std::size_t kMostEntries = 4096;

/// The folder's files, by name; ".gz" is not part of a name.
struct Folder {
  fs::path path;
  std::map<std::string, fs::path> files;
  std::set<std::string> odd;  ///< pipes, folders, links to nothing that have a table's name
  bool truncated = false;
};

bool is_table(const std::string& name) {
  return name.ends_with(".csv");
}

Folder list_folder(const fs::path& path) {
  Folder folder{path, {}, {}, false};
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
    const bool packed = name.ends_with(".gz");
    if (packed) name.resize(name.size() - 3);
    if (!is_table(name)) continue;
    // A pipe or a device would be waited for.
    if (!entry->is_regular_file(status)) {
      folder.odd.insert(name);
      continue;
    }
    // Unpacked wins.
    if (packed)
      folder.files.emplace(name, entry->path());
    else
      folder.files[name] = entry->path();
  }
  if (error)
    throw Error(fmt::format("cannot read the folder '{}': {}", path.string(), error.message()),
                "check its permissions", ExitCode::missing);
  return folder;
}

bool holds_counters(const Folder& folder) {
  return folder.odd.contains(kCountersFile) ||
         std::ranges::any_of(folder.files, [](const auto& file) {
           return file.first == kCountersFile || file.first == "sysinfo.csv" ||
                  file.first == "timestamps.csv" ||
                  file.first.find("pmc_perf_") != std::string::npos;
         });
}

/// Why the folder has no such file.
std::string absence(const Folder& folder, const std::string& name) {
  return folder.odd.contains(name) ? "it is not a file, or a link to none" : "the file is missing";
}

/// The folder itself, or the only one inside it that holds a workload.
Folder find_folder(const std::string& path, std::vector<ProfileNote>& notes) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    throw Error(fs::exists(path, error) ? fmt::format("'{}' is not a folder", path)
                                        : fmt::format("there is no folder '{}'", path),
                "name the folder that holds pmc_perf.csv, such as workloads/vcopy/MI200",
                ExitCode::missing);
  }
  Folder folder = list_folder(path);
  if (holds_counters(folder)) return folder;
  std::vector<Folder> inner;
  std::size_t seen = 0;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code status;
    if (++seen > kMostEntries || !entry->is_directory(status)) continue;
    try {
      Folder candidate = list_folder(entry->path());
      if (holds_counters(candidate)) inner.push_back(std::move(candidate));
    } catch (const Error&) {
      continue;  // What may not be read is not a workload.
    }
  }
  if (inner.size() == 1) {
    notes.push_back({path, fmt::format("the workload is in '{}'", inner[0].path.string())});
    return std::move(inner[0]);
  }
  std::ranges::sort(inner, {}, &Folder::path);
  std::string names;
  for (const Folder& one : inner) names += (names.empty() ? "" : ", ") + one.path.string();
  throw Error(fmt::format("'{}' holds no pmc_perf.csv", path),
              inner.empty()
                  ? "name the folder that holds pmc_perf.csv, such as workloads/vcopy/MI200"
                  : "name one of: " + names,
              ExitCode::missing);
}

/// An empty table where it cannot be read; notes say why.
CounterTable read_table(const Folder& folder, const std::string& name,
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
    return CounterTable(std::move(text), shown, notes);
  } catch (const Error& error) {
    notes.push_back({shown, error.message()});
    return {};
  }
}

/// Whether any row is left.
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

/// Parts whose rows have the same kernels, side by side.
CounterTable join_parts(const Folder& folder, std::vector<ProfileNote>& notes) {
  std::map<std::int64_t, std::string> parts;
  for (const auto& [name, file] : folder.files) {
    if (const auto number = part_number(name)) parts[*number] = name;
  }
  std::vector<CounterTable> tables;
  for (const auto& [number, name] : parts) {
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

void read_counters(const Folder& folder, Workload& workload) {
  std::vector<ProfileNote>& notes = workload.notes;
  if (folder.files.contains(kCountersFile)) {
    workload.counters = read_table(folder, kCountersFile, notes);
    workload.counters_file = folder.files.at(kCountersFile).filename().string();
    if (is_readable(workload.counters)) return;
  } else {
    notes.push_back({kCountersFile, absence(folder, kCountersFile)});
  }
  workload.counters = join_parts(folder, notes);
  if (is_readable(workload.counters)) {
    workload.counters_file = kParts;
    notes.push_back({workload.counters_file, "its parts were joined by row instead"});
    return;
  }
  if (folder.files.contains("timestamps.csv")) {
    workload.counters = read_table(folder, "timestamps.csv", notes);
    workload.counters_file = "timestamps.csv";
    if (is_readable(workload.counters))
      notes.push_back(
          {"timestamps.csv", "it tells the kernels and their times; no counter is known"});
  }
}

/// Notes rows that are about another kernel than the row of `counters` in their place.
void note_others(const CounterTable& table, const CounterTable& counters,
                 const std::vector<std::string>& kernels, const std::string& name,
                 std::vector<ProfileNote>& notes) {
  if (!table.has("Kernel_Name") || !counters.has("Kernel_Name")) return;
  const std::vector<std::string> own = kernel_names(table);
  std::int64_t others = 0;
  for (std::size_t row = 0; row < std::min(own.size(), kernels.size()); ++row) {
    if (!table.damaged(row) && !counters.damaged(row) && own[row] != kernels[row]) ++others;
  }
  if (others > 0)
    notes.push_back({name, fmt::format("{} of another kernel than there are in the same places of "
                                       "the counters",
                                       count_of(others, "row"))});
}

void read_levels(const Folder& folder, Workload& workload) {
  const std::vector<std::string> kernels = kernel_names(workload.counters);
  for (const auto& [name, file] : folder.files) {
    if (!name.starts_with("SQ")) continue;
    CounterTable table = read_table(folder, name, workload.notes);
    if (table.rows() != 0 && table.rows() != kernels.size())
      workload.notes.push_back(
          {name, fmt::format("it has {}, {} {}; rows are paired by place",
                             count_of(static_cast<std::int64_t>(table.rows()), "row"),
                             workload.counters_file, kernels.size())});
    note_others(table, workload.counters, kernels, name, workload.notes);
    workload.levels.emplace(name.substr(0, name.size() - 4), std::move(table));
  }
}

void read_system(const Folder& folder, Workload& workload) {
  if (!folder.files.contains("sysinfo.csv")) {
    workload.notes.push_back(
        {"sysinfo.csv", absence(folder, "sysinfo.csv") + ": peaks are not known"});
    return;
  }
  const CounterTable table = read_table(folder, "sysinfo.csv", workload.notes);
  std::size_t row = 0;
  while (row < table.rows() && table.damaged(row)) ++row;
  if (row == table.rows()) return;
  for (std::size_t column = 0; column < table.columns().size(); ++column)
    workload.system.emplace_back(table.columns()[column], table.text(column, row));
}

/// Counters of the L2's way to memory have other names on MI300.
std::string guessed_arch(const CounterTable& counters) {
  for (const std::string& name : counters.columns()) {
    if (name.starts_with("TCC_EA0_")) return "gfx942";
    if (name.starts_with("TCC_EA_")) return "gfx90a";
  }
  return {};
}

void find_arch(Workload& workload) {
  if (const std::string* arch = workload.system_text("gpu_arch")) {
    // "gfx90a:sramecc+:xnack-"
    workload.arch = arch->substr(0, arch->find(':'));
    return;
  }
  workload.arch = guessed_arch(workload.counters);
  workload.arch_guessed = !workload.arch.empty();
  if (workload.arch_guessed)
    workload.notes.push_back(
        {"sysinfo.csv", fmt::format("no gpu_arch; the names of counters say {}", workload.arch)});
}

/// A time stamp. Nanoseconds since 1970 have more digits than a double.
struct Instant {
  std::int64_t whole = 0;
  double part = 0;
  double value = 0;  ///< both, as a double
  bool rounded = false;
};

/// "1.41155e+15": fewer digits than nanoseconds.
bool is_rounded(std::string_view text, double value) {
  const std::size_t exponent_at = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, exponent_at);
  const auto digits = std::ranges::count_if(mantissa, [](char c) { return c >= '0' && c <= '9'; });
  return static_cast<double>(digits) < std::floor(std::log10(std::max(value, 1.0))) + 1;
}

std::optional<Instant> instant_of(const CounterTable& table, std::size_t column, std::size_t row) {
  if (const auto whole = table.integer(column, row))
    return Instant{*whole, 0, static_cast<double>(*whole), false};
  const std::string text = table.text(column, row);
  const auto value = parse_number(text);
  if (!value || std::abs(*value) >= 9.2e18) return std::nullopt;
  const double whole = std::floor(*value);
  Instant instant{static_cast<std::int64_t>(whole), *value - whole, *value,
                  is_rounded(text, *value)};
  // A mean of several runs has a fraction.
  const std::size_t point = text.find('.');
  if (text.find_first_of("eE-") == std::string::npos && point != std::string::npos) {
    const auto exact = parse_integer(trim(std::string_view(text).substr(0, point)));
    const auto part = parse_number("0" + text.substr(point));
    if (exact && part) instant = {*exact, *part, *value, false};
  }
  return instant;
}

void set_duration(const CounterTable& table, std::size_t start, std::size_t end,
                  Dispatch& dispatch) {
  const auto from = instant_of(table, start, dispatch.row);
  const auto to = instant_of(table, end, dispatch.row);
  std::int64_t between = 0;
  if (!from || !to || __builtin_sub_overflow(to->whole, from->whole, &between)) return;
  dispatch.duration_ns = static_cast<double>(between) + (to->part - from->part);
  // A fraction is what is left of a mean of runs; its text stands for a double, as the original
  // reads it. Numbers beyond 2^53 with a fraction were never doubles: their digits count.
  constexpr double kWholeDoubles = 9007199254740992.0;
  if ((from->part != 0 || to->part != 0) && std::abs(to->value) < kWholeDoubles)
    dispatch.duration_ns = to->value - from->value;
  dispatch.rounded_time = from->rounded || to->rounded;
}

void read_dispatches(Workload& workload) {
  const CounterTable& table = workload.counters;
  const auto id = table.find("Dispatch_ID");
  const auto kernel = table.find("Kernel_Name");
  const auto gpu = table.find("GPU_ID");
  const auto start = table.find("Start_Timestamp");
  const auto end = table.find("End_Timestamp");
  if (!kernel) workload.notes.push_back({workload.counters_file, "there is no column Kernel_Name"});
  if (!start || !end)
    workload.notes.push_back({workload.counters_file,
                              "Start_Timestamp or End_Timestamp is missing: no times are known"});
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.damaged(row)) continue;
    Dispatch dispatch;
    dispatch.row = row;
    dispatch.id = static_cast<std::int64_t>(row);
    if (id) dispatch.id = table.integer(*id, row).value_or(dispatch.id);
    if (kernel) dispatch.kernel = table.text(*kernel, row);
    if (gpu) {
      const auto number = table.integer(*gpu, row);  // "2.0" is GPU 2
      dispatch.gpu = number ? fmt::format("{}", *number) : table.text(*gpu, row);
    }
    if (start && end) set_duration(table, *start, *end, dispatch);
    workload.dispatches.push_back(std::move(dispatch));
  }
}

}  // namespace

const std::string* Workload::system_text(const std::string& name) const {
  for (const auto& [key, value] : system) {
    if (key == name) return value.empty() ? nullptr : &value;
  }
  return nullptr;
}

std::optional<double> Workload::system_number(const std::string& name) const {
  const std::string* text = system_text(name);
  return text == nullptr ? std::nullopt : parse_number(*text);
}

Workload read_workload(const std::string& path) {
  Workload workload;
  workload.path = path;
  const Folder folder = find_folder(path, workload.notes);
  if (folder.truncated)
    workload.notes.push_back({path, "the folder has very many entries; not all were looked at"});
  read_counters(folder, workload);
  if (!is_readable(workload.counters)) {
    std::string reasons;
    for (const ProfileNote& note : workload.notes)
      reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", note.where, note.what);
    throw Error(fmt::format("'{}' holds no counters that can be read ({})", path, reasons),
                "profile again, or name another folder", ExitCode::missing);
  }
  read_system(folder, workload);
  read_levels(folder, workload);
  if (folder.files.contains("roofline.csv"))
    workload.roofline = read_table(folder, "roofline.csv", workload.notes);
  find_arch(workload);
  read_dispatches(workload);
  return workload;
}

}  // namespace heddle::profile
