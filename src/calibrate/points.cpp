#include "calibrate/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "config/gpu.h"
#include "support/csv_table.h"
#include "support/error.h"
#include "support/file.h"
#include "support/spelling.h"
#include "support/text.h"

namespace heddle::calibrate {
namespace {

constexpr std::size_t kLongestShown = 60;
constexpr const char* kDocument = "see docs/validate.md";

[[noreturn]] void fail(int line, std::string what, std::string hint) {
  throw Error(std::move(what), std::move(hint)).at({}, {line, 1});
}

/// A piece of the table inside a message: cut, and without control characters.
std::string shown(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool continues = (static_cast<unsigned char>(c) & 0xc0U) == 0x80;
    if (result.size() >= kLongestShown && !continues) return result + "...";
    result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  return result;
}

/// The place of each of kColumns in the rows; nothing for those that the table leaves out.
class Header {
 public:
  explicit Header(const CsvRow& row) : fields_(row.fields.size()) {
    const std::vector<std::string> known(kColumns.begin(), kColumns.end());
    check_separator(row);
    for (std::size_t at = 0; at < row.fields.size(); ++at) {
      const std::string& name = row.fields[at];
      const auto found = std::ranges::find(kColumns, name);
      if (name.empty())
        fail(row.line, fmt::format("column {} has no name", at + 1),
             at + 1 == row.fields.size() ? "drop the comma at the end" : "name it, or drop it");
      if (found == kColumns.end())
        fail(row.line, fmt::format("no column is called '{}'", shown(name)),
             fmt::format("{}the columns are: {}", did_you_mean(name, known), word_list(known)));
      std::optional<std::size_t>& place =
          places_[static_cast<std::size_t>(found - kColumns.begin())];
      if (place) fail(row.line, fmt::format("two columns are called '{}'", name), "drop one");
      place = at;
    }
    for (const std::string_view needed : {"job", "gpu", "order"}) {
      if (!place_of(needed))
        fail(row.line, fmt::format("the table has no column '{}'", needed),
             fmt::format("the first row names the columns: {}", word_list(known)));
    }
  }

  std::size_t fields() const { return fields_; }

  std::string text(const CsvRow& row, std::string_view column) const {
    const std::optional<std::size_t> place = place_of(column);
    return place ? std::string(trim(row.fields[*place])) : std::string();
  }

 private:
  static void check_separator(const CsvRow& row) {
    for (const char separator : {';', '\t'}) {
      const std::string& name = row.fields.front();
      if (row.fields.size() == 1 && name.find(separator) != std::string::npos)
        fail(row.line,
             fmt::format("the columns are separated by {}", separator == ';' ? "';'" : "tabs"),
             "separate them by commas");
    }
  }

  std::optional<std::size_t> place_of(std::string_view column) const {
    const auto found = std::ranges::find(kColumns, column);
    return places_[static_cast<std::size_t>(found - kColumns.begin())];
  }

  std::size_t fields_;
  std::array<std::optional<std::size_t>, kColumns.size()> places_;
};

struct NumberRange {
  double least;
  double most;
  const char* text;
};
constexpr NumberRange kPercents = {0, 100, "0 to 100"};
constexpr NumberRange kMegabytes = {0, kMostDramMb, "0 to 1e9"};
constexpr NumberRange kSpeedups = {kLeastSpeedup, kMostSpeedup, "0.0001 to 10000"};
constexpr NumberRange kSizes = {0, 1e9, "0 to 1e9"};
constexpr NumberRange kTimesUs = {kLeastTimeUs, kMostTimeUs, "0.001 to 1e9"};

std::optional<double> number(const Header& header, const CsvRow& row, std::string_view column,
                             const NumberRange& range) {
  const std::string text = header.text(row, column);
  if (text.empty()) return std::nullopt;
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const std::string hint =
      fmt::format("write a number from {}, or leave the field empty", range.text);
  const bool is_huge = error == std::errc::result_out_of_range && stop == end;
  if (!is_huge && (error != std::errc() || stop != end || !std::isfinite(value)))
    fail(row.line, fmt::format("{} is '{}', which is not a number", column, shown(text)), hint);
  if (is_huge || value < range.least || value > range.most)
    fail(row.line, fmt::format("{} cannot be {}", column, shown(text)), hint);
  return value;
}

std::vector<std::string> overrides_of(const Header& header, const CsvRow& row) {
  std::vector<std::string> overrides;
  const std::string text = header.text(row, "set");
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word.find('=') == std::string::npos)
      fail(row.line, fmt::format("'{}' sets nothing", shown(word)),
           "write NAME=VALUE, several with blanks between them");
    overrides.push_back(std::move(word));
  }
  return overrides;
}

