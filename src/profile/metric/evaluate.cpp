#include "profile/metric/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "support/error.h"
#include "support/lists.h"

namespace heddle::profile {
namespace {

constexpr const char* kNoValue = "no dispatch has a value for it";

double mean(const std::vector<double>& values) {
  double total = 0;
  for (const double value : values) total += value;
  return total / static_cast<double>(values.size());
}

/// `values` are sorted and not empty.
double quantile(const std::vector<double>& values, double share) {
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double part = place - static_cast<double>(below);
  if (part == 0) return values[below];
  return values[below] + (values[below + 1] - values[below]) * part;
}

std::optional<double> deviation(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  const double middle = mean(values);
  double total = 0;
  for (const double value : values) total += (value - middle) * (value - middle);
  return std::sqrt(total / static_cast<double>(values.size() - 1));
}

PanelCell number_cell(double value) {
  return std::isnan(value) ? PanelCell::blank(kNoValue) : PanelCell::of_number(value);
}

bool is_quantile(const std::string& column) {
  return column == "Q1" || column == "Median" || column == "Q3";
}

/// `values` have no NaN, and are sorted for a quantile.
PanelCell summed_up(const std::string& column, const std::vector<double>& values) {
  if (values.empty()) return PanelCell::blank(kNoValue);
  if (column == "Min") return number_cell(std::ranges::min(values));
  if (column == "Max") return number_cell(std::ranges::max(values));
  if (column == "Q1") return number_cell(quantile(values, 0.25));
  if (column == "Median") return number_cell(quantile(values, 0.5));
  if (column == "Q3") return number_cell(quantile(values, 0.75));
  if (column == "Std Dev") {
    const auto spread = deviation(values);
    return spread ? number_cell(*spread) : PanelCell::blank("one dispatch has no spread");
  }
  return number_cell(column == "Value" ? std::nearbyint(mean(values)) : mean(values));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  if (place != std::string::npos) text.replace(place, from.size(), to);
  return text;
}

/// rocprofiler-compute makes "GB/s" "Gb/s".
std::string unit_text(const MetricDefinition& row, const EvaluationOptions& options) {
  const auto original = row.compat.find("unit");
  std::string unit = options.compat && original != row.compat.end() ? original->second : row.unit;
  unit = replaced(unit, "{denom}", options.per);
  for (std::size_t i = 0; i < unit.size(); ++i) {
    const auto c = static_cast<unsigned char>(unit[i]);
    if (i == 0)
      unit[i] = static_cast<char>(std::toupper(c));
    else if (options.compat)
      unit[i] = static_cast<char>(std::tolower(c));
  }
  return unit;
}

/// The first version (3.N) that has no formula of its own any more.
int original_until(const MetricDefinition& row) {
  const auto until = row.compat.find("until");
  return until == row.compat.end() ? std::numeric_limits<int>::max()
                                   : parse_compat(until->second).minor;
}

/// The values of one row for all of its columns; expressions are parsed once.
class RowEvaluator {
 public:
  RowEvaluator(const PanelDefinition& panel, const MetricDefinition& row, MetricSource& source,
               const EvaluationOptions& options)
      : panel_(panel),
        row_(row),
        source_(source),
        compat_(options.compat && options.version.minor < original_until(row)),
        sums_(options.compat && options.version.sums_ratios()) {}

  void start(int channel) {
    channel_ = channel;
    values_.clear();
  }

  PanelCell cell(const std::string& column) {
    if (column == "Peak") return peak();
    if (compat_ && is_blank_in_original(column)) return PanelCell::blank(row_.compat.at("blank"));
    if (row_.values.contains(column)) return summed(column, "Avg");
    if (!row_.blank.empty()) return PanelCell::blank(row_.blank);
    if (column == "Pct of Peak") return share_of_peak();
    return summed("value", column);
  }

 private:
  struct Values {
    std::vector<double> each;  ///< without NaN
    bool sorted = false;
    std::string why;  ///< not empty: unknown
  };

  bool is_blank_in_original(const std::string& column) const {
    const auto kept = row_.compat.find("keeps");
    return row_.compat.contains("blank") && (kept == row_.compat.end() || kept->second != column);
  }

  PanelCell summed(const std::string& key, const std::string& column) {
    if (sums_ && (column == "Avg" || column == "Value")) return of_sums(key, column);
    Values& values = evaluate(key);
    if (!values.why.empty()) return PanelCell::blank(values.why);
    if (is_quantile(column) && !std::exchange(values.sorted, true)) std::ranges::sort(values.each);
    return summed_up(column, values.each);
  }

  PanelCell of_sums(const std::string& key, const std::string& column) {
    double value = 0;
    std::string why;
    if (!expression(key).ratio_of_sums(source_, channel_, value, why))
      return PanelCell::blank(why.empty() ? kNoValue : why);
    return number_cell(column == "Value" ? std::nearbyint(value) : value);
  }

  PanelCell peak() {
    if (!row_.values.contains("peak")) return PanelCell::blank("there is no peak of it");
    const Values& values = evaluate("peak");
    if (!values.why.empty()) return PanelCell::blank(values.why);
    // The same for every dispatch.
    return values.each.empty() ? PanelCell::blank(kNoValue)
                               : number_cell(std::ranges::min(values.each));
  }

