// Databases of rocprofv3: whole ones, several of one program, and hostile ones.
#include "profile/workload/rocpd.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "profile/counters/counters.h"
#include "profile/rocpd_file.h"
#include "profile/testing.h"

namespace heddle::profile {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

const std::string kGuid = "_0000ab12_1c2d_7000_8000_0123456789ab";

std::optional<double> counter_of(const Workload& workload, const std::string& counter,
                                 std::size_t place) {
  const auto column = workload.counters.find(counter);
  if (!column) return std::nullopt;
  return workload.counters.number(*column, workload.dispatches[place].row);
}

/// Two dispatches with SQ_WAVES, and TCC_HIT_sum in two instances.
void write_recording(const std::string& path, const std::string& more = "",
                     const std::string& suffix = kGuid) {
  fs::create_directories(fs::path(path).parent_path());
  const DatabaseFile file(path);
  file.run(rocpd_schema(suffix) + rocpd_counter(suffix, 5, "SQ_WAVES") +
           rocpd_counter(suffix, 6, "TCC_HIT_sum") + rocpd_launch(suffix, 1) +
           rocpd_launch(suffix, 2, 9000) + rocpd_value(suffix, 1, 5, "100") +
           rocpd_value(suffix, 1, 6, "30") + rocpd_value(suffix, 1, 6, "12") +
           rocpd_value(suffix, 2, 5, "200") + more);
}

TEST(Rocpd, dispatches_and_sums_of_counters) {
  const Folder folder;
  write_recording(folder.file("7_results.db"));
  const Workload workload = read_workload(folder.file("7_results.db"));
  EXPECT_EQ(text_of(workload.notes), "");
  ASSERT_EQ(workload.dispatches.size(), 2U);
  EXPECT_EQ(workload.dispatches[0].kernel, "copy(int*, int)");
  EXPECT_EQ(workload.dispatches[1].duration_ns, 1000);
  EXPECT_EQ(workload.dispatches[1].id, 1);
  EXPECT_EQ(workload.dispatches[1].gpu, "0");
  EXPECT_EQ(workload.arch, "gfx942");
  EXPECT_EQ(workload.system_number("cu_per_gpu"), 304);
  EXPECT_EQ(counter_of(workload, "SQ_WAVES", 1), 200);
  EXPECT_EQ(counter_of(workload, "TCC_HIT_sum", 0), 42);
  EXPECT_EQ(counter_of(workload, "TCC_HIT_sum", 1), std::nullopt);
  EXPECT_EQ(counter_of(workload, "Grid_Size", 0), 6400);
  EXPECT_EQ(counter_of(workload, "Workgroup_Size", 0), 256);
  EXPECT_EQ(counter_of(workload, "LDS_Per_Workgroup", 0), 64);
  EXPECT_EQ(counter_of(workload, "Accum_VGPR", 0), 4);
}

TEST(Rocpd, dispatches_of_tracks_in_schema_4_1) {
  const Folder folder;
  const std::string schema = replaced(rocpd_schema(kGuid, "4.1.0"), "agent_id INTEGER, kernel_id",
                                      "track_id INTEGER, kernel_id");
  const std::string track = "rocpd_track" + kGuid;
  DatabaseFile(folder.file("7_results.db"))
      .run(schema + "CREATE TABLE \"" + track + "\" (id INTEGER PRIMARY KEY, agent_id INTEGER);" +
           "INSERT INTO \"" + track + "\" VALUES (9, 2), (2, 1);" +
           rocpd_counter(kGuid, 5, "SQ_WAVES") + rocpd_launch(kGuid, 1) +
           rocpd_value(kGuid, 1, 5, "100") + "UPDATE \"rocpd_kernel_dispatch" + kGuid +
           "\" SET track_id = 9;");
  const Workload workload = read_workload(folder.file("7_results.db"));
  EXPECT_EQ(text_of(workload.notes), "");
  ASSERT_EQ(workload.dispatches.size(), 1U);
  EXPECT_EQ(workload.dispatches[0].kernel, "copy(int*, int)");
  EXPECT_EQ(workload.arch, "gfx942");
  EXPECT_EQ(counter_of(workload, "SQ_WAVES", 0), 100);
}

TEST(Rocpd, values_of_a_dispatch_need_not_stand_together) {
  const Folder folder;
  write_recording(folder.file("7_results.db"), rocpd_value(kGuid, 1, 6, "8"));
  const Workload workload = read_workload(folder.file("7_results.db"));
  EXPECT_EQ(counter_of(workload, "TCC_HIT_sum", 0), 50);
}

TEST(Rocpd, samples_of_streaming_counters_are_not_added_to_counters) {
  const Folder folder;
  write_recording(
      folder.file("7_results.db"),
      "ALTER TABLE \"rocpd_pmc_event" + kGuid + "\" ADD COLUMN sample_id INTEGER;" +
          "INSERT INTO \"rocpd_pmc_event" + kGuid +
          "\" (event_id, pmc_id, value, sample_id) VALUES (10, 5, 7, 1), (10, 5, 8, 2);");
  const Workload workload = read_workload(folder.file("7_results.db"));
  EXPECT_EQ(counter_of(workload, "SQ_WAVES", 0), 100);
  EXPECT_THAT(text_of(workload.notes), HasSubstr("2 samples of streaming counters (SPM) left out"));
}

TEST(Rocpd, launches_without_counters_are_left_out_in_every_replay) {
  const Folder folder;
  folder.write("sysinfo.csv", kSystem);
  // Launch 1 has no counter, and the values of launch 3 stand first.
  const auto write = [&](const std::string& replay, const std::string& name, int number) {
    const std::string path = folder.file("out/" + replay + "/node/7_results.db");
    fs::create_directories(fs::path(path).parent_path());
    const DatabaseFile file(path);
    file.run(rocpd_schema(kGuid) + rocpd_counter(kGuid, number, name) + rocpd_launch(kGuid, 1) +
             rocpd_launch(kGuid, 2) + rocpd_launch(kGuid, 3) + rocpd_launch(kGuid, 4) +
             rocpd_value(kGuid, 3, number, "30") + rocpd_value(kGuid, 2, number, "20") +
             rocpd_value(kGuid, 4, number, "40") + rocpd_value(kGuid, 2, number, "1"));
  };
  write("pmc_perf_0", "SQ_WAVES", 5);
  write("pmc_perf_1", "TCC_HIT_sum", 6);
  const Workload workload = read_workload(folder.path());
  ASSERT_EQ(workload.dispatches.size(), 3U);
  for (const char* name : {"SQ_WAVES", "TCC_HIT_sum"}) {
    EXPECT_EQ(counter_of(workload, name, 0), 21) << name;
    EXPECT_EQ(counter_of(workload, name, 1), 30) << name;
    EXPECT_EQ(counter_of(workload, name, 2), 40) << name;
  }
  EXPECT_EQ(workload.dispatches[2].duration_ns, 1000);
}

TEST(Rocpd, launches_in_the_words_of_all_profilers) {
  const Folder folder;
  write_recording(folder.file("7_results.db"));
  const std::vector<KernelCounters> launches = read_counters(folder.file("7_results.db"));
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[1].kernel, "copy(int*, int)");
  EXPECT_EQ(launches[1].time_us, 1);
}