std::string needed(const Header& header, const CsvRow& row, std::string_view column) {
  std::string text = header.text(row, column);
  if (text.empty()) fail(row.line, fmt::format("the row has no {}", column), kDocument);
  return text;
}

MeasuredPoint point_of(const Header& header, const CsvRow& row, const std::string& folder,
                       Rows rows) {
  if (row.fields.size() != header.fields())
    fail(row.line,
         fmt::format("the row has {} fields, the table {} columns", row.fields.size(),
                     header.fields()),
         "put fields with commas in double quotes; empty fields need their comma");
  MeasuredPoint point;
  point.line = row.line;
  const std::filesystem::path job = needed(header, row, "job");
  point.job = (std::filesystem::path(folder) / job).lexically_normal().string();
  point.gpu = point.gpu_field = needed(header, row, "gpu");
  if (config::is_gpu_path(point.gpu))
    point.gpu = (std::filesystem::path(folder) / point.gpu).lexically_normal().string();
  point.order = needed(header, row, "order");
  point.tiles = header.text(row, "tiles");
  point.overrides = overrides_of(header, row);
  point.family = header.text(row, "family");
  point.l2_hit_pct = number(header, row, "l2_hit_pct", kPercents);
  point.last_level_hit_pct = number(header, row, "last_level_hit_pct", kPercents);
  point.dram_read_mb = number(header, row, "dram_read_mb", kMegabytes);
  point.speedup = number(header, row, "speedup", kSpeedups);
  point.time_us = number(header, row, "time_us", kTimesUs);
  point.source = header.text(row, "source");
  point.note = header.text(row, "note");
  for (const char* const size : {"registers", "shared_bytes", "spills"})
    number(header, row, size, kSizes);
  if (rows == Rows::measured && !point.l2_hit_pct && !point.last_level_hit_pct &&
      !point.dram_read_mb && !point.speedup && !point.time_us)
    fail(row.line, "the row has no measurement",
         "fill in one of l2_hit_pct, last_level_hit_pct, dram_read_mb, speedup and time_us");
  return point;
}

}  // namespace

std::vector<MeasuredPoint> parse_points(std::string_view text, const std::string& shown,
                                        const std::string& folder, Rows wanted) {
  try {
    const std::vector<CsvRow> rows = parse_csv(text);
    if (rows.empty())
      fail(0, "the table is empty", "its first row names the columns: job,gpu,order,l2_hit_pct");
    const Header header(rows.front());
    std::vector<MeasuredPoint> points;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      points.push_back(point_of(header, rows[i], folder, wanted));
      points.back().table = shown;
    }
    if (points.empty()) fail(0, "the table has no points", "add rows below the first one");
    return points;
  } catch (const Error& error) {
    throw error.in(shown);
  }
}

std::vector<MeasuredPoint> read_points(const std::string& path, Rows rows) {
  const std::string folder =
      path == "-" ? std::string() : std::filesystem::path(path).parent_path().string();
  return parse_points(read_text(path, CsvLimits{}.bytes), display_name(path), folder, rows);
}

}  // namespace heddle::calibrate
