#include "profile/workload/foreign_database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "support/error.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOtherSchema =
    "its schema is not one that heddle knows; record with rocprofv3 of ROCm 7";
constexpr const char* kRecordAgain = "record it again, or name another file";

/// "file:/a%20b?immutable=1": SQLite then neither locks the file nor looks for a journal.
std::string read_only_address(const std::string& path) {
  std::string address = "file:";
  for (const char c : fs::absolute(path).string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '/' || c == '_' || c == '-' || c == '.')
      address += c;
    else
      address += fmt::format("%{:02X}", byte);
  }
  return address + "?immutable=1";
}

/// SQLite takes what is missing of the last page for zeros.
void check_whole(const std::string& path, const std::string& header) {
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::uintmax_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      value = value << 8U | static_cast<unsigned char>(header[at + i]);
    return value;
  };
  // Old versions of SQLite leave the number of pages as it was, and the two counts differ.
  if (number(24, 4) != number(92, 4)) return;
  const std::uintmax_t page = number(16, 2) == 1 ? 65'536 : number(16, 2);
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error), whole = number(28, 4) * page;
  if (!error && size < whole)
    throw Error(fmt::format("'{}' ends early: it has {} of {} bytes", path, size, whole),
                kRecordAgain, ExitCode::missing);
}

void check_header(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string header(100, '\0');
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  if (!file || !header.starts_with(std::string_view("SQLite format 3\0", 16)))
    throw Error(fmt::format("'{}' is not a SQLite database", path), kRecordAgain,
                ExitCode::missing);
  check_whole(path, header);
  for (const char* ending : {"-wal", "-journal"}) {
    std::error_code error;
    const auto size = fs::file_size(path + ending, error);
    if (!error && size > 0)
      throw Error(fmt::format("'{}' was not closed: '{}{}' holds changes to it", path,
                              fs::path(path).filename().string(), ending),
                  "wait until the profiler has ended, or record again", ExitCode::missing);
  }
}

/// Only what reading a plain table needs.
int authorize(void*, int action, const char* first, const char*, const char*, const char*) {
  if (action == SQLITE_SELECT || action == SQLITE_READ) return SQLITE_OK;
  if (action == SQLITE_PRAGMA && first != nullptr && std::string_view(first) == "table_xinfo")
    return SQLITE_OK;
  return SQLITE_DENY;
}

std::string quoted_name(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

std::string select_sql(const std::string& table, const std::vector<std::string>& columns) {
  std::string list;
  for (const std::string& column : columns)
    list += (list.empty() ? "" : ", ") + quoted_name(column);
  return fmt::format("SELECT {} FROM {}", list, quoted_name(table));
}

}  // namespace

void ForeignDatabase::Close::operator()(sqlite3* handle) const {
  sqlite3_close_v2(handle);
}

void ForeignDatabase::fail() const {
  throw Error(fmt::format("'{}' cannot be read: {}", path_,
                          handle_ ? sqlite3_errmsg(handle_.get()) : "SQLite has no memory"),
              kRecordAgain, ExitCode::missing);
}

ForeignDatabase::ForeignDatabase(const std::string& path) : path_(path) {
  check_header(path);
  sqlite3* handle = nullptr;
  // One thread reads it: no locks for each value.
  const int code =
      sqlite3_open_v2(read_only_address(path).c_str(), &handle,
                      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail();
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kMostValueBytes);
  sqlite3_set_authorizer(handle, authorize, nullptr);
  ForeignRows rows(*this, "SELECT type, name, sql FROM sqlite_master");
  while (rows.next()) {
    if (rows.text(0) != "table") continue;
    const std::string sql = lower_case(rows.text(2).substr(0, 64));
    if (!sql.starts_with("create virtual")) tables_.emplace_back(rows.text(1));
  }
  std::ranges::sort(tables_);
}

std::vector<std::string> ForeignDatabase::columns(const std::string& table) const {
  if (!std::ranges::binary_search(tables_, table))
    throw Error(fmt::format("'{}' has no table {}", path_, table.substr(0, 80)), kOtherSchema,
                ExitCode::missing);
  std::vector<std::string> names;
  ForeignRows rows(*this, fmt::format("PRAGMA table_xinfo({})", quoted_name(table)));
  // The last column is not 0 for what is hidden or generated.
  while (rows.next()) {
    if (rows.integer(6) == 0) names.emplace_back(rows.text(1));
  }
  return names;
}

ForeignRows::ForeignRows(const ForeignDatabase& database, const std::string& sql)
    : database_(database) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database.handle_.get(), sql.c_str(),
                                      static_cast<int>(sql.size()) + 1, &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) database.fail();
}

ForeignRows::ForeignRows(const ForeignDatabase& database, const std::string& table,
                         const std::vector<std::string>& columns)
    : database_(database) {
  const std::vector<std::string> there = database.columns(table);
  for (const std::string& column : columns) {
    if (std::ranges::find(there, column) == there.end())
      throw Error(fmt::format("'{}' has no column {} in its table {}", database.path(), column,
                              table.substr(0, 80)),
                  kOtherSchema, ExitCode::missing);
  }
  statement_ = std::move(ForeignRows(database, select_sql(table, columns)).statement_);
}

void ForeignRows::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

bool ForeignRows::next() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_DONE) return false;
  if (code != SQLITE_ROW) database_.fail();
  if (++rows_ > kMostRows)
    throw Error(fmt::format("'{}' has a table of more than {} rows", database_.path(),
                            with_separators(static_cast<std::int64_t>(kMostRows))),
                kRecordAgain, ExitCode::missing);
  return true;
}

std::optional<std::int64_t> ForeignRows::integer(int column) const {
  sqlite3_value* value = sqlite3_column_value(statement_.get(), column);
  if (sqlite3_value_type(value) != SQLITE_INTEGER) return std::nullopt;
  return sqlite3_value_int64(value);
}

std::optional<double> ForeignRows::number(int column) const {
  sqlite3_value* value = sqlite3_column_value(statement_.get(), column);
  const int type = sqlite3_value_type(value);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return std::nullopt;
  return sqlite3_value_double(value);
}

bool ForeignRows::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::string_view ForeignRows::text(int column) const {
  if (sqlite3_column_type(statement_.get(), column) == SQLITE_NULL) return {};
  const auto* bytes = sqlite3_column_text(statement_.get(), column);
  if (bytes == nullptr) return {};
  return {reinterpret_cast<const char*>(bytes),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

}  // namespace heddle::profile
