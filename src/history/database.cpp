#include "history/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>

namespace heddle::history {
namespace {

constexpr int kMilliseconds = 1000;

/// The path as SQLite must see it: ":memory:" and "file:x" are names of files here.
std::string plain_path(const std::string& path) {
  return std::filesystem::absolute(path).string();
}

}  // namespace

Error damaged(const std::string& path, const std::string& finding) {
  return Error(fmt::format("the history '{}' is damaged: {}", path, finding),
               "move it away and heddle starts a new one, or put a copy of it back");
}

Database::Database(std::string path, bool create) : path_(std::move(path)) {
  const int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(plain_path(path_).c_str(), &handle, flags, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(code);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusySeconds * kMilliseconds);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
}

void Database::Close::operator()(sqlite3* handle) const {
  sqlite3_close_v2(handle);
}

void Database::execute(const std::string& sql) {
  Statement(*this, sql).step();
}

Value Database::cell(const std::string& sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.column(0) : Value{};
}

bool Database::read_only() const {
  return sqlite3_db_readonly(handle_.get(), "main") == 1;
}

void Database::fail(int code) const {
  const std::string said = handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Error(fmt::format("another process holds the history '{}' for more than {} seconds",
                              path_, kBusySeconds),
                  "wait until it has ended, or name another file with --history",
                  ExitCode::missing);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      throw damaged(path_, said);
    case SQLITE_FULL:
      throw Error(fmt::format("there is no room for the history '{}'", path_),
                  "free some space, or name a file on another disk with --history",
                  ExitCode::missing);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      throw Error(fmt::format("cannot write the history '{}' or its journal: {}", path_, said),
                  "check the permissions of the file and of its folder", ExitCode::missing);
    default:
      throw Error(fmt::format("the history '{}' cannot be used: {}", path_, said),
                  "check the disk, or name another file with --history", ExitCode::missing);
  }
}

Statement::Statement(Database& database, const std::string& sql) : database_(database) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database.handle(), sql.c_str(),
                                      static_cast<int>(sql.size()) + 1, &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) database.fail(code);
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

void Statement::bind(int parameter, const Value& value) {
  sqlite3_stmt* statement = statement_.get();
  int code = SQLITE_OK;
  if (const auto* number = std::get_if<std::int64_t>(&value))
    code = sqlite3_bind_int64(statement, parameter, *number);
  else if (const auto* real = std::get_if<double>(&value))
    code = sqlite3_bind_double(statement, parameter, *real);
  else if (const auto* text = std::get_if<std::string>(&value))
    code = sqlite3_bind_text64(statement, parameter, text->data(), text->size(), SQLITE_TRANSIENT,
                               SQLITE_UTF8);
  else
    code = sqlite3_bind_null(statement, parameter);
  if (code != SQLITE_OK) database_.fail(code);
}

void Statement::bind(const Row& row) {
  int parameter = 0;
  for (const Value& value : row) bind(++parameter, value);
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail(code);
  return false;
}

Value Statement::column(int column) const {
  sqlite3_stmt* statement = statement_.get();
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_NULL:
      return {};
    default:
      break;
  }
  const void* bytes = sqlite3_column_blob(statement, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
  return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
}

Row Statement::row() const {
  Row row;
  const int count = sqlite3_column_count(statement_.get());
  for (int i = 0; i < count; ++i) row.push_back(column(i));
  return row;
}

Transaction::Transaction(Database& database, Kind kind) : database_(database) {
  database.execute(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  // What fails here has failed before, and said so.
  if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace heddle::history
