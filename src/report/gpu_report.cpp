#include "report/gpu_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/gpu_keys.h"
#include "report/figures.h"
#include "report/json_values.h"
#include "report/table_text.h"

namespace heddle::report {
namespace {

using config::Gpu;
using config::GpuFact;
using config::GpuKey;
using nlohmann::json;

constexpr int kGpuVersion = 1;
constexpr std::size_t kKeyColumn = 4;
constexpr std::size_t kValueColumn = 28;
constexpr std::size_t kSourceColumn = 42;
constexpr std::size_t kNarrowSourceColumn = 8;  ///< where lines have fewer than kBesideColumns
constexpr std::size_t kBesideColumns = 80;

std::string vendor_text(const Gpu& gpu) {
  return gpu.vendor == config::Vendor::amd ? "amd" : "nvidia";
}

/// "AMD Instinct MI300X" -> "MI300X": a list has no room for what the name says already.
std::string gpu_title(const Gpu& gpu) {
  for (const std::string_view start : {"AMD Instinct ", "AMD ", "NVIDIA "}) {
    if (gpu.title.starts_with(start)) return gpu.title.substr(start.size());
  }
  return gpu.title;
}

Row list_row(const Gpu& gpu) {
  return {gpu.name,
          gpu_title(gpu),
          fmt::format("{} x {}", gpu.compute.dies, gpu.compute.compute_units),
          bytes_text(static_cast<double>(gpu.l2.shape.bytes)),
          gpu.last_level ? bytes_text(static_cast<double>(gpu.last_level->shape.bytes)) : "-",
          fmt::format("{:.3g} TB/s", gpu.memory.peak_bytes_per_second / 1e12),
          gpu.calibrated ? "yes" : "no",
          gpu.modes.empty() ? "-" : fmt::format("{}", fmt::join(gpu.modes, " "))};
}

/// Groups of facts by section, in the order of the file.
std::string section_of(const GpuFact& fact) {
  return fact.key.substr(0, fact.key.find('.'));
}
std::string name_of(const GpuFact& fact) {
  return fact.key.substr(fact.key.find('.') + 1);
}

/// The citations of a GPU, each once, numbered from 1 as they come.
class Citations {
 public:
  explicit Citations(const std::vector<GpuFact>& facts) {
    for (const GpuFact& fact : facts) {
      if (fact.source != "estimated" && number_of(fact.source) == 0)
        citations_.push_back(fact.source);
    }
  }

  /// "[2]", "estimated".
  std::string tag(const std::string& source) const {
    const std::size_t number = number_of(source);
    return number == 0 ? source : fmt::format("[{}]", number);
  }

  const std::vector<std::string>& all() const { return citations_; }

 private:
  std::size_t number_of(const std::string& source) const {
    const auto found = std::ranges::find(citations_, source);
    return found == citations_.end() ? 0 : static_cast<std::size_t>(found - citations_.begin()) + 1;
  }

  std::vector<std::string> citations_;
};

std::string fact_lines(const GpuFact& fact, const Citations& citations, const Style& style) {
  const std::string start = fmt::format("{:{}}{}", "", kKeyColumn, name_of(fact));
  std::string line = fmt::format("{:<{}}", start + " ", kValueColumn);
  std::size_t column = line.size() + fact.value.size();
  line += wrapped(fact.value, line.size(), kValueColumn);
  const std::size_t sources = text_columns() < kBesideColumns ? kNarrowSourceColumn : kSourceColumn;
  if (column + 1 >= sources) {  // a long value has its lines for itself
    line += "\n";
    column = 0;
  }
  line += fmt::format("{:{}}", "", sources - column);
  const std::string tag = citations.tag(fact.source);
  const std::string source = fact.note.empty() ? tag : fmt::format("{}: {}", tag, fact.note);
  return line + style.dim(wrapped(source, sources, sources)) + "\n";
}

/// "compute.dies 1", "memory.bytes 24 GiB": what differs from the usual mode.
std::vector<std::string> changes_of(const Gpu& usual, const Gpu& mode) {
  std::vector<std::string> changes;
  for (const GpuFact& fact : mode.facts) {
    const auto same = std::ranges::find_if(
        usual.facts, [&](const GpuFact& f) { return f.key == fact.key && f.value == fact.value; });
    if (same == usual.facts.end()) changes.push_back(fmt::format("{} {}", fact.key, fact.value));
  }
  return changes;
}

/// wrapped(), but never within a change: "memory.bytes 24 GiB" stays on one line.
std::string wrapped_changes(const std::vector<std::string>& changes, std::size_t indent) {
  std::string text;
  for (const std::string& change : changes) {
    std::string piece = change;
    std::ranges::replace(piece, ' ', '\1');
    text += (text.empty() ? "" : ", ") + piece;
  }
  text = wrapped(text, indent, indent);
  std::ranges::replace(text, '\1', ' ');
  return text;
}

std::string modes_text(const std::vector<Gpu>& modes, const Style& style) {
  if (modes.empty()) return {};
  std::string text = "\n  " + style.bold("modes") + "\n";
  for (const Gpu& mode : modes) {
    const std::string start = fmt::format("{:{}}{:<11} ", "", kKeyColumn, mode.mode);
    const std::vector<std::string> changes = changes_of(modes.front(), mode);
    const std::string what = &mode == &modes.front() ? "the usual one"
                             : changes.empty()       ? "changes nothing"
                                                     : wrapped_changes(changes, start.size());
    text += start + what + "\n";
  }
  return text;
}

/// The number itself, in bytes and bytes a second.
json value_json(const Gpu& gpu, const GpuFact& fact) {
  const GpuKey* key = config::find_gpu_key(section_of(fact), name_of(fact));
  if (key == nullptr) return fact.value;
  Gpu copy = gpu;  // fields are reached through a GPU that may be changed
  return std::visit(
      [&](auto field) -> json {
        const auto& value = field(copy);
        if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value)>>)
          return fact.value;
        else
          return value;
      },
      key->field);
}

