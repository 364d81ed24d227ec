// Files that are written whole or not at all, folders that go with their owner.
#include "support/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/error.h"
#include "support/temporary_folder.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

class File : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  int count() const {
    return static_cast<int>(
        std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }
  TemporaryFolder folder_;
};

TEST_F(File, IsReplacedAsAWhole) {
  write_text(path("a"), "first");
  chmod(path("a").c_str(), 0640);
  const std::string longer(1 << 20, 'x');
  write_text(path("a"), longer);
  EXPECT_EQ(read_text(path("a"), 1 << 21), longer);
  struct stat status {};
  stat(path("a").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0640U) << "its rights stay";
  EXPECT_EQ(count(), 1) << "nothing is left beside it";
  fs::create_symlink("a", path("link"));
  write_text(path("link"), "by the link");
  EXPECT_EQ(read_text(path("a"), 100), "by the link");
  EXPECT_TRUE(fs::is_symlink(path("link")));
}

/// Runs an action in a process whose files may have 4 KiB, as on a disk that is full.
template <class Action>
int in_little_room(Action action) {
  const pid_t process = fork();
  if (process == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit little{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &little);
    try {
      action();
    } catch (const Error& error) {
      _exit(static_cast<int>(error.code()));
    }
    _exit(0);
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(File, StaysAsItWasWhereThereIsNoRoom) {
  write_text(path("report.json"), "{\"old\": true}");
  const std::string large(100'000, 'x');
  EXPECT_EQ(in_little_room([&] { write_text(path("report.json"), large); }), 4);
  EXPECT_EQ(read_text(path("report.json"), 100), "{\"old\": true}");
  EXPECT_EQ(in_little_room([&] { write_text(path("new.json"), large); }), 4);
  EXPECT_FALSE(fs::exists(path("new.json")));
  EXPECT_EQ(count(), 1);
  EXPECT_EQ(in_little_room([&] { write_text(path("small"), "fits"); }), 0);
}

TEST_F(File, ThatCannotBeWritten) {
  const auto code = [&](const std::string& name) {
    try {
      write_text(name, "text");
    } catch (const Error& error) {
      return static_cast<int>(error.code());
    }
    return 0;
  };
  EXPECT_EQ(code(path("nowhere/file")), 2);
  EXPECT_EQ(code(folder_.path()), 2) << "a folder";
  EXPECT_EQ(code("/dev/null"), 0);
  EXPECT_EQ(code("/dev/full"), 4);
  EXPECT_TRUE(fs::is_character_file("/dev/full")) << "devices are not replaced";
}

TEST_F(File, APendingOneIsNotThereBeforeItIsWhole) {
  {
    PendingFile pending(path("table"));
    std::ofstream(pending.path()) << "half";
    EXPECT_FALSE(fs::exists(path("table")));
  }
  EXPECT_EQ(count(), 0);
  PendingFile pending(path("table"));
  std::ofstream(pending.path()) << "whole";
  pending.commit();
  EXPECT_EQ(read_text(path("table"), 100), "whole");
  EXPECT_EQ(count(), 1);
}

TEST(Folders, GoWithTheirOwner) {
  TemporaryFolder base;
  setenv("TMPDIR", base.path().c_str(), 1);
  std::string name;
  {
    const TemporaryFolder folder;
    name = folder.path();
    write_text(name + "/file", "text");
    struct stat status {};
    stat(name.c_str(), &status);
    EXPECT_EQ(status.st_mode & 0777, 0700U);
    const TemporaryFolder other;
    EXPECT_TRUE(fs::exists(name)) << "its owner is there";
  }
  EXPECT_FALSE(fs::exists(name));
  // Left behind by a process that was killed; made by somebody else; of another name.
  fs::create_directories(base.path() + "/heddle-run-1234-abcdef/deep/er");
  fs::create_directories(base.path() + "/heddle-run-1234-abcdefg");
  fs::create_directories(base.path() + "/heddle-run-x-abcdef");
  fs::create_directory_symlink("/etc", base.path() + "/heddle-run-99-abcdef");
  { const TemporaryFolder folder; }
  EXPECT_FALSE(fs::exists(base.path() + "/heddle-run-1234-abcdef"));
  EXPECT_TRUE(fs::exists(base.path() + "/heddle-run-1234-abcdefg"));
  EXPECT_TRUE(fs::exists(base.path() + "/heddle-run-x-abcdef"));
  EXPECT_TRUE(fs::exists("/etc"));
  unsetenv("TMPDIR");
}

}  // namespace
}  // namespace heddle
