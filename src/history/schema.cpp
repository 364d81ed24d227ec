#include "history/schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "history/file_check.h"
#include "history/rows.h"

namespace heddle::history {
namespace {

struct Table {
  std::string name;
  std::vector<Column> columns;  ///< without the checksum
};

const std::vector<Table>& tables() {
  static const std::vector<Table> all = [] {
    const Column id = {"id", "INTEGER PRIMARY KEY"};
    std::vector<Table> made = {{"runs",
                                {id,
                                 {"started", "TEXT"},
                                 {"job", "TEXT"},
                                 {"kernel", "TEXT"},
                                 {"grid", "TEXT"},
                                 {"work_hash", "TEXT"},
                                 {"gpu", "TEXT"},
                                 {"gpu_hash", "TEXT"},
                                 {"model", "TEXT"}}},
                               {"ends",
                                {id,
                                 {"answer", "TEXT"},
                                 {"best_title", "TEXT"},
                                 {"speedup", "REAL"},
                                 {"search_end", "TEXT"}}},
                               {"attempts", {id, {"run", "INTEGER"}}},
                               {"predictions", {id, {"attempt", "INTEGER"}}}};
    for (const Column& column : attempt_columns()) made[2].columns.push_back(column);
    for (const Column& column : prediction_columns()) made[3].columns.push_back(column);
    return made;
  }();
  return all;
}

const Table& table_of(const std::string& name) {
  return *std::ranges::find(tables(), name, &Table::name);
}

/// The statements that make the tables, which SQLite keeps word for word.
std::vector<std::string> schema() {
  std::vector<std::string> statements;
  for (const Table& table : tables()) {
    std::string columns;
    for (const Column& column : table.columns) columns += column.name + " " + column.type + ", ";
    statements.push_back(fmt::format("CREATE TABLE {}({}checksum INTEGER)", table.name, columns));
  }
  statements.emplace_back("CREATE INDEX runs_by_work ON runs(work_hash, gpu_hash, model, grid)");
  statements.emplace_back("CREATE INDEX attempts_by_run ON attempts(run, iteration)");
  statements.emplace_back("CREATE INDEX predictions_by_attempt ON predictions(attempt, fidelity)");
  return statements;
}

void check_rows(Database& database, const Table& table) {
  Statement rows(database, fmt::format("SELECT * FROM {} ORDER BY id", table.name));
  while (rows.step()) {
    Row row = rows.row();
    const Value checksum = row.back();
    row.pop_back();
    if (checksum != Value{row_checksum(row)})
      throw damaged(database.path(),
                    fmt::format("a row of the table {} is not what was written", table.name));
  }
}

}  // namespace

bool has_no_tables(Database& database) {
  return database.cell("SELECT count(*) FROM sqlite_master") == Value{std::int64_t{0}} &&
         database.cell("PRAGMA application_id") == Value{std::int64_t{0}};
}

void make_tables(Database& database) {
  Transaction transaction(database, Transaction::Kind::write);
  if (!has_no_tables(database)) return;  // another process was faster
  database.execute(fmt::format("PRAGMA application_id = {}", kApplicationId));
  database.execute(fmt::format("PRAGMA user_version = {}", kVersion));
  for (const std::string& statement : schema()) database.execute(statement);
  transaction.commit();
}

void check_tables(Database& database) {
  const Transaction transaction(database, Transaction::Kind::read);
  const Value found = database.cell("PRAGMA integrity_check(1)");
  if (found != Value{std::string("ok")}) {
    const auto* text = std::get_if<std::string>(&found);
    throw damaged(database.path(), text == nullptr ? "it cannot be checked" : *text);
  }
  std::vector<std::string> there;
  Statement statements(database, "SELECT sql FROM sqlite_master ORDER BY rowid");
  while (statements.step()) decode(statements.column(0), there.emplace_back());
  if (there != schema()) throw damaged(database.path(), "its tables are not those of a history");
  for (const Table& table : tables()) check_rows(database, table);
}

std::string column_list(const std::string& table) {
  std::vector<std::string> names;
  for (const Column& column : table_of(table).columns) names.push_back(table + "." + column.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::size_t column_count(const std::string& table) {
  return table_of(table).columns.size();
}

void write_row(Database& database, const std::string& table, Row row) {
  row.emplace_back(row_checksum(row));
  std::string places = "?";
  for (std::size_t i = 1; i < row.size(); ++i) places += ", ?";
  Statement insert(database, fmt::format("INSERT OR REPLACE INTO {} VALUES({})", table, places));
  insert.bind(row);
  insert.step();
}

}  // namespace heddle::history