json summary_json(const Gpu& gpu) {
  return {{"name", gpu.name},
          {"title", gpu.title},
          {"target", gpu.target},
          {"vendor", vendor_text(gpu)},
          {"calibrated", gpu.calibrated},
          {"dies", gpu.compute.dies},
          {"compute_units_of_die", gpu.compute.compute_units},
          {"l2_bytes_of_die", gpu.l2.shape.bytes},
          {"last_level_bytes", gpu.last_level ? json(gpu.last_level->shape.bytes) : json(nullptr)},
          {"memory_bytes", gpu.memory.bytes},
          {"memory_peak_bytes_per_second", gpu.memory.peak_bytes_per_second},
          {"modes", gpu.modes}};
}

json facts_json(const Gpu& gpu) {
  json facts = json::array();
  for (const GpuFact& fact : gpu.facts) {
    facts.push_back({{"key", fact.key},
                     {"value", value_json(gpu, fact)},
                     {"written", fact.value},
                     {"source", fact.source},
                     {"note", text_or_null(fact.note)}});
  }
  return facts;
}

}  // namespace

std::string gpu_list_text(const std::vector<Gpu>& gpus, const Style& style) {
  std::vector<Row> rows(1);
  for (const char* title : {"name", "GPU", "dies", "L2", "last", "memory", "calibrated", "modes"})
    rows.front().push_back(style.bold(title));
  for (const Gpu& gpu : gpus) rows.push_back(list_row(gpu));
  return table_text(rows, std::vector<bool>(rows.front().size(), true));
}

json gpu_list_json(const std::vector<Gpu>& gpus) {
  return {{"version", kGpuVersion}, {"gpus", list_json(gpus, summary_json)}};
}

std::string gpu_text(const Gpu& gpu, const std::vector<Gpu>& modes, const Style& style) {
  const Citations citations(gpu.facts);
  std::string text = headline(
      style.bold(gpu.name), fmt::format("{}, {}{}, {}", gpu.title, gpu.target,
                                        gpu.mode.empty() ? "" : fmt::format(", mode {}", gpu.mode),
                                        gpu.calibrated ? "calibrated" : "uncalibrated"));
  if (!gpu.remarks.empty()) text += fmt::format("  {}\n", wrapped(gpu.remarks, 2, 2));
  std::string section;
  for (const GpuFact& fact : gpu.facts) {
    if (section_of(fact) != section) {
      section = section_of(fact);
      text += "\n  " + style.bold(section) + "\n";
    }
    text += fact_lines(fact, citations, style);
  }
  text += modes_text(modes, style);
  text += "\n  " + style.bold("sources") + "\n";
  for (std::size_t i = 0; i < citations.all().size(); ++i) {
    const std::string start = fmt::format("{:{}}{:<5}", "", kKeyColumn, fmt::format("[{}]", i + 1));
    text += start + wrapped(citations.all()[i], start.size(), start.size()) + "\n";
  }
  return text;
}

json gpu_json(const Gpu& gpu, const std::vector<Gpu>& modes) {
  json result = summary_json(gpu);
  result["version"] = kGpuVersion;
  result["mode"] = text_or_null(gpu.mode);
  result["remarks"] = text_or_null(gpu.remarks);
  result["path"] = gpu.path;
  result["facts"] = facts_json(gpu);
  json changes = json::object();
  for (const Gpu& mode : modes) {
    json changed = json::object();
    for (const GpuFact& fact : mode.facts) {
      const json value = value_json(mode, fact);
      const auto same = std::ranges::find_if(modes.front().facts, [&](const GpuFact& usual) {
        return usual.key == fact.key && value_json(modes.front(), usual) == value;
      });
      if (same == modes.front().facts.end()) changed[fact.key] = value;
    }
    changes[mode.mode] = changed;
  }
  result["mode_changes"] = changes;
  return result;
}

}  // namespace heddle::report
