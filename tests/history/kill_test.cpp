// Processes that are killed while they record, and processes that record at once.
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <random>
#include <set>
#include <thread>

#include "history/testing.h"

namespace heddle::history {
namespace {

constexpr int kRounds = 50;
constexpr int kLongestDelayUs = 30'000;

/// Records without end; writes the iteration to `pipe` after each that has returned.
[[noreturn]] void record_until_killed(const std::string& path, int round, int pipe) {
  try {
    History history(path);
    const std::int64_t run = history.begin_run(sample_key());
    for (int i = 1;; ++i) {
      OrderAttempt attempt = full_attempt(round * 1'000'000 + i);
      if (i % 3 == 0) attempt.triton = std::string(20'000, 'c');  // pages of its own
      history.record(run, attempt);
      if (::write(pipe, &attempt.iteration, sizeof attempt.iteration) < 0) break;
    }
  } catch (const Error& error) {
    std::fprintf(stderr, "round %d: %s\n", round, error.what());
  }
  ::_exit(1);
}

std::set<int> iterations_of(const std::vector<OrderAttempt>& attempts) {
  std::set<int> iterations;
  for (const OrderAttempt& attempt : attempts) iterations.insert(attempt.iteration);
  return iterations;
}

TEST(HistoryKill, loses_nothing_that_was_recorded) {
  const Folder folder;
  const std::string path = folder.file("h.db");
  std::mt19937 random(11);
  std::set<int> acknowledged;
  int journals = 0;
  for (int round = 1; round <= kRounds; ++round) {
    int ends[2] = {};
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) record_until_killed(path, round, ends[1]);
    ::close(ends[1]);
    int iteration = 0;
    // Half of the kills come after the first record, others anywhere: while opening, repairing, ...
    if (round % 2 == 0 && ::read(ends[0], &iteration, sizeof iteration) == sizeof iteration)
      acknowledged.insert(iteration);
    std::this_thread::sleep_for(
        std::chrono::microseconds(random() % static_cast<unsigned>(kLongestDelayUs)));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "round " << round;
    while (::read(ends[0], &iteration, sizeof iteration) == sizeof iteration)
      acknowledged.insert(iteration);
    ::close(ends[0]);
    journals += std::filesystem::exists(path + "-journal") ? 1 : 0;
    History history(path);  // checks everything
    const std::set<int> there = iterations_of(history.known(sample_key()));
    for (const int one : acknowledged) ASSERT_TRUE(there.contains(one)) << "round " << round;
    history.begin_run(sample_key());  // a journal that says nothing stays until the next change
    ASSERT_EQ(folder.files(), 1U) << "round " << round;
  }
  EXPECT_FALSE(acknowledged.empty());
  RecordProperty("acknowledged", static_cast<int>(acknowledged.size()));
  RecordProperty("journals", journals);
  std::printf("%d rounds, %zu attempts acknowledged, %d journals left by kills\n", kRounds,
              acknowledged.size(), journals);
}

TEST(HistoryKill, leaves_a_new_file_empty_or_whole) {
  const Folder folder;
  std::mt19937 random(13);
  for (int round = 1; round <= 30; ++round) {
    const std::string path = folder.file(std::to_string(round) + ".db");
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) record_until_killed(path, round, STDERR_FILENO + 100);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 8'000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    History history(path);
    EXPECT_GE(history.begin_run(sample_key()), 1);
  }
  EXPECT_EQ(folder.files(), 30U);
}

TEST(HistoryKill, several_processes_record_at_once) {
  const Folder folder;
  const std::string path = folder.file("h.db");
  constexpr int kProcesses = 3;
  constexpr int kAttempts = 20;
  std::vector<pid_t> children;
  for (int process = 1; process <= kProcesses; ++process) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      try {
        History history(path);
        const std::int64_t run = history.begin_run(sample_key());
        for (int i = 0; i < kAttempts; ++i) history.record(run, full_attempt(process * 100 + i));
        ::_exit(0);
      } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        ::_exit(1);
      }
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const History history(path);
  EXPECT_EQ(history.runs().runs.size(), static_cast<std::size_t>(kProcesses));
  EXPECT_EQ(history.known(sample_key()).size(), static_cast<std::size_t>(kProcesses * kAttempts));
}

}  // namespace
}  // namespace heddle::history
