// A CSV file of counters: one row per dispatch, thousands of columns, read where they are needed.
//
//   Dispatch_ID,Kernel_Name,SQ_WAVES        rows()               2
//   0,"copy(int*, int)",16384               text("Kernel_Name", 0)   copy(int*, int)
//   1,"copy(int*, int)",                    number("SQ_WAVES", 1)    nothing
//
// Rules
//   1. Quotes may hold commas, line ends and, doubled, quotes. A line may end in CR LF. A byte
//      order mark is skipped.
//   2. A row with another number of fields than the header is damaged: it keeps its place, has no
//      values, and a note says so. So does a row whose quotes do not close.
//   3. An empty field and "nan", "N/A" are not numbers, nor is text where a number should be.
//      "3.0" is an integer: a gap somewhere in a column makes its writer print all of it so.
//   4. Of columns with the same name the first counts.
//   5. The text is kept whole; a field takes four bytes more, a damaged row nothing. A header of
//      more than kMostColumns fields, or one that holds a zero byte, is not a table: no columns, no
//      rows, and a note.
//   6. A last row without a line end is read; a note says that it may have been cut.
//   7. A table can also be made of columns, where a recording is not a file of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profile/workload/column_store.h"
#include "results/panel.h"

namespace heddle::profile {

/// The largest table that is read, after unpacking.
inline constexpr std::size_t kTableBytes = std::size_t{256} << 20;
/// Many times what any GPU has counters.
inline constexpr std::size_t kMostColumns = 65'536;

class Splitter;

class CounterTable {
 public:
  CounterTable() = default;
  /// `shown` is what notes call the file. Never throws for what the text holds.
  CounterTable(std::string text, const std::string& shown, std::vector<ProfileNote>& notes);
  /// Of `rows` rows; the store is finished.
  CounterTable(ColumnStore columns, std::size_t rows);
  /// Columns point into the text: a table moves, it is not copied.
  CounterTable(CounterTable&&) = default;
  CounterTable& operator=(CounterTable&&) = default;
  CounterTable(const CounterTable&) = delete;
  CounterTable& operator=(const CounterTable&) = delete;

  std::size_t rows() const { return rows_.size(); }
  bool damaged(std::size_t row) const { return rows_[row] == kDamaged; }
  /// From now on the row counts as damaged.
  void leave_out(std::size_t row) { rows_[row] = kDamaged; }
  /// The column under another name, unless there is one of that name.
  void rename(const std::string& from, const std::string& to);
  /// In the order of the file.
  const std::vector<std::string>& columns() const { return names_; }
  bool has(std::string_view column) const { return find(column).has_value(); }

  /// The column's place; nothing if there is none of that name.
  std::optional<std::size_t> find(std::string_view column) const;
  std::string text(std::size_t column, std::size_t row) const;
  std::optional<double> number(std::size_t column, std::size_t row) const;
  std::optional<std::int64_t> integer(std::size_t column, std::size_t row) const;
  /// Which word of its column the text is, where a column holds each word once; else nothing.
  std::optional<std::uint32_t> word(std::size_t column, std::size_t row) const {
    return store_ && !damaged(row) ? store_->word_at(column, row) : std::nullopt;
  }
  /// The numbers of all rows where each has one and they lie together; else null.
  const std::vector<double>* all_numbers(std::size_t column) const;

 private:
  static constexpr std::size_t kDamaged = static_cast<std::size_t>(-1);

  bool read_header(Splitter& splitter, const std::string& shown, std::vector<ProfileNote>& notes);
  void read_rows(Splitter& splitter, const std::string& shown, std::vector<ProfileNote>& notes);
  std::string_view field(std::size_t column, std::size_t row) const;

  std::string text_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<std::size_t> rows_;      ///< where a row begins in begins_, or kDamaged
  std::vector<std::uint32_t> begins_;  ///< of each field of a row, and one past its end
  std::optional<ColumnStore> store_;   ///< instead of text_ and begins_
};

/// "5,40", "16,384", "1.048.576", "1 048 576": a number, but not as the C locale writes it.
bool is_number_of_a_locale(std::string_view text);
/// Throws: "1.048" in another cell means 1048, and nothing tells.
[[noreturn]] void refuse_locale(const std::string& shown, const std::string& number,
                                const std::string& column);
/// "  12 " -> 12, "1e3" -> 1000; nothing for anything else, and for nan.
std::optional<double> parse_number(std::string_view text);

}  // namespace heddle::profile