TEST(Rocpd, nothing_is_written_beside_it) {
  const Folder folder;
  write_recording(folder.file("d/7_results.db"));
  read_workload(folder.file("d"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.file("d")), {}), 1);
}

TEST(Rocpd, replays_and_processes_of_one_program) {
  const Folder folder;
  folder.write("sysinfo.csv", kSystem);
  for (const int process : {9, 10})
    write_recording(folder.file(fmt::format("out/pmc_perf_0/node/{}_results.db", process)));
  for (const int process : {21, 22}) {
    const std::string path = folder.file(fmt::format("out/pmc_perf_1/node/{}_results.db", process));
    fs::create_directories(fs::path(path).parent_path());
    const DatabaseFile file(path);
    file.run(rocpd_schema(kGuid) + rocpd_counter(kGuid, 3, "TCC_MISS_sum") +
             rocpd_launch(kGuid, 1) + rocpd_launch(kGuid, 2) +
             rocpd_value(kGuid, 1, 3, std::to_string(process)) + rocpd_value(kGuid, 2, 3, "1"));
  }
  const Workload workload = read_workload(folder.path());
  EXPECT_EQ(text_of(workload.notes), "");
  ASSERT_EQ(workload.dispatches.size(), 4U);
  EXPECT_EQ(counter_of(workload, "SQ_WAVES", 2), 100);
  EXPECT_EQ(counter_of(workload, "TCC_MISS_sum", 0), 21);
  EXPECT_EQ(counter_of(workload, "TCC_MISS_sum", 2), 22);
}

