#include "profile/counters/ncu_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "profile/counters/counters.h"
#include "profile/workload/counter_table.h"
#include "support/child_process.h"
#include "support/lists.h"
#include "support/program_path.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::chrono::milliseconds kImportTime{120'000};
constexpr std::size_t kImportMemory = std::size_t{8} << 30;

constexpr std::array<std::pair<std::string_view, double>, 8> kTimes = {{{"nsecond", 1},
                                                                        {"ns", 1},
                                                                        {"usecond", 1e3},
                                                                        {"us", 1e3},
                                                                        {"msecond", 1e6},
                                                                        {"ms", 1e6},
                                                                        {"second", 1e9},
                                                                        {"s", 1e9}}};
constexpr std::array<std::pair<char, double>, 5> kPrefixes = {
    {{'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}, {'P', 1e15}}};
/// Things that ncu counts, as its units call them.
constexpr std::array<std::string_view, 18> kStems = {
    "byte",  "sector",   "sectors", "inst",   "instr",    "instruction",
    "cycle", "warp",     "thread",  "block",  "request",  "SM",
    "hz",    "register", "pass",    "sample", "branches", "cluster"};

std::optional<double> time_factor(std::string_view unit) {
  for (const auto& [name, factor] : kTimes) {
    if (unit == name) return factor;
  }
  return std::nullopt;
}

/// "Mbyte" is 1e6 of "byte"; nothing where the rest is not known.
bool take_stem(std::string_view text, NcuUnit& unit) {
  if (is_one_of(text, kStems)) {
    unit.stem = text;
    return true;
  }
  if (text.empty()) return false;
  for (const auto& [letter, factor] : kPrefixes) {
    if (text.front() != letter || !is_one_of(text.substr(1), kStems)) continue;
    unit.stem = text.substr(1);
    unit.factor = factor;
    return true;
  }
  return false;
}

std::string_view without_mark(std::string_view line) {
  return line.starts_with(kByteOrderMark) ? line.substr(kByteOrderMark.size()) : line;
}

bool is_header(std::string_view line) {
  line = without_mark(line);
  return (line.starts_with("\"ID\",") && line.find("\"Kernel Name\"") != std::string_view::npos) ||
         (line.starts_with("ID,") && line.find(",Kernel Name,") != std::string_view::npos);
}

/// A row of a table whose fields have quotes, or only those that need them.
bool is_row(std::string_view line, bool quoted) {
  if (line.empty()) return false;
  const char first = line.front();
  return first == '"' || (!quoted && (first == ',' || (first >= '0' && first <= '9')));
}

std::size_t count_fields(std::string_view line) {
  bool quoted = false;
  std::size_t fields = 1;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) ++fields;
  }
  return fields;
}

/// Columns of a launch, before those of its metrics.
std::size_t launch_fields(std::string_view header) {
  const std::size_t section = header.find("Section Name");
  const std::size_t end = section == std::string_view::npos ? header.find("Metric Name") : section;
  return end == std::string_view::npos ? 0 : count_fields(header.substr(0, end)) - 1;
}

}  // namespace

std::vector<std::string> ncu_tables(std::string_view text) {
  std::vector<std::string> tables;
  bool quoted = true;
  std::size_t fields = 0, first_metric = 0;  // of a page with a row per metric
  for (std::string_view line : split_lines(text)) {
    if (is_header(line)) {
      line = without_mark(line);
      quoted = line.front() == '"';
      fields = line.find("Metric Value") == std::string_view::npos ? 0 : count_fields(line);
      first_metric = launch_fields(line);
      tables.emplace_back();
    } else if (tables.empty() || !is_row(line, quoted)) {
      continue;
    }
    const std::size_t own = fields == 0 ? 0 : count_fields(line);
    // Tables of other things stand between: "GPU ID","NUMA ID by Memory Affinity",...
    if (fields > 0 && own <= first_metric) continue;
    while (line.ends_with('\r')) line.remove_suffix(1);
    tables.back() += line;
    // ncu ends a metric's row before the columns of its rules.
    if (own < fields) tables.back().append(fields - own, ',');
    tables.back() += '\n';
  }
  return tables;
}

