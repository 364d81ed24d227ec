#include "profile/workload/counter_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "support/error.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

constexpr std::size_t kMostDamageNotes = 3;
/// A command of several lines may stand in sysinfo.csv.
constexpr int kMostLinesInQuotes = 64;
constexpr std::size_t kAnyFields = 0;

}  // namespace

/// Splits records: the beginnings of fields, with quotes heeded.
class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {
    if (text_.substr(0, 3) == "\xef\xbb\xbf") at_ = 3;
  }

  bool done() const { return at_ >= text_.size(); }
  int line() const { return line_; }

  /// Appends where the fields of the next record begin, then one past its end (as if another field
  /// began there). False if a quote does not close: then the record ends with its line. Where
  /// quotes hold line ends, closing them must give `expected` fields; a quote that was cut off
  /// would otherwise pair with one of a later row. Of very many fields, one more than kMostColumns
  /// are told.
  bool next(std::vector<std::uint32_t>& begins, std::size_t expected) {
    const std::size_t first = begins.size();
    begins.push_back(static_cast<std::uint32_t>(at_));
    bool quoted = false;
    int lines_in_quotes = 0;
    std::size_t first_line_end = text_.size();
    for (; at_ < text_.size() && lines_in_quotes <= kMostLinesInQuotes; ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        quoted = !quoted;
      } else if (c == '\n') {
        if (!quoted) break;
        if (lines_in_quotes++ == 0) first_line_end = at_;
      } else if (c == ',' && !quoted && begins.size() - first <= kMostColumns) {
        begins.push_back(static_cast<std::uint32_t>(at_ + 1));
      }
    }
    const bool across = lines_in_quotes > 0 && begins.size() - first != expected;
    const bool closed = !quoted && !across;
    if (!closed) {
      at_ = std::min(at_, first_line_end);
      while (begins.back() > at_) begins.pop_back();
      lines_in_quotes = 0;
    }
    begins.push_back(static_cast<std::uint32_t>(at_ + 1));
    line_ += lines_in_quotes + 1;
    if (at_ < text_.size()) ++at_;
    return closed;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

