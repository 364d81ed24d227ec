// SQLite as values: a connection, a statement, a transaction, each ended by its destructor. The one
// place that includes sqlite3.h is database.cpp.
//
//   Statement find(database, "SELECT id FROM runs WHERE job = ?");
//   find.bind(1, encode(job));
//   while (find.step()) ids.push_back(find.row());
//
// Rules
//   1. Values reach SQL by bind alone, never by being written into the text.
//   2. A failure is an Error that names the file, says what happened and what to try.
//   3. What another process holds is waited for, kBusySeconds at most.
//   4. A transaction that is not committed is rolled back.
//   5. Committed means on the disk: rollback journal, synchronous=EXTRA. There is no write-ahead
//      log, which needs memory shared between processes and fails on network file systems.
#pragma once

#include <memory>
#include <string>

#include "history/value.h"

struct sqlite3;
struct sqlite3_stmt;

namespace heddle::history {

inline constexpr int kBusySeconds = 10;

class Database {
 public:
  /// Opens the file; `create`: makes an empty one where there is none. Writes nothing else.
  Database(std::string path, bool create);

  /// One statement without values and without rows that matter.
  void execute(const std::string& sql);
  /// The first cell of the first row.
  Value cell(const std::string& sql);
  bool read_only() const;

  /// Throws what a result code of SQLite means for this file.
  [[noreturn]] void fail(int code) const;

  const std::string& path() const { return path_; }
  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

class Statement {
 public:
  Statement(Database& database, const std::string& sql);

  /// Parameters count from 1.
  void bind(int parameter, const Value& value);
  /// All of them, from parameter 1 on.
  void bind(const Row& row);
  /// Whether there is another row.
  bool step();
  /// The row that step has reached.
  Row row() const;
  Value column(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Transaction {
 public:
  enum class Kind { read, write };
  Transaction(Database& database, Kind kind);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

/// The Error for a file that is damaged, with what was found.
Error damaged(const std::string& path, const std::string& finding);

}  // namespace heddle::history
