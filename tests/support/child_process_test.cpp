#include "support/child_process.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "support/error.h"
#include "support/temporary_folder.h"

namespace heddle {
namespace {

using namespace std::chrono_literals;

TEST(ChildProcess, PassesInputAndTakesOutput) {
  const std::string text(1'000'000, 'x');
  const ChildResult result = run_child({"cat"}, text, {});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output, text);
}

TEST(ChildProcess, ReportsExitCodeAndErrors) {
  const ChildResult result = run_child({"sh", "-c", "echo no >&2; exit 3"}, "", {});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.errors, "no\n");
}

TEST(ChildProcess, ReportsTheSignal) {
  EXPECT_EQ(run_child({"sh", "-c", "kill -9 $$"}, "", {}).exit_code, 128 + 9);
}

TEST(ChildProcess, KillsWhatTakesTooLong) {
  ChildLimits limits;
  limits.time = 100ms;
  const ChildResult result = run_child({"sleep", "60"}, "", limits);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_code, 128 + 9);
}

TEST(ChildProcess, EndsWhatTakesTooMuchOfTheProcessor) {
  ChildLimits limits;
  limits.time = std::chrono::minutes(10);
  limits.processor_seconds = 1;
  const ChildResult result = run_child({"sh", "-c", "while :; do :; done"}, "", limits);
  EXPECT_TRUE(result.timed_out);
  limits.processor_seconds = 60;
  EXPECT_FALSE(run_child({"sleep", "0.1"}, "", limits).timed_out);
}

TEST(ChildProcess, EndsWhatAChildLeavesBehind) {
  // The sleeper holds none of the pipes, so that nothing but the group leads to it.
  const ChildResult result =
      run_child({"sh", "-c", "sleep 1000 </dev/null >/dev/null 2>&1 & echo $!"}, "", {});
  EXPECT_EQ(result.exit_code, 0);
  const auto sleeper = static_cast<pid_t>(std::stol(result.output));
  // Whoever inherits it may take a moment to bury it.
  for (int i = 0; i < 2000 && kill(sleeper, 0) == 0; ++i) {
    std::ifstream stat("/proc/" + std::to_string(sleeper) + "/stat");
    std::string number, name, state;
    stat >> number >> name >> state;
    if (state == "Z") return;
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_NE(kill(sleeper, 0), 0) << "the sleeper goes on";
}

TEST(ChildProcess, KillsWhatPrintsTooMuch) {
  ChildLimits limits;
  limits.output_bytes = 1000;
  EXPECT_TRUE(run_child({"yes"}, "", limits).too_much_output);
}

TEST(ChildProcess, OutlivesAChildThatDoesNotRead) {
  EXPECT_EQ(run_child({"true"}, std::string(1'000'000, 'x'), {}).exit_code, 0);
}

TEST(ChildProcess, HasItsOwnFolderAndSmallFiles) {
  const TemporaryFolder folder;
  ChildLimits limits;
  limits.temporary = folder.path();
  limits.file_bytes = 8192;
  const ChildResult result = run_child(
      {"sh", "-c", "echo $TMPDIR; head -c 1000000 /dev/zero > $TMPDIR/large"}, "", limits);
  EXPECT_EQ(result.output, folder.path() + "\n");
  EXPECT_NE(result.exit_code, 0);
  EXPECT_LE(std::filesystem::file_size(folder.path() + "/large"), 8192U);
}

TEST(ChildProcess, StaysInItsFolders) {
  const TemporaryFolder own;
  const TemporaryFolder other;
  std::ofstream(other.path() + "/secret") << "secret";
  std::filesystem::create_symlink(other.path() + "/secret", own.path() + "/link");
  ChildLimits limits;
  limits.readable = {"/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache"};
  limits.writable = {own.path(), "/dev/null"};
  const auto said = [&](const std::string& command) {
    return run_child({"sh", "-c", command}, "", limits).output;
  };
  if (said("cat " + other.path() + "/secret") == "secret")
    GTEST_SKIP() << "this system has no Landlock";
  EXPECT_EQ(said("cat " + own.path() + "/link"), "");
  EXPECT_EQ(said("echo a > " + own.path() + "/new; cat " + own.path() + "/new"), "a\n");
  EXPECT_EQ(said("echo a > " + other.path() + "/new"), "");
  EXPECT_FALSE(std::filesystem::exists(other.path() + "/new"));
}

TEST(ChildProcess, NamesAProgramThatIsMissing) {
  try {
    run_child({"no-such-program-at-all"}, "", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::missing);
    EXPECT_NE(error.message().find("no-such-program-at-all"), std::string::npos);
  }
}

}  // namespace
}  // namespace heddle