TEST(Rocpd, several_recordings_in_a_file) {
  const Folder folder;
  const std::string other = "_0000ab13_1c2d_7000_8000_0123456789ab";
  write_recording(folder.file("merged.db"),
                  rocpd_schema(other) + rocpd_counter(other, 5, "SQ_WAVES") +
                      rocpd_launch(other, 1) + rocpd_value(other, 1, 5, "7"));
  const Workload workload = read_workload(folder.file("merged.db"));
  ASSERT_EQ(workload.dispatches.size(), 3U);
  EXPECT_EQ(counter_of(workload, "SQ_WAVES", 2), 7);
}

TEST(Rocpd, launches_on_other_chips_and_of_unknown_kernels_are_told) {
  const Folder folder;
  write_recording(folder.file("7_results.db"),
                  "INSERT INTO \"rocpd_info_agent" + kGuid +
                      "\" (id, type, name) VALUES (3, 'GPU', 'gfx90a');" +
                      "UPDATE \"rocpd_kernel_dispatch" + kGuid +
                      "\" SET agent_id = 3, kernel_id = 8 WHERE dispatch_id = 2;");
  const std::string notes = text_of(read_workload(folder.path()).notes);
  EXPECT_THAT(notes, HasSubstr("1 launch is of a kernel that it does not name"));
  EXPECT_THAT(notes, HasSubstr("ran on several chips (gfx90a, gfx942): panels and peaks are those "
                               "of gfx942"));
}

TEST(Rocpd, views_do_not_stand_for_tables) {
  const Folder folder;
  {
    const DatabaseFile file(folder.file("x.db"));
    file.run(
        rocpd_schema(kGuid) + "ALTER TABLE \"rocpd_pmc_event" + kGuid +
        "\" RENAME TO other; CREATE VIEW \"rocpd_pmc_event" + kGuid +
        "\" AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, "
        "i AS event_id, 5 AS pmc_id, i AS value FROM n;" +
        rocpd_launch(kGuid, 1));
  }
  EXPECT_THAT(refusal(folder.file("x.db")), HasSubstr("has no table rocpd_pmc_event"));
}

TEST(Rocpd, a_trace_without_counters_has_names_and_times) {
  const Folder folder;
  {
    const DatabaseFile file(folder.file("7_results.db"));
    file.run(rocpd_schema("") + rocpd_launch("", 1) + rocpd_launch("", 2));
  }
  const Workload workload = read_workload(folder.path());
  EXPECT_EQ(workload.dispatches.size(), 2U);
  EXPECT_THAT(text_of(workload.notes), HasSubstr("no counter is known"));
}

TEST(Rocpd, values_that_belong_to_nothing_are_told) {
  const Folder folder;
  write_recording(folder.file("7_results.db"), rocpd_value(kGuid, 77, 5, "1") +
                                                   rocpd_value(kGuid, 1, 99, "1") +
                                                   rocpd_value(kGuid, 1, 5, "'text'"));
  EXPECT_THAT(
      text_of(read_workload(folder.path()).notes),
      HasSubstr("7_results.db: 3 values of no dispatch, of no counter or without a number"));
}