  PanelCell share_of_peak() {
    const PanelCell top = peak();
    const PanelCell average = cell("Avg");
    if (!average.is_number()) return average;
    if (!top.is_number()) return top;
    return number_cell(100 * average.number / top.number);
  }

  const Expression& expression(const std::string& key) {
    const auto known = expressions_.find(key);
    if (known != expressions_.end()) return known->second;
    const auto original = row_.compat.find(key);
    const auto ours = row_.values.find(key);
    if (ours == row_.values.end())
      throw Error(fmt::format("'{}' has no '{}'", row_.metric, key), "see docs/metrics.md")
          .at(row_.source, row_.position);
    const std::string& text =
        compat_ && original != row_.compat.end() ? original->second : ours->second;
    const Expression::Let let = [&](std::string_view name) -> const std::string* {
      const auto found = panel_.let.find(std::string(name));
      return found == panel_.let.end() ? nullptr : &found->second;
    };
    try {
      return expressions_.emplace(key, Expression::parse(text, let)).first->second;
    } catch (const Error& error) {
      throw Error(fmt::format("'{}', {}, column {}: {}", row_.metric, key, error.position().column,
                              error.message()),
                  error.hint())
          .at(row_.source, row_.position);
    }
  }

  Values& evaluate(const std::string& key) {
    const auto known = values_.find(key);
    if (known != values_.end()) return known->second;
    Values& values = values_[key];
    if (!expression(key).evaluate(source_, channel_, values.each, values.why)) {
      if (values.why.empty()) values.why = kNoValue;
      return values;
    }
    // A peak is the same for all.
    if (key != "peak" && values.each.size() == 1)
      values.each.assign(source_.dispatches(), values.each.front());
    std::erase_if(values.each, [](double value) { return std::isnan(value); });
    return values;
  }

  const PanelDefinition& panel_;
  const MetricDefinition& row_;
  MetricSource& source_;
  bool compat_;
  bool sums_;
  int channel_ = 0;
  std::map<std::string, Expression> expressions_;
  std::map<std::string, Values> values_;
};

bool among(const std::vector<std::string>& list, const std::string& word) {
  return is_one_of(word, list);
}

std::vector<PanelColumn> columns_of(const TableDefinition& table,
                                    const EvaluationOptions& options) {
  const bool says_percent = options.compat && options.version.says_percent();
  std::vector<PanelColumn> columns = {{"Metric_ID", false},
                                      {table.per_channel ? "Channel" : "Metric", false}};
  for (const std::string& title : table.columns)
    columns.push_back({says_percent && title == "Pct of Peak" ? "Percent of Peak" : title,
                       title != "Unit" && title != "Units" && !among(table.words, title)});
  return columns;
}

std::vector<PanelCell> row_of(const TableDefinition& table, const MetricDefinition& row,
                              RowEvaluator& evaluator, const EvaluationOptions& options) {
  std::vector<PanelCell> cells;
  for (const std::string& title : table.columns) {
    if (title == "Unit" || title == "Units") {
      cells.push_back(PanelCell::of_text(unit_text(row, options)));
    } else if (among(table.words, title)) {
      const auto word = row.words.find(title);
      cells.push_back(PanelCell::of_text(word == row.words.end() ? "" : word->second));
    } else {
      cells.push_back(evaluator.cell(title));
    }
  }
  return cells;
}

}  // namespace

std::string metric_name(const MetricDefinition& row, bool compat) {
  const auto original = row.compat.find("metric");
  return compat && original != row.compat.end() ? original->second : row.metric;
}

Panel evaluate_panel(const PanelDefinition& definition, MetricSource& source,
                     const EvaluationOptions& options) {
  Panel panel{definition.id, definition.title, {}};
  for (const TableDefinition& from : definition.tables) {
    PanelTable table;
    table.id = fmt::format("{}.{}", definition.id, from.id);
    table.title = options.compat ? from.title : replaced(from.title, "normUnit", options.per);
    table.columns = columns_of(from, options);
    int number = 0;
    for (const MetricDefinition& row : from.rows) {
      RowEvaluator evaluator(definition, row, source, options);
      const int repeats = from.per_channel ? source.channels() : 1;
      for (int channel = 0; channel < repeats; ++channel, ++number) {
        const std::string id = fmt::format("{}.{}", table.id, number);
        if (options.wanted && !options.wanted(table.id, id)) continue;
        evaluator.start(channel);
        source.trim();
        std::vector<PanelCell> cells = row_of(from, row, evaluator, options);
        PanelCell name = PanelCell::of_text(metric_name(row, options.compat));
        if (from.per_channel)
          name = options.compat ? PanelCell::of_number(channel) : PanelCell::of_whole(channel);
        cells.insert(cells.begin(), {PanelCell::of_text(id), std::move(name)});
        table.rows.push_back(std::move(cells));
      }
    }
    if (!table.rows.empty()) panel.tables.push_back(std::move(table));
  }
  return panel;
}

}  // namespace heddle::profile
