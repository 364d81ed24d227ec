#include "profile/metric/yaml_panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "profile/metric/expression.h"
#include "profile/metric/yaml_document.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

struct BuiltIn {
  const char* original;
  const char* name;
};
constexpr std::array<BuiltIn, 15> kBuiltIns = {{
    {"denom", "denom"},
    {"GRBM_GUI_ACTIVE_PER_XCD", "gui_active"},
    {"GRBM_COUNT_PER_XCD", "grbm_count"},
    {"GRBM_SPI_BUSY_PER_XCD", "spi_busy"},
    {"numActiveCUs", "active_cus"},
    {"hbmBandwidth", "hbm_bw"},
    {"max_sclk", "max_sclk"},
    {"cu_per_gpu", "cus"},
    {"se_per_gpu", "shader_engines"},
    {"sqc_per_gpu", "sqcs"},
    {"pipes_per_gpu", "pipes"},
    {"lds_banks_per_cu", "lds_banks"},
    {"max_waves_per_cu", "max_waves"},
    {"wave_size", "wave_size"},
    {"total_l2_chan", "l2_channels"},
}};

/// Of the header's keys; others hold expressions.
constexpr std::array<std::string_view, 7> kNoValues = {"metric", "alias", "tips",       "channel",
                                                       "unit",   "units", "description"};

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// "a  b\n c" -> "a b c"
std::string one_spaced(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t';
    if (space && (plain.empty() || plain.back() == ' ')) continue;
    plain += space ? ' ' : c;
  }
  return std::string(trim(plain));
}

std::string all_replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string built_in(std::string_view original) {
  for (const BuiltIn& one : kBuiltIns) {
    if (original == one.original) return one.name;
  }
  return std::string(original);
}

/// "(Req + $normUnit)" -> "Req per {denom}"
std::string translated_unit(std::string unit) {
  if (unit.find("$normUnit") == std::string::npos) return unit;
  if (unit.starts_with('(') && unit.ends_with(')')) unit = unit.substr(1, unit.size() - 2);
  unit = all_replaced(unit, "$normUnit", "");
  while (!unit.empty() && (unit.back() == ' ' || unit.back() == '+')) unit.pop_back();
  return unit + " per {denom}";
}

bool is_nothing(const std::string& formula) {
  return formula.empty() || formula == "None" || formula == "N/A";
}

/// The formula, if it can be read; else the row is told why it is blank.
void put_value(MetricDefinition& row, const std::string& title, const YamlNode& cell,
               const std::string& level) {
  const std::string formula = one_spaced(cell.text);
  if (is_nothing(formula)) return;
  const std::string text = translated_formula(formula, level);
  try {
    Expression::parse(text);
    row.values[title] = text;
  } catch (const Error& error) {
    row.blank = fmt::format("the formula of {} cannot be read: {}", title, error.message());
  }
}

MetricDefinition yaml_row(const YamlNode& header, const YamlNode& from, bool per_channel,
                          const std::string& shown) {
  MetricDefinition row;
  row.metric = per_channel ? "{channel}" : from.key;
  row.source = shown;
  row.position = Position{from.line, 1};
  row.unit = translated_unit(from.text_of(from.find("units") != nullptr ? "units" : "unit"));
  const std::string level = from.text_of("coll_level");
  for (const YamlNode& column : header.items) {
    const YamlNode* cell = from.find(column.key);
    if (cell == nullptr || std::ranges::find(kNoValues, column.key) != kNoValues.end()) continue;
    if (column.key == "type" || column.key == "transaction")
      row.words[column.text] = cell->text;
    else
      put_value(row, column.key == "peak" ? "peak" : column.text, *cell, level);
  }
  // A spread: quartiles of the dispatches' values.
  if (const YamlNode* each = from.find("expr")) {
    row.values.clear();
    put_value(row, "value", *each, level);
  }
  // Of columns without a formula.
  if (row.blank.empty() && !row.values.contains("value"))
    row.blank = "the configuration has no formula for it";
  return row;
}

TableDefinition yaml_table(const YamlNode& from, const std::string& shown) {
  TableDefinition table;
  table.id = static_cast<int>(parse_integer(from.text_of("id")).value_or(0) % 100);
  table.title = from.text_of("title");
  const YamlNode* header = from.find("header");
  const YamlNode* metrics = from.find("metric");
  if (header == nullptr || metrics == nullptr || table.id <= 0)
    throw Error("a metric_table needs an id, a header and metrics", "see docs/metrics.md")
        .at(shown, Position{from.line, 1});
  bool is_spread = false;
  for (const YamlNode& row : metrics->items) {
    if (row.key == "placeholder_range") continue;
    table.per_channel = row.key == "::_1";
    is_spread = is_spread || row.find("expr") != nullptr;
    table.rows.push_back(yaml_row(*header, row, table.per_channel, shown));
  }
  if (is_spread) table.columns = {"Min", "Q1", "Median", "Q3", "Max"};
  for (const YamlNode& column : header->items) {
    const bool first = column.key == "metric" || column.key == "channel";
    if (is_spread || first || column.key == "tips" || column.key == "alias") continue;
    table.columns.push_back(column.text);
    if (column.key == "type" || column.key == "transaction") table.words.push_back(column.text);
  }
  return table;
}

}  // namespace

std::string translated_formula(std::string_view formula, const std::string& level) {
  static constexpr std::string_view kClamp = "NOISE_CLAMP";
  std::string text = one_spaced(formula);
  text = all_replaced(std::move(text), "::_1", "channel");
  text = all_replaced(std::move(text), "End_Timestamp - Start_Timestamp", "duration");
  text = all_replaced(std::move(text), " else None", "");
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool dollar = text[at] == '$';
    if (!dollar && !in_word(text[at])) {
      result += text[at++];
      continue;
    }
    const std::size_t start = at + (dollar ? 1 : 0);
    for (at = start; at < text.size() && in_word(text[at]);) ++at;
    const std::string word = text.substr(start, at - start);
    const bool counter = !word.empty() && std::isupper(static_cast<unsigned char>(word[0])) != 0 &&
                         word.find('_') != std::string::npos;
    if (dollar)
      result += built_in(word);
    else if (word == "TO_INT" || word == "INT")
      continue;  // What follows stands in brackets.
    else if (counter && word != kClamp && !level.empty())
      result += level + "." + word;
    else
      result += word;
  }
  return result;
}

PanelDefinition parse_yaml_panel(std::string_view text, const std::string& shown) {
  const YamlNode root = parse_yaml(text, shown);
  const YamlNode* panel = root.find("Panel Config");
  const YamlNode* sources = panel == nullptr ? nullptr : panel->find("data source");
  const auto id = panel == nullptr ? std::nullopt : parse_integer(panel->text_of("id"));
  if (sources == nullptr || !id || *id < 0 || *id > 9999)
    throw Error(
        "the file is not a panel of rocprofiler-compute: there is no 'Panel Config' with an "
        "id and a data source",
        "name the folder analysis_configs of rocprofiler-compute")
        .at(shown, Position{root.line, 1});
  PanelDefinition definition;
  definition.id = static_cast<int>(*id / 100);
  definition.title = panel->text_of("title");
  for (const YamlNode& source : sources->items) {
    if (const YamlNode* table = source.find("metric_table"))
      definition.tables.push_back(yaml_table(*table, shown));
  }
  return definition;
}

}  // namespace heddle::profile
