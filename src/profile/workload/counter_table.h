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
//   3. An empty field and "nan", "N/A" are no number. Text where a number should be is no number.
//   4. Of columns with the same name the first counts.
//   5. The text is kept whole; a table takes about twice the size of its file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "results/panel.h"

namespace heddle::profile {

/// The largest table that is read, after unpacking.
inline constexpr std::size_t kTableBytes = std::size_t{256} << 20;

class CounterTable {
 public:
  CounterTable() = default;
  /// `shown` is what notes call the file. Never throws for what the text holds.
  CounterTable(std::string text, const std::string& shown, std::vector<ProfileNote>& notes);
  /// Columns point into the text: a table moves, it is not copied.
  CounterTable(CounterTable&&) = default;
  CounterTable& operator=(CounterTable&&) = default;
  CounterTable(const CounterTable&) = delete;
  CounterTable& operator=(const CounterTable&) = delete;

  std::size_t rows() const { return damaged_.size(); }
  bool damaged(std::size_t row) const { return damaged_[row]; }
  /// In the order of the file.
  const std::vector<std::string>& columns() const { return names_; }
  bool has(std::string_view column) const { return find(column).has_value(); }

  /// The column's place; nothing if there is none of that name.
  std::optional<std::size_t> find(std::string_view column) const;
  std::string text(std::size_t column, std::size_t row) const;
  std::optional<double> number(std::size_t column, std::size_t row) const;
  std::optional<std::int64_t> integer(std::size_t column, std::size_t row) const;

 private:
  std::string_view field(std::size_t column, std::size_t row) const;

  std::string text_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<bool> damaged_;
  std::vector<std::uint32_t> begins_;  ///< of each field of each row, and the end of the row
};

/// "  12 " -> 12, "1e3" -> 1000; nothing for anything else, and for nan.
std::optional<double> parse_number(std::string_view text);

}  // namespace heddle::profile
