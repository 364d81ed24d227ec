#include "profile/metric/definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "config/toml_document.h"
#include "profile/compat.h"
#include "profile/metric/panel_files.h"
#include "profile/metric/yaml_panels.h"
#include "support/file.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

using config::TomlNode;
using TomlKind = TomlNode::Kind;

constexpr const char* kDocument = "docs/metrics.md";
constexpr std::size_t kMostDefinitionText = std::size_t{1} << 20;
constexpr int kMostLikes = 8;

/// Columns that are computed from a row's "value" or "peak", and those that hold its unit.
const std::set<std::string, std::less<>> kOwnColumns = {"Avg",    "Min",  "Max",         "Q1",
                                                        "Median", "Q3",   "Std Dev",     "Value",
                                                        "Peak",   "Unit", "Pct of Peak", "Units"};

const std::set<std::string, std::less<>> kCompatKeys = {
    "compat_value", "compat_peak",  "compat_metric", "compat_unit",
    "compat_blank", "compat_keeps", "compat_until"};

/// Where definitions come from: the program, or a folder of the user.
class Files {
 public:
  explicit Files(std::string folder) : folder_(std::move(folder)) {
    if (folder_.empty()) {
      for (const PanelFile& file : panel_files()) names_.emplace_back(file.name);
      return;
    }
    std::error_code error;
    bool has_panels = false;
    namespace fs = std::filesystem;
    for (const auto& arch : fs::directory_iterator(folder_, error)) {
      std::error_code inner;
      for (const auto& file : fs::directory_iterator(arch.path(), inner)) {
        if (file.path().extension() != ".toml" && file.path().extension() != ".yaml") continue;
        const std::string name = file.path().filename().string();
        names_.push_back(arch.path().filename().string() + "/" + name);
        // 16.toml, 1600_vector-l1-data-cache.yaml
        has_panels = has_panels || std::isdigit(static_cast<unsigned char>(name.front())) != 0;
      }
    }
    std::ranges::sort(names_);
    if (!has_panels)
      throw Error(fmt::format("'{}' holds no panel definitions", folder_),
                  "it should hold files like gfx90a/16.toml, or be the folder analysis_configs of "
                  "rocprofiler-compute (docs/metrics.md)",
                  ExitCode::missing);
  }

  std::vector<std::string> of(const std::string& arch) const {
    std::vector<std::string> found;
    for (const std::string& name : names_) {
      if (name.starts_with(arch + "/")) found.push_back(name);
    }
    return found;
  }

  std::vector<std::string> architectures() const {
    std::vector<std::string> found;
    for (const std::string& name : names_) {
      const std::string arch = name.substr(0, name.find('/'));
      if (name == arch + "/arch.toml" || (name.ends_with(".yaml") && !is_one_of(arch, found)))
        found.push_back(arch);
    }
    return found;
  }

  std::string shown(const std::string& name) const {
    return folder_.empty() ? "panels/" + name : folder_ + "/" + name;
  }

  /// Of a folder.
  std::string text(const std::string& name) const {
    return read_text(shown(name), kMostDefinitionText);
  }

  TomlNode read(const std::string& name) const {
    if (!folder_.empty()) return config::parse_toml(text(name), shown(name), kDocument);
    for (const PanelFile& file : panel_files()) {
      if (file.name == name) return config::parse_toml(file.text, shown(name), kDocument);
    }
    throw Error(fmt::format("there is no file '{}'", shown(name)));
  }

 private:
  std::string folder_;
  std::vector<std::string> names_;
};

/// Reads nodes of one file; errors have its name and a line.
class Reader {
 public:
  explicit Reader(std::string shown) : shown_(std::move(shown)) {}

  [[noreturn]] void fail(const TomlNode& node, const std::string& what) const {
    throw Error(what, std::string("see ") + kDocument).at(shown_, node.key_position);
  }

  const TomlNode& need(const TomlNode& table, const char* key) const {
    const TomlNode* node = table.find(key);
    if (node == nullptr) fail(table, fmt::format("'{}' is missing", key));
    return *node;
  }

  std::string text(const TomlNode& node) const {
    if (node.kind != TomlKind::text)
      fail(node, fmt::format("'{}' is {}, not a text", node.key, node.kind_text()));
    return node.text;
  }

