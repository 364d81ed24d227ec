// A SQLite file of somebody else's: only read, and nothing in it believed.
//
//   ForeignDatabase file("7_results.db");
//   for (ForeignRows rows(file, "rocpd_string_0a", {"id", "string"}); rows.next();)
//     names[rows.integer(0)] = rows.text(1);
//
// Rules
//   1. Nothing is written, created or locked, beside the file neither. A file whose journal or
//      write-ahead log is not empty was not closed: an Error.
//   2. Tables are read, row by row. Views, triggers, virtual tables, generated columns and functions
//      are neither run nor parsed further than SQLite parses a schema.
//   3. A value has at most kMostValueBytes, a table kMostRows rows: an Error beyond that. So is a
//      file that is damaged, and one that is not a database.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace heddle::profile {

inline constexpr int kMostValueBytes = 1 << 20;
inline constexpr std::size_t kMostRows = std::size_t{128} << 20;

class ForeignDatabase {
 public:
  explicit ForeignDatabase(const std::string& path);

  /// Of plain tables, sorted.
  const std::vector<std::string>& tables() const { return tables_; }
  /// Plain columns of one of them. An Error if it has no such table.
  std::vector<std::string> columns(const std::string& table) const;
  const std::string& path() const { return path_; }

 private:
  friend class ForeignRows;
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  [[noreturn]] void fail() const;

  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
  std::vector<std::string> tables_;
};

class ForeignRows {
 public:
  /// An Error if the table or a column is not there.
  ForeignRows(const ForeignDatabase& database, const std::string& table,
              const std::vector<std::string>& columns);

  bool next();
  std::optional<std::int64_t> integer(int column) const;
  std::optional<double> number(int column) const;
  bool is_null(int column) const;
  /// Valid until next(); empty where there is no value.
  std::string_view text(int column) const;

 private:
  friend class ForeignDatabase;
  ForeignRows(const ForeignDatabase& database, const std::string& sql);

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  const ForeignDatabase& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::size_t rows_ = 0;
};

}  // namespace heddle::profile
