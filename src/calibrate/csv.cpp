#include "calibrate/csv.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/error.h"
#include "support/text.h"

namespace heddle::calibrate {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<CsvRow> run() {
    if (text_.size() > kTableBytes)
      fail(0, fmt::format("the table is larger than {} MiB", kTableBytes >> 20),
           "split it: validate and calibrate take several tables");
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // a byte order mark
    while (at_ < text_.size()) {
      if (skip_line()) continue;
      if (rows_.size() == kMostRows)
        fail(line_, fmt::format("the table has more than {} rows", with_separators(kMostRows)),
             "split it: validate and calibrate take several tables");
      read_row();
    }
    return std::move(rows_);
  }

 private:
  [[noreturn]] static void fail(int line, std::string what, std::string hint) {
    throw Error(std::move(what), std::move(hint)).at({}, {line, 1});
  }

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
        fail(line_, "a double quote stands inside of a field",
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
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<CsvRow> rows_;
};

}  // namespace

std::vector<CsvRow> parse_csv(std::string_view text) {
  return Reader(text).run();
}

}  // namespace heddle::calibrate