namespace {

std::string unquoted(std::string_view field) {
  field = trim(field);
  if (field.size() < 2 || field.front() != '"' || field.back() != '"') return std::string(field);
  field = field.substr(1, field.size() - 2);
  std::string text;
  text.reserve(field.size());
  for (std::size_t i = 0; i < field.size(); ++i) {
    text += field[i];
    if (field[i] == '"' && i + 1 < field.size() && field[i + 1] == '"') ++i;
  }
  return text;
}

bool is_blank_line(const std::vector<std::uint32_t>& begins, std::size_t first,
                   std::string_view text) {
  return begins.size() == first + 2 &&
         trim(text.substr(begins[first], begins[first + 1] - begins[first] - 1)).empty();
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  text = trim(text);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (std::isnan(value)) return std::nullopt;
  return value;
}

bool is_number_of_a_locale(std::string_view text) {
  text = trim(text);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  // With spaces that do not break.
  return text.find_first_not_of("0123456789.,' \xc2\xa0\xe2\x80\xaf") == std::string_view::npos &&
         text.find_first_of("0123456789") != std::string_view::npos && !parse_number(text);
}

void refuse_locale(const std::string& shown, const std::string& number, const std::string& column) {
  throw Error(fmt::format("'{}' has numbers as '{}' ({}), not as the C locale writes them: others "
                          "of the file would be misread",
                          shown, number, column),
              "profile again with LC_ALL=C, and do not save the tables from a spreadsheet",
              ExitCode::missing);
}

CounterTable::CounterTable(std::string text, const std::string& shown,
                           std::vector<ProfileNote>& notes)
    : text_(std::move(text)) {
  Splitter splitter(text_);
  if (read_header(splitter, shown, notes)) read_rows(splitter, shown, notes);
}

CounterTable::CounterTable(ColumnStore columns, std::size_t rows)
    : rows_(rows, 0), store_(std::move(columns)) {
  for (std::size_t column = 0; column < store_->columns(); ++column) {
    names_.push_back(store_->name(column));
    places_.emplace(names_.back(), column);
  }
}

void CounterTable::rename(const std::string& from, const std::string& to) {
  const auto found = places_.find(from);
  if (found == places_.end() || places_.contains(to)) return;
  const std::size_t place = found->second;
  names_[place] = to;
  places_.erase(found);
  places_.emplace(to, place);
}

bool CounterTable::read_header(Splitter& splitter, const std::string& shown,
                               std::vector<ProfileNote>& notes) {
  std::vector<std::uint32_t> header;
  while (!splitter.done()) {
    header.clear();
    splitter.next(header, kAnyFields);
    if (!is_blank_line(header, 0, text_)) break;
    header.clear();
  }
  if (header.empty()) {
    notes.push_back({shown, "the file is empty"});
    return false;
  }
  if (header.size() - 1 > kMostColumns) {
    notes.push_back({shown, fmt::format("its header has more than the {} columns that are read",
                                        kMostColumns)});
    return false;
  }
  const std::string_view whole =
      std::string_view(text_).substr(header.front(), header.back() - 1 - header.front());
  if (whole.find('\0') != std::string_view::npos) {
    notes.push_back({shown, "it is not a table: there are zero bytes where its header should be"});
    return false;
  }
  std::string twice;
  for (std::size_t i = 0; i + 1 < header.size(); ++i) {
    names_.push_back(
        unquoted(std::string_view(text_).substr(header[i], header[i + 1] - header[i] - 1)));
    if (!places_.emplace(names_.back(), i).second && twice.empty()) twice = names_.back();
  }
  if (!twice.empty())
    notes.push_back({shown, fmt::format("it has two columns {}; the first one counts", twice)});
  if (names_.size() == 1 && names_[0].find_first_of(";\t") != std::string::npos) {
    notes.push_back({shown,
                     "its columns are not separated by commas: was it saved from a "
                     "spreadsheet?"});
    names_.clear();
    places_.clear();
    return false;
  }
  return true;
}

void CounterTable::read_rows(Splitter& splitter, const std::string& shown,
                             std::vector<ProfileNote>& notes) {
  std::size_t damages = 0;
  while (!splitter.done()) {
    const std::size_t first = begins_.size();
    const int line = splitter.line();
    const bool closed = splitter.next(begins_, names_.size());
    if (is_blank_line(begins_, first, text_)) {
      begins_.resize(first);
      continue;
    }
    const std::size_t fields = begins_.size() - first - 1;
    if (closed && fields == names_.size()) {
      rows_.push_back(first);
      if (splitter.done() && text_.back() != '\n')
        notes.push_back({fmt::format("{}:{}", shown, line),
                         "the last line has no end: if it was cut, its last value is wrong"});
      continue;
    }
    rows_.push_back(kDamaged);
    begins_.resize(first);
    if (++damages > kMostDamageNotes) continue;
    notes.push_back(
        {fmt::format("{}:{}", shown, line),
         closed ? fmt::format("the row has {} where the header has {}; left out",
                              count_of(static_cast<std::int64_t>(fields), "field"), names_.size())
                : "a quote does not close; the row is left out"});
  }
  if (damages > kMostDamageNotes)
    notes.push_back(
        {shown, fmt::format("{} more rows are damaged and left out", damages - kMostDamageNotes)});
  if (rows_.empty()) notes.push_back({shown, "there is a header, but no row"});
}

std::optional<std::size_t> CounterTable::find(std::string_view column) const {
  const auto found = places_.find(std::string(column));
  if (found == places_.end()) return std::nullopt;
  return found->second;
}

std::string_view CounterTable::field(std::size_t column, std::size_t row) const {
  if (damaged(row)) return {};
  const std::size_t at = rows_[row] + column;
  return std::string_view(text_).substr(begins_[at], begins_[at + 1] - begins_[at] - 1);
}

std::string CounterTable::text(std::size_t column, std::size_t row) const {
  if (store_) return damaged(row) ? std::string() : store_->text(column, row);
  return unquoted(field(column, row));
}

std::optional<double> CounterTable::number(std::size_t column, std::size_t row) const {
  if (store_) return damaged(row) ? std::nullopt : store_->number(column, row);
  const std::string_view plain = trim(field(column, row));
  return plain.starts_with('"') ? parse_number(unquoted(plain)) : parse_number(plain);
}

const std::vector<double>* CounterTable::all_numbers(std::size_t column) const {
  if (!store_) return nullptr;
  const std::vector<double>* numbers = store_->all_numbers(column);
  return numbers != nullptr && numbers->size() == rows() &&
                 std::ranges::find(rows_, kDamaged) == rows_.end()
             ? numbers
             : nullptr;
}

std::optional<std::int64_t> CounterTable::integer(std::size_t column, std::size_t row) const {
  if (store_) return damaged(row) ? std::nullopt : store_->integer(column, row);
  const std::string text = unquoted(field(column, row));
  std::string_view digits = trim(text);
  const std::size_t point = digits.find('.');
  if (point != std::string_view::npos && point > 0 &&
      digits.find_first_not_of('0', point + 1) == std::string_view::npos)
    digits = digits.substr(0, point);
  return parse_integer(digits);
}

}  // namespace heddle::profile
