#include "support/csv_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/error.h"
#include "support/text.h"

namespace heddle {
namespace {

/// The place of the first byte that is no part of UTF-8; the size if there is none.
std::size_t first_invalid(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto first = static_cast<unsigned char>(text[at]);
    const std::size_t more = first < 0x80                    ? 0
                             : first >= 0xc2 && first < 0xe0 ? 1
                             : first >= 0xe0 && first < 0xf0 ? 2
                             : first >= 0xf0 && first < 0xf5 ? 3
                                                             : text.size();
    if (at + more >= text.size()) return at;
    for (std::size_t i = 1; i <= more; ++i) {
      if ((static_cast<unsigned char>(text[at + i]) & 0xc0U) != 0x80) return at;
    }
    at += more + 1;
  }
  return text.size();
}

class Reader {
 public:
  Reader(std::string_view text, const CsvLimits& limits) : text_(text), limits_(limits) {}

  std::vector<CsvRow> run() {
    if (text_.size() > limits_.bytes)
      fail(0, fmt::format("the table is larger than {} MiB", limits_.bytes >> 20),
           "split it into several tables");
    check_text();
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // a byte order mark
    while (at_ < text_.size()) {
      if (skip_line()) continue;
      if (rows_.size() == limits_.rows)
        fail(line_,
             fmt::format("the table has more than {} rows",
                         with_separators(static_cast<std::int64_t>(limits_.rows))),
             "split it into several tables");
      read_row();
    }
    return std::move(rows_);
  }

 private:
  [[noreturn]] static void fail(int line, std::string what, std::string hint) {
    throw Error(std::move(what), std::move(hint)).at({}, {line, 1});
  }

  void check_text() const {
    const char* how = "save the table as text in UTF-8, with commas between the fields";
    if (text_.find('\0') != std::string_view::npos)
      fail(0, "the table is not UTF-8 text: it has zero bytes", how);
    if (const std::size_t wrong = first_invalid(text_); wrong < text_.size())
      fail(1 + static_cast<int>(std::count(text_.begin(), text_.begin() + at(wrong), '\n')),
           "the table is not UTF-8 text", how);
    const bool has_line_feed = text_.find('\n') != std::string_view::npos;
    if (!has_line_feed && text_.find('\r') != std::string_view::npos)
      fail(0, "the table's lines end in carriage returns alone", "save it with Unix line ends");
  }

  static std::ptrdiff_t at(std::size_t place) { return static_cast<std::ptrdiff_t>(place); }

  bool at_end_of_line() const { return at_ >= text_.size() || text_[at_] == '\n'; }

  /// Passes a blank line or a comment; false if there is a row here.
  bool skip_line() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = trim(text_.substr(at_, end - at_));
    if (!line.empty() && line.front() != '#') return false;
    at_ = end + 1;
    ++line_;
    return true;
  }

  void read_row() {
    CsvRow& row = rows_.emplace_back();
    row.line = line_;
    while (true) {
      if (row.fields.size() == kMostFields)
        fail(row.line, fmt::format("the row has more than {} fields", kMostFields),
             "put fields with commas in double quotes");
      row.fields.push_back(read_field());
      if (at_end_of_line()) break;
      ++at_;  // the comma
    }
    ++at_;
    ++line_;
  }

  std::string read_field() {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '"') return read_quoted();
    const std::size_t start = at_;
    while (!at_end_of_line() && text_[at_] != ',') {
      if (text_[at_] == '"')
        fail(line_, "a double quote stands inside a field",
             "put the whole field in double quotes, and write each of its own twice");
      ++at_;
    }
    return std::string(trim(text_.substr(start, at_ - start)));
  }

  std::string read_quoted() {
    const int start = line_;
    std::string field;
    ++at_;
    while (true) {
      if (at_ >= text_.size())
        fail(start, "a quoted field does not end", "close it with a double quote");
      const char c = text_[at_++];
      if (c == '"') {
        if (at_ >= text_.size() || text_[at_] != '"') break;
        ++at_;
      }
      if (c == '\n') ++line_;
      field += c;
    }
    skip_blanks();
    if (!at_end_of_line() && text_[at_] != ',')
      fail(line_, "text follows a quoted field", "put all of the field in the quotes");
    return field;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }

  std::string_view text_;
  CsvLimits limits_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<CsvRow> rows_;
};

}  // namespace

std::vector<CsvRow> parse_csv(std::string_view text, const CsvLimits& limits) {
  return Reader(text, limits).run();
}

}  // namespace heddle