TEST(Rocpd, other_schemas_are_refused_by_name) {
  const Folder folder;
  const auto refused = [&](const std::string& sql) {
    folder.remove("x.db");
    {
      const DatabaseFile file(folder.file("x.db"));
      file.run(sql);
    }
    return refusal(folder.file("x.db"));
  };
  EXPECT_THAT(refused(rocpd_schema(kGuid, "4.0.0")), HasSubstr("is of rocpd schema '4.0.0'"));
  EXPECT_THAT(refused(rocpd_schema(kGuid, "4.10")), HasSubstr("is of rocpd schema '4.10'"));
  EXPECT_THAT(refused(rocpd_schema(kGuid, "4.1.0")), HasSubstr("no table rocpd_track"));
  EXPECT_THAT(refused("CREATE TABLE rocpd_op (id INTEGER)"), HasSubstr("of the RPD tracer"));
  EXPECT_THAT(refused("CREATE TABLE t (id INTEGER)"), HasSubstr("not a recording of rocprofv3"));
  EXPECT_THAT(refused(replaced(rocpd_schema(kGuid), "pmc_id INTEGER", "other INTEGER") +
                      rocpd_launch(kGuid, 1)),
              HasSubstr("has no column pmc_id in its table rocpd_pmc_event"));
}

TEST(Rocpd, files_that_are_not_databases_or_not_closed_are_refused) {
  const Folder folder;
  folder.write("x.db", "no database, but a text that is longer than a header of sixteen bytes");
  EXPECT_THAT(refusal(folder.file("x.db")), HasSubstr("is not a SQLite database"));
  folder.remove("x.db");
  write_recording(folder.file("x.db"));
  folder.write("x.db-wal", "changes");
  EXPECT_THAT(refusal(folder.file("x.db")), HasSubstr("was not closed: 'x.db-wal'"));
}

TEST(Rocpd, cut_files_are_refused_and_changed_ones_read_or_refused) {
  const Folder folder;
  write_recording(folder.file("x.db"));
  std::ifstream file(folder.file("x.db"), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), {});
  for (std::size_t size = 100; size < whole.size(); size += 997) {
    folder.write("cut.db", whole.substr(0, size));
    EXPECT_THAT(refusal(folder.file("cut.db")), HasSubstr("ends early")) << size;
  }
  folder.write("cut.db", whole.substr(0, whole.size() - 1));
  EXPECT_THAT(refusal(folder.file("cut.db")), HasSubstr("ends early"));
  for (std::size_t at = 16; at < whole.size(); at += 131) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    folder.write("cut.db", changed);
    try {
      read_workload(folder.file("cut.db"));
    } catch (const Error& error) {
      EXPECT_FALSE(error.hint().empty());
    }
  }
}

TEST(Rocpd, hostile_schemas_are_harmless) {
  const Folder folder;
  // Views that never end, a trigger, a blob that fills the memory: none of them is run.
  write_recording(
      folder.file("x.db"),
      "CREATE VIEW rocpd_pmc_event AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM "
      "n) SELECT i AS id, i AS event_id, 5 AS pmc_id, i AS value FROM n;"
      "CREATE VIEW counters_collection AS SELECT * FROM rocpd_pmc_event a, rocpd_pmc_event b;"
      "CREATE TABLE rocpd_strings (b BLOB); INSERT INTO rocpd_strings VALUES (zeroblob(90000000));"
      "CREATE TRIGGER t AFTER INSERT ON rocpd_strings BEGIN DELETE FROM rocpd_strings; END;"
      "UPDATE \"rocpd_info_kernel_symbol" +
          kGuid + "\" SET display_name = 'DROP TABLE x; --';");
  const Workload workload = read_workload(folder.file("x.db"));
  ASSERT_EQ(workload.dispatches.size(), 2U);
  EXPECT_EQ(workload.dispatches[0].kernel, "DROP TABLE x; --");
}

TEST(Rocpd, values_larger_than_any_name_are_refused) {
  const Folder folder;
  write_recording(folder.file("x.db"), "UPDATE \"rocpd_info_kernel_symbol" + kGuid +
                                           "\" SET display_name = hex(zeroblob(2000000));");
  EXPECT_THAT(refusal(folder.file("x.db")), HasSubstr("string or blob too big"));
}

TEST(Rocpd, generated_columns_and_virtual_tables_are_not_read) {
  const Folder folder;
  {
    const DatabaseFile file(folder.file("x.db"));
    file.run(replaced(rocpd_schema(kGuid), "event_id INTEGER,\n  pmc_id INTEGER, value REAL",
                      "event_id INTEGER, pmc_id INTEGER,\n  value REAL AS (abs(event_id))"));
  }
  EXPECT_THAT(refusal(folder.file("x.db")), HasSubstr("has no column value in its table"));
}

}  // namespace
}  // namespace heddle::profile
