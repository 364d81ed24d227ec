#include "measure/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "agent/program/bundle.h"
#include "agent/program/failure.h"
#include "agent/program/statistics.h"
#include "profile/counters/counters.h"
#include "support/csv_table.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle::measure {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostText = std::size_t{64} << 20;
constexpr std::size_t kMostRows = 1'000'000;  ///< of a table of samples
constexpr int kMostRounds = 1'000'000;
constexpr int kMostSize = 1'000'000'000;
constexpr double kLeastTime_us = 1e-6, kMostTime_us = 1e12;

/// A file of the folder, and nothing that only looks like one: opening a pipe would wait.
std::string read_plain(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    throw Error("there is no such file", "run the agent again, and copy its folder whole").in(path);
  return read_text(path, kMostText);
}

/// Texts of the agent's machine are shown on a terminal.
std::string clean(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte >= 0x7f ? '?' : c;
  }
  return result;
}

/// A table with named columns.
class Table {
 public:
  explicit Table(const std::string& path) : path_(path) {
    try {
      rows_ = parse_csv(read_plain(path), {kMostText, kMostRows});
    } catch (const Error& error) {
      throw error.source().empty() ? error.in(path) : error;
    }
    if (rows_.empty()) throw Error("the file has no header", kTry).in(path);
  }

  std::size_t rows() const { return rows_.size() - 1; }

  const std::string& field(std::size_t row, const char* column) const {
    const auto& names = rows_.front().fields;
    const auto found = std::ranges::find(names, column);
    if (found == names.end())
      throw Error(fmt::format("there is no column '{}'", column), kTry).in(path_);
    const CsvRow& line = rows_[row + 1];
    const auto place = static_cast<std::size_t>(found - names.begin());
    if (place >= line.fields.size())
      throw Error(fmt::format("line {} has too few fields", line.line), kTry).in(path_);
    return line.fields[place];
  }

  std::optional<double> number(std::size_t row, const char* column) const {
    const std::string& text = field(row, column);
    const auto value = parse_number(text);
    if (!value) return std::nullopt;
    return std::isfinite(*value) ? value : std::nullopt;
  }

  [[noreturn]] void refuse(std::size_t row, const char* column) const {
    throw Error(fmt::format("line {}: '{}' is not a valid {}", rows_[row + 1].line,
                            field(row, column), column),
                kTry)
        .in(path_);
  }

 private:
  static constexpr const char* kTry = "run the agent again, and copy its folder whole";
  static std::optional<double> parse_number(const std::string& text) {
    try {
      std::size_t end = 0;
      const double value = std::stod(text, &end);
      if (end == text.size()) return value;
    } catch (const std::exception&) {
      return std::nullopt;
    }
    return std::nullopt;
  }

  std::string path_;
  std::vector<CsvRow> rows_;
};

int whole_number(const Table& table, std::size_t row, const char* column, int most) {
  const auto value = table.number(row, column);
  if (!value || *value < 0 || *value > most || *value != std::floor(*value))
    table.refuse(row, column);
  return static_cast<int>(*value);
}

std::vector<CheckRow> read_checks(const std::string& path, int candidates) {
  const Table table(path);
  std::vector<CheckRow> checks;
  static const std::set<std::string> verdicts = {"equal", "close", "rejected"};
  for (std::size_t i = 0; i < table.rows(); ++i) {
    CheckRow row;
    row.candidate = whole_number(table, i, "candidate", candidates - 1);
    row.launch = table.field(i, "launch");
    row.seed = table.field(i, "seed");
    row.verdict = table.field(i, "verdict");
    row.kind = clean(table.field(i, "kind"));
    row.detail = clean(table.field(i, "detail"));
    if (!verdicts.contains(row.verdict)) table.refuse(i, "verdict");
    checks.push_back(std::move(row));
  }
  return checks;
}

