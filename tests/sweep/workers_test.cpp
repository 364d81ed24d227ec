#include "sweep/workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "support/child_process.h"
#include "support/error.h"
#include "sweep/claims.h"
#include "sweep/row.h"
#include "sweep/testing.h"

namespace heddle::sweep {
namespace {

using testing::HasSubstr;

SweepRow row_of(const Work& work, std::size_t unit) {
  const StoredRows rows(work.folder, {});
  const auto line = rows.find(work.plan.units[unit].key);
  return line ? read_row(line->row) : SweepRow{};
}

TEST(LocalEngine, does_every_unit_once) {
  const Tree tree;
  const Plan plan = plain_plan(60);
  Work work = work_of(plan, tree.path());
  Tally last;
  work.watch = [&](const Tally& tally) { last = tally; };
  EXPECT_EQ(local_engine()->run(work), EngineEnd::complete);
  const StoredRows rows(tree.path(), {});
  EXPECT_EQ(rows.size(), 60U);
  EXPECT_EQ(rows.line_count(), 60U);
  EXPECT_EQ(last.done, 60U);
  EXPECT_EQ(last.left(), 0U);
  EXPECT_EQ(local_engine()->run(work), EngineEnd::complete);
  EXPECT_EQ(StoredRows(tree.path(), {}).line_count(), 60U);
}

TEST(LocalEngine, shards_are_parts) {
  const Tree tree;
  const Plan plan = plain_plan(10);
  Work work = work_of(plan, tree.path());
  work.shards = 3;
  for (work.shard = 0; work.shard < 3; ++work.shard) {
    const std::size_t before = StoredRows(tree.path(), {}).size();
    EXPECT_EQ(local_engine()->run(work), EngineEnd::complete);
    EXPECT_EQ(StoredRows(tree.path(), {}).size() - before, work.shard_units());
  }
  EXPECT_EQ(StoredRows(tree.path(), {}).line_count(), 10U);
}

TEST(LocalEngine, a_unit_that_fails_is_a_row) {
  const Tree tree;
  const Plan plan = plain_plan(5);
  Work work = work_of(plan, tree.path());
  work.unit_time = std::chrono::milliseconds(300);
  const auto good = work.run;
  work.run = [&](const Unit& unit) {
    if (unit.kernel == 0) throw Error("no such thing", "", ExitCode::usage);
    if (unit.kernel == 1) std::raise(SIGSEGV);
    if (unit.kernel == 2) std::this_thread::sleep_for(std::chrono::seconds(60));
    if (unit.kernel == 3) std::raise(SIGKILL);
    return good(unit);
  };
  EXPECT_EQ(local_engine()->run(work), EngineEnd::complete);
  EXPECT_EQ(row_of(work, 0).reason, "no such thing");
  EXPECT_EQ(row_of(work, 0).exit_code, 2);
  EXPECT_THAT(row_of(work, 1).reason, HasSubstr("crashed: Segmentation fault"));
  EXPECT_THAT(row_of(work, 2).reason, HasSubstr("longer than 0.3 s"));
  EXPECT_THAT(row_of(work, 3).reason, HasSubstr("killed 5 times: Killed"));
  EXPECT_EQ(row_of(work, 4).answer, "PROVED");
  // They are not done again, unless that is asked for.
  work.run = good;
  EXPECT_TRUE(work.open_units(false).empty());
  EXPECT_EQ(work.open_units(true).size(), 4U);
  work.retry = true;
  EXPECT_EQ(local_engine()->run(work), EngineEnd::complete);
  EXPECT_EQ(row_of(work, 1).answer, "PROVED");
}

/// A scheduler ends Python before heddle: what a verb makes of that is not a result.
TEST(LocalEngine, a_unit_whose_program_is_killed_is_done_again) {
  const Tree tree;
  const Plan plan = plain_plan(3);
  Work work = work_of(plan, tree.path());
  const auto good = work.run;
  work.run = [&](const Unit& unit) {
    const std::string once = tree.path("once" + std::to_string(unit.kernel));
    const std::string only_first = unit.kernel == 0 ? "mkdir " + once + " || exit 0; " : "";
    const std::string end = unit.kernel == 2 ? "exit 3" : "kill -TERM $$; sleep 9";
    if (run_child({"sh", "-c", only_first + end}, "", {}).exit_code != 0)
      throw Error("the program failed", "", ExitCode::usage);
    return good(unit);
  };
  EXPECT_EQ(local_engine()->run(work), EngineEnd::complete);
  EXPECT_EQ(row_of(work, 0).answer, "PROVED");
  EXPECT_THAT(row_of(work, 1).reason, HasSubstr("or a program that it ran, was killed 5 times"));
  EXPECT_EQ(row_of(work, 2).reason, "the program failed");
}

TEST(LocalEngine, another_sweep_in_the_folder_is_refused) {
  const Tree tree;
  const Plan plan = plain_plan(1);
  Work work = work_of(plan, tree.path());
  Work second = work_of(plan, tree.path());
  std::string message;
  work.watch = [&](const Tally&) {
    try {
      local_engine()->run(second);
    } catch (const Error& error) {
      message = error.message();
    }
  };
  local_engine()->run(work);
  EXPECT_THAT(message, HasSubstr("another sweep is at work"));
}

TEST(LocalEngine, rows_that_cannot_be_written_end_it) {
  const Tree tree;
  const Plan plan = plain_plan(3);
  Work work = work_of(plan, tree.path());
  std::filesystem::remove_all(tree.path("lines"));
  std::ofstream(tree.path("lines")) << "not a folder";
  EXPECT_THROW(local_engine()->run(work), Error);
}

/// A process is killed over and over while it sweeps: what it acknowledged stays, and is not redone.
TEST(LocalEngine, kills_lose_nothing) {
  const Tree tree;
  const Plan plan = plain_plan(400);
  std::size_t before = 0;
  for (int kill_number = 0; kill_number < 20; ++kill_number) {
    const pid_t process = fork();
    if (process == 0) {
      try {
        local_engine()->run(work_of(plan, tree.path()));
      } catch (const Error&) {
        _exit(1);
      }
      _exit(0);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5 + 7 * (kill_number % 7)));
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
    const std::size_t now = StoredRows(tree.path(), {}).size();
    EXPECT_GE(now, before);
    before = now;
  }
  EXPECT_EQ(local_engine()->run(work_of(plan, tree.path())), EngineEnd::complete);
  const StoredRows rows(tree.path(), {});
  EXPECT_EQ(rows.size(), 400U);
  EXPECT_EQ(rows.line_count(), 400U);
}

TEST(Claims, a_batch_has_one_owner_and_passes_on_when_that_dies) {
  const Tree tree;
  make_store(tree.path());
  const Key plan = key_of("plan");
  const auto is_open = [](const Claims::Batch&) { return true; };
  const std::string dead = worker_name().substr(0, 12) + "-999999999-1";
  Claims first(tree.path(), plan, 3, dead, std::chrono::seconds(90));
  EXPECT_TRUE(first.next_fresh());
  EXPECT_TRUE(first.next_fresh());
  const Heartbeat heartbeat(tree.path());
  Claims second(tree.path(), plan, 3, heartbeat.worker(), std::chrono::seconds(90));
  EXPECT_TRUE(second.next_fresh());
  EXPECT_FALSE(second.next_fresh());
  int taken = 0;
  while (const auto batch = second.next_orphan(is_open)) taken += batch->is_fresh ? 0 : 1;
  EXPECT_EQ(taken, 3);  // two of the dead one's, and its own
  Claims third(tree.path(), plan, 3, dead, std::chrono::seconds(90));
  EXPECT_FALSE(third.next_fresh());
  EXPECT_FALSE(third.next_orphan(is_open));  // the second lives
  Claims done(tree.path(), plan, 3, heartbeat.worker(), std::chrono::seconds(90));
  EXPECT_FALSE(done.next_orphan([](const Claims::Batch&) { return false; }));
}

TEST(Claims, a_worker_of_another_machine_lives_while_it_beats) {
  const Tree tree;
  make_store(tree.path());
  const std::string other = "0123456789ab-17-99";
  EXPECT_FALSE(is_alive(tree.path(), other, std::chrono::seconds(90)));
  tree.write("workers/" + other, "alive\n");
  EXPECT_TRUE(is_alive(tree.path(), other, std::chrono::seconds(90)));
  std::filesystem::last_write_time(
      tree.path("workers/" + other),
      std::filesystem::file_time_type::clock::now() - std::chrono::seconds(200));
  EXPECT_FALSE(is_alive(tree.path(), other, std::chrono::seconds(90)));
  EXPECT_FALSE(is_alive(tree.path(), "nonsense", std::chrono::seconds(90)));
}

TEST(Claims, batches_cover_all_units_once) {
  const Tree tree;
  make_store(tree.path());
  for (const std::size_t units : {std::size_t{1}, kMostBatches, 3 * kMostBatches + 1}) {
    Claims claims(tree.path(), key_of(std::to_string(units)), units, worker_name(),
                  std::chrono::seconds(90));
    std::size_t covered = 0;
    EXPECT_FALSE(claims.next_orphan([&](const Claims::Batch& batch) {
      EXPECT_EQ(batch.first, covered);
      covered = batch.end;
      return false;
    }));
    EXPECT_EQ(covered, units);
  }
  Claims claims(tree.path(), key_of("few"), 100, worker_name(), std::chrono::seconds(90));
  std::size_t covered = 0;
  while (const auto batch = claims.next_fresh()) covered += batch->end - batch->first;
  EXPECT_EQ(covered, 100U);
}

TEST(MpiEngine, ranks_share_the_work) {
  const Tree tree;
  const Plan plan = plain_plan(120);
  std::vector<pid_t> ranks;
  for (int rank = 0; rank < 4; ++rank) {
    const pid_t process = fork();
    if (process == 0) {
      setenv("OMPI_COMM_WORLD_RANK", std::to_string(rank).c_str(), 1);
      const EngineEnd end = mpi_engine()->run(work_of(plan, tree.path()));
      _exit(end == (rank == 0 ? EngineEnd::complete : EngineEnd::elsewhere) ? 0 : 1);
    }
    ranks.push_back(process);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  kill(ranks[2], SIGKILL);
  for (const pid_t process : ranks) {
    int status = 0;
    waitpid(process, &status, 0);
    EXPECT_TRUE(status == 0 || process == ranks[2]);
  }
  const StoredRows rows(tree.path(), {});
  EXPECT_EQ(rows.size(), 120U);
  EXPECT_EQ(rows.line_count(), 120U);
  unsetenv("OMPI_COMM_WORLD_RANK");
  unsetenv("PMI_RANK");
  EXPECT_THROW(mpi_engine()->run(work_of(plan, tree.path())), Error);
}

}  // namespace
}  // namespace heddle::sweep
