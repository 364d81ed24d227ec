#include "sim/intervals.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sim/interval_files.h"
#include "support/csv.h"
#include "support/csv_table.h"
#include "support/error.h"

namespace heddle::sim {
namespace {

constexpr const char* kHeader = "gpu,limited_by,tiles,replay,figure,low,high,families,points";
constexpr std::size_t kFields = 9;
constexpr const char* kEqual = "equal";
constexpr const char* kUnequal = "unequal";
constexpr const char* kWhole = "whole";
constexpr const char* kSampledReplay = "sampled";

[[noreturn]] void refuse(const CsvRow& row, const std::string& what) {
  throw Error(what, "heddle validate TABLE... --intervals FILE writes such tables")
      .at({}, {row.line, 1});
}

template <class Number>
Number number_in(const CsvRow& row, std::size_t field) {
  const std::string& text = row.fields[field];
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    refuse(row, fmt::format("field {} is not a number", field + 1));
  return number;
}

/// One of two words; `second` is true.
bool choice_in(const CsvRow& row, std::size_t field, const char* first, const char* second) {
  const std::string& text = row.fields[field];
  if (text != first && text != second)
    refuse(row, fmt::format("field {} is neither '{}' nor '{}'", field + 1, first, second));
  return text == second;
}

Figure figure_in(const CsvRow& row, std::size_t field) {
  for (const Figure figure : kFigures) {
    if (row.fields[field] == figure_text(figure)) return figure;
  }
  refuse(row, fmt::format("field {} is not a figure", field + 1));
}

IntervalRow interval_row(const CsvRow& row) {
  if (row.fields.size() != kFields)
    refuse(row, fmt::format("the row has {} fields instead of {}", row.fields.size(), kFields));
  IntervalRow result;
  result.scope.gpu = row.fields[0];
  if (row.fields[1] != kAny)
    result.scope.kind = PredictionKind{row.fields[1], choice_in(row, 2, kEqual, kUnequal),
                                       choice_in(row, 3, kWhole, kSampledReplay)};
  result.figure = figure_in(row, 4);
  result.interval = {number_in<double>(row, 5), number_in<double>(row, 6)};
  if (!(result.interval.low <= result.interval.high))
    refuse(row, "the interval ends before it begins");
  result.families = number_in<int>(row, 7);
  result.points = number_in<int>(row, 8);
  return result;
}

Interval scaled(double figure, const Interval& factors) {
  return {figure * factors.low, figure * factors.high};
}

/// Within 0 to 100, and no narrower than the error of a sample.
Interval around_hit_rate(const SimResult& result, const Interval& points) {
  const double hit_pct = result.l2.cache.hit_rate_pct();
  const double error = result.sample.sampled ? result.sample.hit_rate_error_pct : 0;
  return {std::clamp(hit_pct + std::min(points.low, -error), 0.0, 100.0),
          std::clamp(hit_pct + std::max(points.high, error), 0.0, 100.0)};
}

}  // namespace

std::string IntervalScope::text() const {
  return fmt::format("{}, {}", gpu == kAny ? "all GPUs" : gpu, kind ? kind->text() : "all kinds");
}

std::vector<IntervalScope> scopes_of(const std::string& gpu, const std::string& vendor,
                                     const PredictionKind& kind) {
  return {{gpu, kind}, {gpu, {}}, {vendor, {}}, {kAny, {}}};
}

const IntervalRow* IntervalTable::find(const std::vector<IntervalScope>& scopes,
                                       Figure figure) const {
  for (const IntervalScope& scope : scopes) {
    const auto row = std::ranges::find_if(rows_, [&](const IntervalRow& known) {
      return known.figure == figure && known.scope == scope;
    });
    if (row != rows_.end()) return &*row;
  }
  return nullptr;
}

std::string IntervalTable::text() const {
  std::string text = fmt::format("{}\n", kHeader);
  for (const IntervalRow& row : rows_) {
    const std::optional<PredictionKind>& kind = row.scope.kind;
    text += fmt::format(
        "{},{},{},{},{},{:.4g},{:.4g},{},{}\n", csv_field(row.scope.gpu),
        kind ? kind->limited_by : kAny, kind ? (kind->unequal_tiles ? kUnequal : kEqual) : kAny,
        kind ? (kind->sampled ? kSampledReplay : kWhole) : kAny, figure_text(row.figure),
        row.interval.low, row.interval.high, row.families, row.points);
  }
  return text;
}

IntervalTable parse_intervals(std::string_view text, const std::string& shown) {
  try {
    const std::vector<CsvRow> rows = parse_csv(text);
    if (rows.empty() || fmt::format("{}", fmt::join(rows.front().fields, ",")) != kHeader)
      refuse(rows.empty() ? CsvRow{1, {}} : rows.front(),
             fmt::format("the columns are not {}", kHeader));
    std::vector<IntervalRow> parsed;
    for (std::size_t i = 1; i < rows.size(); ++i) parsed.push_back(interval_row(rows[i]));
    return IntervalTable(std::move(parsed));
  } catch (const Error& error) {
    throw error.in(shown);
  }
}

const IntervalTable& known_intervals() {
  static const IntervalTable table = [] {
    std::vector<IntervalRow> rows;
    for (const IntervalFile& file : interval_files()) {
      const IntervalTable part = parse_intervals(file.text, std::string(file.name));
      rows.insert(rows.end(), part.rows().begin(), part.rows().end());
    }
    return IntervalTable(std::move(rows));
  }();
  return table;
}

std::string vendor_of(const config::Gpu& gpu) {
  return gpu.vendor == config::Vendor::amd ? "amd" : "nvidia";
}

PredictionKind kind_of(const SimResult& result) {
  return {result.limited_by, result.tile_spread >= kUnequalTiles, result.sample.sampled};
}

double traffic_us(const SimResult& result) {
  double percent = 0;
  for (const Utilization& one : result.utilization)
    if (one.resource == "memory" || one.resource == "last level") percent += one.percent;
  return percent / 100 * result.time_us;
}

std::optional<Interval> gain_interval(Traffic traffic, const std::string& gpu,
                                      const std::string& vendor, const IntervalTable& table) {
  const IntervalRow* row = table.find({{gpu, {}}, {vendor, {}}, {kAny, {}}}, gain_of(traffic));
  if (row == nullptr) return std::nullopt;
  return row->interval;
}

PredictionIntervals intervals_of(const SimResult& result, const config::Gpu& gpu,
                                 const IntervalTable& table) {
  const std::vector<IntervalScope> scopes = scopes_of(gpu.name, vendor_of(gpu), kind_of(result));
  PredictionIntervals intervals;
  if (const IntervalRow* row = table.find(scopes, Figure::l2_hit_rate))
    intervals.l2_hit_pct = around_hit_rate(result, row->interval);
  if (const IntervalRow* row = table.find(scopes, Figure::dram_reads))
    intervals.hbm_read_bytes = scaled(static_cast<double>(result.hbm_read_bytes), row->interval);
  if (const IntervalRow* row = table.find(scopes, Figure::speedup))
    intervals.speedup = row->interval;
  if (const IntervalRow* row = table.find(scopes, Figure::time)) {
    intervals.time_us = scaled(result.time_us, row->interval);
    intervals.learnt_from = row->scope.text();
    intervals.families = row->families;
  }
  return intervals;
}

}  // namespace heddle::sim