/// "0", "3", "0b": digits and nothing else, so that a candidate has one name.
void check_candidate(const Table& table, std::size_t row, int candidates) {
  const std::string& name = table.field(row, "candidate");
  if (name == "0b") return;
  const auto number = parse_integer(name);
  if (!number || *number < 0 || *number >= candidates || name != std::to_string(*number))
    table.refuse(row, "candidate");
}

void read_samples(const std::string& path, int candidates,
                  std::map<std::string, PhaseTimes>& phases) {
  const Table table(path);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    check_candidate(table, i, candidates);
    const auto time = table.number(i, "time_us");
    if (!time || *time < kLeastTime_us || *time > kMostTime_us) table.refuse(i, "time_us");
    const std::string& phase = table.field(i, "phase");
    if (phase != "time" && phase != "confirm") table.refuse(i, "phase");
    const std::string& cache = table.field(i, "cache");
    if (cache != "cold" && cache != "warm") table.refuse(i, "cache");
    PhaseTimes& times = phases[phase];
    auto& by_candidate = cache == "cold" ? times.cold : times.warm;
    by_candidate[table.field(i, "candidate")][whole_number(table, i, "round", kMostRounds)] = *time;
  }
}

void read_warmup(const std::string& path, std::map<std::string, PhaseTimes>& phases) {
  const Table table(path);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto found = phases.find(table.field(i, "phase"));
    if (found != phases.end()) found->second.stable = table.field(i, "stable") == "stable";
  }
}

std::vector<ClockReading> read_clocks(const std::string& path) {
  const Table table(path);
  std::vector<ClockReading> clocks;
  for (std::size_t i = 0; i < table.rows(); ++i)
    clocks.push_back({table.number(i, "sm_mhz"), table.number(i, "memory_mhz"),
                      table.number(i, "temperature_c"), table.number(i, "power_w"),
                      table.field(i, "throttle")});
  return clocks;
}

std::map<int, CompiledFigures> read_compiled(const std::string& path, int candidates) {
  const Table table(path);
  std::map<int, CompiledFigures> compiled;
  const auto size = [&](std::size_t row, const char* column) -> std::optional<double> {
    if (table.field(row, column).empty()) return std::nullopt;
    return whole_number(table, row, column, kMostSize);
  };
  for (std::size_t i = 0; i < table.rows(); ++i)
    compiled[whole_number(table, i, "candidate", candidates - 1)] = {
        size(i, "registers"), size(i, "shared_bytes"), size(i, "spills")};
  return compiled;
}

std::vector<std::pair<std::string, std::string>> read_machine(const std::string& path) {
  std::vector<std::pair<std::string, std::string>> facts;
  const std::string text = read_plain(path);
  for (const std::string_view line : split_lines(text)) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) continue;
    facts.emplace_back(clean(line.substr(0, blank)), clean(trim(line.substr(blank + 1))));
  }
  return facts;
}

/// Fills in counters, or the reason why there are none.
void read_counters(const fs::path& folder, int candidates, AgentResults& results) {
  std::error_code error;
  if (!fs::exists(folder / "counters.txt", error)) {
    results.counters_reason = "the agent was not asked for counters";
    return;
  }
  const std::string text = read_plain((folder / "counters.txt").string());
  const std::string_view line = split_lines(text).empty() ? "" : split_lines(text).front();
  if (!line.starts_with("order")) {
    results.counters_reason = clean(trim(line.starts_with("refused") ? line.substr(7) : line));
    return;
  }
  std::vector<int> order;
  for (const std::string_view word : split(trim(line.substr(5)), ' ')) {
    const auto number = parse_integer(word);
    if (number && *number >= 0 && *number < candidates) order.push_back(static_cast<int>(*number));
  }
  std::vector<KernelCounters> launches;
  try {
    launches = profile::read_counters((folder / "counters.csv").string());
  } catch (const Error& problem) {
    results.counters_reason = problem.message();
    return;
  }
  if (launches.size() != order.size()) {
    results.counters_reason = fmt::format("the profiler counted {} instead of {} launches",
                                          launches.size(), order.size());
    return;
  }
  std::map<int, std::vector<KernelCounters>> by_candidate;
  for (std::size_t i = 0; i < order.size(); ++i) by_candidate[order[i]].push_back(launches[i]);
  for (const auto& [number, counted] : by_candidate)
    results.counters[number] = median_counters(counted);
}