bool looks_like_ncu(std::string_view text) {
  return std::ranges::any_of(split_lines(text), [](std::string_view line) {
    return is_header(line) || line.starts_with("==PROF==") || line.starts_with("==ERROR==");
  });
}

std::optional<double> ncu_number(std::string_view text) {
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

bool is_number_of_other_locale(std::string_view text) {
  text = trim(text);
  if (text.empty() || ncu_number(text)) return false;
  if (text.find_first_not_of("0123456789.,' \xc2\xa0\xe2\x80\xaf") != std::string_view::npos)
    return false;
  std::string swapped;
  for (const char c : text) {
    if (c == '.' || c == ',')
      swapped += c == '.' ? ',' : '.';
    else if (c >= '0' && c <= '9')
      swapped += c;
    else if (swapped.empty())
      return false;
  }
  return ncu_number(swapped).has_value();
}

std::optional<NcuUnit> ncu_unit(std::string_view text) {
  text = trim(text);
  NcuUnit unit;
  if (text.empty()) {
    unit.is_plain = true;
    return unit;
  }
  if (text == "%") {
    unit.kind = NcuUnit::Kind::percent;
    return unit;
  }
  const std::size_t slash = text.find('/');
  const std::string_view top = text.substr(0, slash);
  if (const auto time = time_factor(top); time && slash == std::string_view::npos) {
    unit.kind = NcuUnit::Kind::time;
    unit.factor = *time;
    return unit;
  }
  if (!take_stem(top, unit)) return std::nullopt;
  if (unit.stem == "byte") unit.kind = NcuUnit::Kind::bytes;
  if (unit.stem == "hz") unit.kind = NcuUnit::Kind::frequency;
  if (slash == std::string_view::npos) return unit;
  const std::string_view bottom = text.substr(slash + 1);
  NcuUnit other;
  if (const auto time = time_factor(bottom)) {
    unit.factor *= 1e9 / *time;
    unit.is_rate = true;
  } else if (!take_stem(bottom, other) || other.factor != 1) {
    return std::nullopt;
  }
  return unit;
}

std::string shortened(std::string text) {
  constexpr std::size_t kMostShown = 40;
  if (text.size() > kMostShown) text = text.substr(0, kMostShown) + "...";
  return text;
}

Error ncu_refusal(std::string_view text) {
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

std::string import_ncu_report(const std::string& path) {
  if (programs_in_path("ncu").empty())
    throw Error("a report of Nsight Compute is read by ncu, which is not in PATH",
                fmt::format("where ncu is: ncu --import {} --csv --page raw > counters.csv, then "
                            "name counters.csv",
                            std::filesystem::path(path).filename().string()),
                ExitCode::missing)
        .in(path);
  ChildLimits limits;
  limits.time = kImportTime;
  limits.output_bytes = kCountersBytes;
  limits.memory_bytes = kImportMemory;
  const std::string file = std::filesystem::absolute(path).string();
  ChildResult result = run_child({"env", "LC_ALL=C", "ncu", "--import", file, "--csv", "--page",
                                  "raw", "--print-units", "base"},
                                 "", limits);
  if (result.timed_out || result.too_much_output)
    throw Error(result.timed_out ? "ncu took longer than two minutes to print the report"
                                 : "ncu prints more of the report than is read",
                "print a part: ncu --import FILE --csv --page raw --kernel-name NAME "
                "> counters.csv, then name counters.csv",
                ExitCode::missing)
        .in(path);
  if (result.exit_code != 0)
    throw Error(fmt::format("ncu cannot read the report: {}",
                            shortened(std::string(trim(result.errors + result.output)))),
                "an older ncu does not read the reports of a newer one", ExitCode::missing)
        .in(path);
  return std::move(result.output);
}

}  // namespace heddle::profile