  int integer(const TomlNode& node) const {
    if (node.kind != TomlKind::integer || node.integer < 0 || node.integer > 10'000)
      fail(node, fmt::format("'{}' must be a number from 0 to 10000", node.key));
    return static_cast<int>(node.integer);
  }

  std::vector<std::string> texts(const TomlNode& node) const {
    if (node.kind != TomlKind::array) fail(node, fmt::format("'{}' must be a list", node.key));
    std::vector<std::string> list;
    for (const TomlNode& item : node.items) list.push_back(text(item));
    return list;
  }

  std::map<std::string, std::string> pieces(const TomlNode& node) const {
    if (node.kind != TomlKind::table) fail(node, fmt::format("'{}' must be a table", node.key));
    std::map<std::string, std::string> found;
    for (const TomlNode& item : node.items) found[item.key] = text(item);
    return found;
  }

  const std::string& shown() const { return shown_; }

 private:
  std::string shown_;
};

/// compat_until = "3.2"
void check_until(const Reader& reader, const TomlNode& node) {
  try {
    parse_compat(reader.text(node));
  } catch (const Error& error) {
    reader.fail(node, error.message());
  }
}

void read_row_key(const Reader& reader, const TableDefinition& table, const TomlNode& node,
                  MetricDefinition& row) {
  const std::string& key = node.key;
  const auto among = [&](const std::vector<std::string>& list) { return is_one_of(key, list); };
  if (key == "compat_until") check_until(reader, node);
  if (key == "metric")
    row.metric = reader.text(node);
  else if (key == "unit")
    row.unit = reader.text(node);
  else if (key == "blank")
    row.blank = reader.text(node);
  else if (key == "note")
    row.note = reader.text(node);
  else if (key == "value" || key == "peak")
    row.values[key] = reader.text(node);
  else if (kCompatKeys.contains(key))
    row.compat[key.substr(7)] = reader.text(node);
  else if (among(table.words))
    row.words[key] = reader.text(node);
  else if (among(table.columns) && !kOwnColumns.contains(key))
    row.values[key] = reader.text(node);
  else
    reader.fail(node, fmt::format("a row has no '{}'", key));
}

MetricDefinition read_row(const Reader& reader, const TableDefinition& table,
                          const TomlNode& node) {
  if (node.kind != TomlKind::table) reader.fail(node, "a row must be a table");
  MetricDefinition row;
  row.source = reader.shown();
  row.position = node.position;
  for (const TomlNode& item : node.items) read_row_key(reader, table, item, row);
  if (row.metric.empty()) reader.fail(node, "a row must have a 'metric'");
  return row;
}

TableDefinition read_table(const Reader& reader, const TomlNode& node) {
  TableDefinition table;
  table.id = reader.integer(reader.need(node, "id"));
  table.columns = reader.texts(reader.need(node, "columns"));
  if (const TomlNode* words = node.find("words")) table.words = reader.texts(*words);
  for (const TomlNode& item : node.items) {
    if (item.key == "id" || item.key == "columns" || item.key == "words" || item.key == "rows")
      continue;
    if (item.key == "title") {
      table.title = reader.text(item);
    } else if (item.key == "per_channel" && item.kind == TomlKind::boolean) {
      table.per_channel = item.boolean;
    } else {
      reader.fail(item, fmt::format("a table has no '{}'", item.key));
    }
  }
  const TomlNode& rows = reader.need(node, "rows");
  if (rows.kind != TomlKind::array) reader.fail(rows, "'rows' must be a list");
  for (const TomlNode& row : rows.items) table.rows.push_back(read_row(reader, table, row));
  if (table.per_channel && table.rows.size() != 1)
    reader.fail(rows, "a table per channel has exactly one row");
  return table;
}

void put_table(PanelDefinition& panel, TableDefinition table) {
  const auto place =
      std::ranges::find_if(panel.tables, [&](const auto& one) { return one.id >= table.id; });
  if (place != panel.tables.end() && place->id == table.id)
    *place = std::move(table);
  else
    panel.tables.insert(place, std::move(table));
}

/// [[row]] id = "16.3.9": changes some keys of a row that is there.
void change_row(const Reader& reader, PanelDefinition& panel, const TomlNode& node) {
  const TomlNode& id = reader.need(node, "id");
  const std::vector<std::string_view> parts = split(id.text, '.');
  const bool whole = parts.size() == 3 && parts[0] == std::to_string(panel.id);
  const std::int64_t table_id = whole ? parse_integer(parts[1]).value_or(-1) : -1;
  const std::int64_t row_id = whole ? parse_integer(parts[2]).value_or(-1) : -1;
  for (TableDefinition& table : panel.tables) {
    if (table.id != table_id || row_id < 0 ||
        row_id >= static_cast<std::int64_t>(table.rows.size()))
      continue;
    MetricDefinition& row = table.rows[static_cast<std::size_t>(row_id)];
    // What the original prints belongs to the value it is printed for.
    for (const TomlNode& item : node.items) {
      if (item.key == "value" || item.key == "blank") {
        row.compat.erase("value");
        row.compat.erase("blank");
        row.note.clear();
      }
      if (item.key == "peak") row.compat.erase("peak");
      if (item.key == "value") row.blank.clear();
    }
    for (const TomlNode& item : node.items) {
      if (item.key != "id") read_row_key(reader, table, item, row);
    }
    row.source = reader.shown();
    row.position = node.position;
    return;
  }
  reader.fail(id, fmt::format("there is no row '{}' to change", id.text));
}

void read_panel(const Reader& reader, const TomlNode& root, std::vector<PanelDefinition>& panels) {
  const int id = reader.integer(reader.need(root, "panel"));
  auto place =
      std::ranges::find_if(panels, [&](const PanelDefinition& panel) { return panel.id >= id; });
  if (place == panels.end() || place->id != id)
    place = panels.insert(place, PanelDefinition{id, {}, {}, {}});
  PanelDefinition& panel = *place;
  for (const TomlNode& node : root.items) {
    if (node.key == "panel") continue;
    if (node.key == "title") {
      panel.title = reader.text(node);
    } else if (node.key == "let") {
      for (auto& [name, text] : reader.pieces(node)) panel.let[name] = text;
    } else if (node.key == "table" && node.kind == TomlKind::array) {
      for (const TomlNode& table : node.items) put_table(panel, read_table(reader, table));
    } else if (node.key != "row" || node.kind != TomlKind::array) {
      reader.fail(node, fmt::format("a panel has no '{}'", node.key));
    }
  }
  if (const TomlNode* rows = root.find("row")) {
    for (const TomlNode& row : rows->items) change_row(reader, panel, row);
  }
}

/// Panels that rocprofiler-compute itself defines; 0, 1 and 4 are made in code.
void read_yaml(const Files& files, const std::vector<std::string>& there,
               ArchitectureDefinition& arch) {
  for (const std::string& file : there) {
    if (!file.ends_with(".yaml")) continue;
    PanelDefinition panel = parse_yaml_panel(files.text(file), files.shown(file));
    if (panel.id < 2 || panel.id == 4 || panel.tables.empty()) continue;
    if (std::ranges::find(arch.panels, panel.id, &PanelDefinition::id) != arch.panels.end())
      throw Error(fmt::format("'{}' is panel {}, as another file is", files.shown(file), panel.id),
                  "each panel has one file");
    arch.panels.push_back(std::move(panel));
  }
  std::ranges::sort(arch.panels, {}, &PanelDefinition::id);
}

void read_into(const Files& files, const std::string& name, ArchitectureDefinition& arch,
               int depth) {
  const std::vector<std::string> there = files.of(name);
  if (std::ranges::any_of(there, [](const auto& file) { return file.ends_with(".yaml"); })) {
    read_yaml(files, there, arch);
    return;
  }
  const std::string head = name + "/arch.toml";
  if (!is_one_of(head, there)) {
    std::string known;
    for (const std::string& one : files.architectures()) known += (known.empty() ? "" : ", ") + one;
    throw Error(fmt::format("there are no panels for '{}'", name), "there are panels for: " + known,
                ExitCode::missing);
  }
  const TomlNode root = files.read(head);
  const Reader reader(files.shown(head));
  for (const TomlNode& node : root.items) {
    if (node.key == "like") {
      if (depth >= kMostLikes) reader.fail(node, "architectures are like one another in a circle");
      read_into(files, reader.text(node), arch, depth + 1);
    } else if (node.key != "renamed" && node.key != "chips") {
      reader.fail(node, fmt::format("an architecture has no '{}'", node.key));
    }
  }
  if (const TomlNode* renamed = root.find("renamed")) {
    for (auto& [prefix, other] : reader.pieces(*renamed)) arch.renamed.emplace_back(prefix, other);
  }
  for (const std::string& file : there) {
    if (file != head) read_panel(Reader(files.shown(file)), files.read(file), arch.panels);
  }
}

}  // namespace

std::vector<std::string> known_architectures(const std::string& folder) {
  return Files(folder).architectures();
}

ArchitectureDefinition read_architecture(const std::string& name, const std::string& folder) {
  ArchitectureDefinition arch;
  arch.name = name;
  const Files files(folder);
  // ncu gives most metrics the same name on every chip.
  const bool shared = name.starts_with("sm_") && files.of(name).empty();
  read_into(files, shared ? "nvidia" : name, arch, 0);
  return arch;
}

}  // namespace heddle::profile
