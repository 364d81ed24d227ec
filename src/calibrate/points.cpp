#include "calibrate/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "calibrate/csv.h"
#include "config/spelling.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle::calibrate {
namespace {

constexpr std::size_t kLongestShown = 60;
constexpr double kMostNumber = 1e15;
constexpr const char* kDocument = "see docs/validate.md";

[[noreturn]] void fail(int line, std::string what, std::string hint) {
  throw Error(std::move(what), std::move(hint)).at({}, {line, 1});
}

/// The place of each of kColumns in the rows; nothing for those that the table leaves out.
class Header {
 public:
  explicit Header(const CsvRow& row) : fields_(row.fields.size()) {
    const std::vector<std::string> known(kColumns.begin(), kColumns.end());
    for (std::size_t at = 0; at < row.fields.size(); ++at) {
      const std::string& name = row.fields[at];
      const auto found = std::find(kColumns.begin(), kColumns.end(), name);
      if (found == kColumns.end())
        fail(row.line, fmt::format("no column is called '{}'", name.substr(0, kLongestShown)),
             fmt::format("{}the columns are: {}", config::did_you_mean(name, known),
                         config::word_list(known)));
      std::optional<std::size_t>& place =
          places_[static_cast<std::size_t>(found - kColumns.begin())];
      if (place) fail(row.line, fmt::format("two columns are called '{}'", name), "drop one");
      place = at;
    }
    for (const std::string_view needed : {"job", "gpu", "order"}) {
      if (!place_of(needed))
        fail(row.line, fmt::format("the table has no column '{}'", needed),
             fmt::format("the first row names the columns: {}", config::word_list(known)));
    }
  }

  std::size_t fields() const { return fields_; }

  std::string text(const CsvRow& row, std::string_view column) const {
    const std::optional<std::size_t> place = place_of(column);
    return place ? std::string(trim(row.fields[*place])) : std::string();
  }

 private:
  std::optional<std::size_t> place_of(std::string_view column) const {
    const auto found = std::find(kColumns.begin(), kColumns.end(), column);
    return places_[static_cast<std::size_t>(found - kColumns.begin())];
  }

  std::size_t fields_;
  std::array<std::optional<std::size_t>, kColumns.size()> places_;
};

std::optional<double> number(const Header& header, const CsvRow& row, std::string_view column,
                             bool is_percent) {
  const std::string text = header.text(row, column);
  if (text.empty()) return std::nullopt;
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const std::string hint = is_percent ? "write a number from 0 to 100, or leave the field empty"
                                      : "write a number above 0, or leave the field empty";
  if (error != std::errc() || stop != end || !std::isfinite(value))
    fail(row.line,
         fmt::format("{} is '{}', which is no number", column, text.substr(0, kLongestShown)),
         hint);
  const bool fits = is_percent ? value >= 0 && value <= 100 : value > 0 && value <= kMostNumber;
  if (!fits) fail(row.line, fmt::format("{} cannot be {}", column, text), hint);
  return value;
}

std::vector<std::string> overrides_of(const Header& header, const CsvRow& row) {
  std::vector<std::string> overrides;
  const std::string text = header.text(row, "set");
  for (const std::string_view part : split(text, ' ')) {
    if (trim(part).empty()) continue;
    if (part.find('=') == std::string_view::npos)
      fail(row.line, fmt::format("'{}' sets nothing", part.substr(0, kLongestShown)),
           "write NAME=VALUE, several with blanks between them");
    overrides.emplace_back(trim(part));
  }
  return overrides;
}

std::string needed(const Header& header, const CsvRow& row, std::string_view column) {
  std::string text = header.text(row, column);
  if (text.empty()) fail(row.line, fmt::format("the row has no {}", column), kDocument);
  return text;
}

MeasuredPoint point_of(const Header& header, const CsvRow& row, const std::string& folder) {
  if (row.fields.size() != header.fields())
    fail(row.line,
         fmt::format("the row has {} fields, the table {} columns", row.fields.size(),
                     header.fields()),
         "put fields with commas in double quotes; empty fields need their comma");
  MeasuredPoint point;
  point.line = row.line;
  const std::filesystem::path job = needed(header, row, "job");
  point.job = (std::filesystem::path(folder) / job).lexically_normal().string();
  point.gpu = needed(header, row, "gpu");
  point.order = needed(header, row, "order");
  point.tiles = header.text(row, "tiles");
  point.overrides = overrides_of(header, row);
  point.l2_hit_pct = number(header, row, "l2_hit_pct", true);
  point.last_level_hit_pct = number(header, row, "last_level_hit_pct", true);
  point.speedup = number(header, row, "speedup", false);
  point.time_us = number(header, row, "time_us", false);
  point.source = header.text(row, "source");
  point.note = header.text(row, "note");
  if (!point.l2_hit_pct && !point.last_level_hit_pct && !point.speedup && !point.time_us)
    fail(row.line, "the row has no measurement",
         "fill in one of l2_hit_pct, last_level_hit_pct, speedup and time_us");
  return point;
}

}  // namespace

std::vector<MeasuredPoint> parse_points(std::string_view text, const std::string& shown,
                                        const std::string& folder) {
  try {
    const std::vector<CsvRow> rows = parse_csv(text);
    if (rows.empty())
      fail(0, "the table is empty", "its first row names the columns: job,gpu,order,l2_hit_pct");
    const Header header(rows.front());
    std::vector<MeasuredPoint> points;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      points.push_back(point_of(header, rows[i], folder));
      points.back().table = shown;
    }
    if (points.empty()) fail(0, "the table has no points", "add rows below the first one");
    return points;
  } catch (const Error& error) {
    throw error.in(shown);
  }
}

std::vector<MeasuredPoint> read_points(const std::string& path) {
  const std::string folder =
      path == "-" ? std::string() : std::filesystem::path(path).parent_path().string();
  return parse_points(read_text(path, kTableBytes), display_name(path), folder);
}

}  // namespace heddle::calibrate
