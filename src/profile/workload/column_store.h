// A table held by column: what a recording tells one counter at a time.
//
//   words  Kernel_Name   copy, copy, scale        each name once
//   whole  Dispatch_ID   1, 2, 3
//   real   SQ_WAVES      row 0: 16384, row 2: 64  rows without a value take no room
//
// Rules
//   1. A column has at most one value a row; of several the last one counts, or their sum where
//      add_real says so.
//   2. Where a profiler counted some counters in one dispatch and others in the next (iteration
//      multiplexing), a real that a row lacks is that of a neighbour: the next one in its round that
//      has it, else the last one before it. Neighbours are dispatches of the same kernel.
//   3. Memory grows with the number of values, not with rows times columns. Columns of reals that
//      have a value in every row keep no rows; wholes take four bytes where they fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heddle::profile {

class ColumnStore {
 public:
  /// A column of texts, one for each row; `add_word` in the order of rows.
  std::size_t add_words(std::string name);
  std::size_t add_wholes(std::string name);
  std::size_t add_reals(std::string name);

  void add_word(std::size_t column, std::string_view word);
  /// Nothing: the row has no value.
  void add_whole(std::size_t column, std::optional<std::int64_t> value);
  /// Rows in any order.
  void set_real(std::size_t column, std::uint32_t row, double value);
  /// Adds to what the row has by then.
  void add_real(std::size_t column, std::uint32_t row, double value);
  /// After the last value, before the first question. How many values a later, different one of the
  /// same row replaced.
  std::size_t finish();

  /// Rows of one kernel, in their order, by rule 2. Rounds begin anew after as many rows as there are
  /// different sets of counters. False if the rows together lack a counter that there is.
  bool share(const std::vector<std::uint32_t>& rows);

  const std::string& name(std::size_t column) const { return columns_[column].name; }
  std::size_t columns() const { return columns_.size(); }

  std::string text(std::size_t column, std::size_t row) const;
  std::optional<double> number(std::size_t column, std::size_t row) const;
  std::optional<std::int64_t> integer(std::size_t column, std::size_t row) const;
  /// The place of a word among the words of its column; not of a finished one.
  std::optional<std::uint32_t> find_word(std::size_t column, std::string_view word) const;
  std::uint32_t word(std::size_t column, std::size_t row) const {
    return columns_[column].rows[row];
  }
  /// The same of any column: nothing where it does not hold words.
  std::optional<std::uint32_t> word_at(std::size_t column, std::size_t row) const {
    const Column& its = columns_[column];
    return its.kind == Kind::words && row < its.rows.size() ? std::optional(its.rows[row])
                                                            : std::nullopt;
  }
  /// The values of rows 0, 1, ... of a finished column of reals; null where one of them has none.
  const std::vector<double>* all_numbers(std::size_t column) const;

  /// Reals of row `first + i` become those of row `rows[i]`.
  void renumber(std::uint32_t first, const std::vector<std::uint32_t>& rows);

 private:
  enum class Kind { words, wholes, reals };
  struct Column {
    std::string name;
    Kind kind = Kind::reals;
    std::vector<std::string> words;                       ///< each once
    std::unordered_map<std::string, std::uint32_t> seen;  ///< a word's place; empty when finished
    std::uint32_t last = 0;                               ///< the word that was added last
    /// Words: their places. Reals: rows, or nothing where they are 0, 1, 2, ...
    std::vector<std::uint32_t> rows;
    std::vector<std::int32_t> short_wholes;  ///< the first ones, as long as they fit
    std::vector<std::int64_t> wholes;        ///< all after them
    std::vector<double> reals;
    std::vector<bool> adds;  ///< which of the reals are added; shorter: the others are not
  };

  std::size_t add(std::string name, Kind kind);
  static void name_rows(Column& column);
  static std::size_t sort_rows(Column& column);
  static std::int64_t whole(const Column& column, std::size_t row);

  std::optional<double> own_number(const Column& column, std::size_t row) const;
  std::vector<bool> counted(std::uint32_t row) const;

  struct Neighbours {
    std::vector<std::uint32_t> rows;
    std::size_t round = 1;
  };
  struct Seat {
    std::uint32_t group = 0;
    std::uint32_t place = 0;
  };

  std::vector<Column> columns_;
  std::vector<Neighbours> groups_;
  std::unordered_map<std::uint32_t, Seat> seats_;
};

}  // namespace heddle::profile
