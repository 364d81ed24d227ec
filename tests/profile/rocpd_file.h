// Databases for tests, made up after rocprofv3's schema 3.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>
#include <vector>

namespace heddle::profile {

/// A file that SQL makes.
class DatabaseFile {
 public:
  explicit DatabaseFile(const std::string& path) {
    EXPECT_EQ(sqlite3_open(path.c_str(), &handle_), SQLITE_OK) << path;
  }
  ~DatabaseFile() { sqlite3_close(handle_); }
  DatabaseFile(const DatabaseFile&) = delete;
  DatabaseFile& operator=(const DatabaseFile&) = delete;

  void run(const std::string& sql) const {
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
        << (message == nullptr ? "" : message) << "\n"
        << sql;
    sqlite3_free(message);
  }

 private:
  sqlite3* handle_ = nullptr;
};

/// The tables that readers of counters need, empty, for one recording.
inline std::string rocpd_schema(const std::string& suffix, const std::string& version = "3") {
  const std::string sql = R"sql(
CREATE TABLE "rocpd_metadata@" (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
INSERT INTO "rocpd_metadata@" (tag, value) VALUES ('schema_version', '#');
CREATE TABLE "rocpd_info_agent@" (id INTEGER PRIMARY KEY, guid TEXT, type TEXT,
  absolute_index INTEGER, name TEXT, product_name TEXT, extdata JSONB DEFAULT '{}');
CREATE TABLE "rocpd_info_pmc@" (id INTEGER PRIMARY KEY, guid TEXT, agent_id INTEGER, name TEXT,
  symbol TEXT);
CREATE TABLE "rocpd_info_kernel_symbol@" (id INTEGER PRIMARY KEY, guid TEXT, kernel_name TEXT,
  display_name TEXT, sgpr_count INTEGER, arch_vgpr_count INTEGER, accum_vgpr_count INTEGER);
CREATE TABLE "rocpd_kernel_dispatch@" (id INTEGER PRIMARY KEY, guid TEXT, pid INTEGER,
  agent_id INTEGER, kernel_id INTEGER, dispatch_id INTEGER, start BIGINT, end BIGINT,
  private_segment_size INTEGER, group_segment_size INTEGER, workgroup_size_x INTEGER,
  workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER,
  grid_size_z INTEGER, event_id INTEGER);
CREATE TABLE "rocpd_pmc_event@" (id INTEGER PRIMARY KEY, guid TEXT, event_id INTEGER,
  pmc_id INTEGER, value REAL, extdata JSONB DEFAULT '{}');
INSERT INTO "rocpd_info_agent@" (id, type, name, product_name, extdata) VALUES
  (1, 'CPU', 'cpu', '', '{}'),
  (2, 'GPU', 'gfx942', 'MI300X', '{"cu_count":304,"num_xcc":8,"wave_front_size":64}');
INSERT INTO "rocpd_info_kernel_symbol@" VALUES (7, 'g', 'copy.kd', 'copy(int*, int)', 16, 8, 4);
)sql";
  std::string text;
  for (const char c : sql) {
    if (c == '@')
      text += suffix;
    else if (c == '#')
      text += version;
    else
      text += c;
  }
  return text;
}

/// A dispatch of kernel 7 on agent 2 for 1000 ns; its event has the number 10 * id.
inline std::string rocpd_launch(const std::string& suffix, int id, int start = 5000) {
  return fmt::format(
      "INSERT INTO \"rocpd_kernel_dispatch{}\" VALUES (NULL, 'g', 1, 2, 7, {}, {}, {}, 0, 64, 16, "
      "16, 1, 80, 80, 1, {});",
      suffix, id, start, start + 1000, 10 * id);
}

/// The counter `number` with a value in the dispatch.
inline std::string rocpd_value(const std::string& suffix, int id, int number,
                               const std::string& value) {
  return fmt::format(
      "INSERT INTO \"rocpd_pmc_event{}\" (event_id, pmc_id, value) VALUES ({}, {}, {});", suffix,
      10 * id, number, value);
}

inline std::string rocpd_counter(const std::string& suffix, int number, const std::string& name) {
  return fmt::format("INSERT INTO \"rocpd_info_pmc{}\" VALUES ({}, 'g', 2, '{}', '{}');", suffix,
                     number, name, name);
}

}  // namespace heddle::profile