/// What the agent said at its end: an Error unless it came through.
void check_end(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    throw Error(fmt::format("there are no results in '{}'", folder.parent_path().string()),
                "run the agent first: sh run.sh in that folder, on a machine with a GPU",
                ExitCode::missing);
  if (!fs::exists(folder / "done.txt", error))
    throw Error(fmt::format("the agent has not ended in '{}'", folder.parent_path().string()),
                "wait for it, or run it again", ExitCode::missing);
  const std::string text = read_plain((folder / "done.txt").string());
  if (trim(text) == "done") return;
  std::string_view rest = trim(text);
  ExitCode code = ExitCode::missing;
  if (rest.starts_with("failed ")) rest = trim(rest.substr(7));
  if (const auto number = parse_integer(rest.substr(0, rest.find(' '))))
    if (*number == static_cast<int>(ExitCode::target_failed)) code = ExitCode::target_failed;
  const std::size_t blank = rest.find(' ');
  const std::string why = clean(blank == std::string_view::npos ? rest : rest.substr(blank + 1));
  throw Error(fmt::format("nothing was measured: {}", why),
              "results/log.txt has what the kernels' processes said", code);
}

/// Results that were copied from elsewhere would be credited to orders that were never run.
void check_bundle(const std::string& folder,
                  const std::vector<std::pair<std::string, std::string>>& machine) {
  std::string digest;
  try {
    digest = agent::bundle_digest(folder);
  } catch (const agent::Failure& failure) {
    throw Error(failure.what(), failure.attempt());
  }
  const bool is_same = std::ranges::any_of(
      machine, [&](const auto& fact) { return fact.first == "bundle" && fact.second == digest; });
  if (!is_same)
    throw Error(
        fmt::format("the results in '{}' are of another bundle, or this one was changed since",
                    folder),
        "run the agent on this one");
}

}  // namespace

KernelCounters median_counters(const std::vector<KernelCounters>& launches) {
  KernelCounters result;
  if (launches.empty()) return result;
  result = launches.front();
  const auto take = [&](std::optional<double> KernelCounters::*figure) {
    std::vector<double> values;
    for (const KernelCounters& one : launches)
      if (one.*figure) values.push_back(*(one.*figure));
    result.*figure = values.size() == launches.size()
                         ? std::optional<double>(agent::median(std::move(values)))
                         : std::nullopt;
  };
  for (const auto figure : {&KernelCounters::time_us, &KernelCounters::l2_hit_pct,
                            &KernelCounters::l2_hits, &KernelCounters::l2_lookups,
                            &KernelCounters::dram_read_bytes, &KernelCounters::dram_write_bytes})
    take(figure);
  return result;
}

AgentResults read_results(const std::string& folder, int candidates) {
  const fs::path base = fs::path(folder) / "results";
  check_end(base);
  AgentResults results;
  const auto path = [&](const char* name) { return (base / name).string(); };
  results.machine = read_machine(path("machine.txt"));
  check_bundle(folder, results.machine);
  results.checks = read_checks(path("checks.csv"), candidates);
  std::error_code error;
  if (fs::exists(base / "samples.csv", error)) {
    read_samples(path("samples.csv"), candidates, results.phases);
    if (fs::exists(base / "warmup.csv", error)) read_warmup(path("warmup.csv"), results.phases);
  }
  if (fs::exists(base / "clocks.csv", error)) results.clocks = read_clocks(path("clocks.csv"));
  if (fs::exists(base / "compiled.csv", error))
    results.compiled = read_compiled(path("compiled.csv"), candidates);
  read_counters(base, candidates, results);
  return results;
}

}  // namespace heddle::measure
