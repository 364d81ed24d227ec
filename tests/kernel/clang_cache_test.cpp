// What is kept of Clang's runs, and when it is not used.
#include "kernel/cxx/clang_cache.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "support/error.h"
#include "support/temporary_folder.h"

namespace heddle::testing {
namespace {

namespace fs = std::filesystem;
using kernel::cxx::CachedRun;
using kernel::cxx::ClangOutput;
using kernel::cxx::ClangPlace;

class ClangCache : public ::testing::Test {
 protected:
  void SetUp() override {
    cache_ = folder_.path() + "/cache";
    fs::create_directory(cache_);
    fs::create_directory(folder_.path() + "/sources");
    fs::create_directory(folder_.path() + "/include");
    setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
    unsetenv("HEDDLE_CACHE");
    write("include/own.h", "int own;\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the clock of files is coarse
  }
  void TearDown() override {
    unsetenv("XDG_CACHE_HOME");
    setenv("HEDDLE_CACHE", "off", 1);  // for other tests
  }

  std::string write(const std::string& name, const std::string& text) {
    std::string path = folder_.path() + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  /// A place of its own, as each run of heddle has.
  struct Run {
    TemporaryFolder folder;
    ClangPlace place;
    std::vector<std::string> command;
    std::unique_ptr<CachedRun> cached;
  };
  std::unique_ptr<Run> run(const std::string& text, bool keeps_refusals = false) {
    auto one = std::make_unique<Run>();
    one->place.folder = one->folder.path();
    one->place.sources = folder_.path() + "/sources";
    one->place.include = {folder_.path() + "/include"};
    std::ofstream(one->place.folder + "/kernel.cpp") << text;
    std::ofstream(one->place.folder + "/files.json") << "{\"" << one->place.folder << "\"}";
    one->command = {"/bin/true",
                    "-ivfsoverlay",
                    one->place.folder + "/files.json",
                    "-x",
                    "c++",
                    "-o",
                    one->place.folder + "/kernel.o",
                    one->place.folder + "/kernel.cpp"};
    one->cached = std::make_unique<CachedRun>(one->command, one->place, keeps_refusals);
    return one;
  }
  /// As if Clang had read own.h.
  /// Until the clock of files has moved on: what was written is older than what begins now.
  static void wait_for_a_tick() {
    timespec begin{}, now{};
    clock_gettime(CLOCK_REALTIME, &begin);  // files may have times that are as fine as this
    do clock_gettime(CLOCK_REALTIME_COARSE, &now);
    while (std::pair(now.tv_sec, now.tv_nsec) <= std::pair(begin.tv_sec, begin.tv_nsec));
  }

  void keep(const std::string& text, bool good = true, bool keeps_refusals = false) {
    wait_for_a_tick();
    const auto one = run(text, keeps_refusals);
    std::ofstream(one->place.folder + "/headers.d")
        << "kernel.o: " << one->place.folder << "/kernel.cpp \\\n  " << folder_.path()
        << "/include/own.h\n";
    std::ofstream(one->place.folder + "/kernel.o") << "object of " << text;
    one->cached->keep({good, "seen at " + one->place.folder, "words"});
  }
  bool is_known(const std::string& text, bool keeps_refusals = false) {
    return run(text, keeps_refusals)->cached->find().has_value();
  }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> all;
    for (const auto& one : fs::directory_iterator(cache_ + "/heddle/clang")) all.push_back(one);
    return all;
  }

  TemporaryFolder folder_;
  std::string cache_;
};

constexpr const char* kText = "#include \"own.h\"\nint a;\n";

TEST_F(ClangCache, GivesBackWhatWasMadeAtAnotherPlace) {
  EXPECT_FALSE(is_known(kText));
  keep(kText);
  const auto again = run(kText);
  const auto found = again->cached->find();
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->good);
  EXPECT_EQ(found->output, "seen at " + again->place.folder);
  std::ifstream file(again->place.folder + "/kernel.o");
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(bytes, std::string("object of ") + kText);
  EXPECT_FALSE(is_known(std::string(kText) + " "));
  struct stat state {};
  ASSERT_EQ(stat((cache_ + "/heddle/clang").c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 0777U, 0700U);
}

TEST_F(ClangCache, AHeaderThatChangesOrAppearsMakesItAnother) {
  keep(kText);
  write("sources/own.h", "int behind;\n");
  EXPECT_TRUE(is_known(kText));
  write("include/own.h", "int oWn;\n");
  EXPECT_FALSE(is_known(kText));
  keep("#include \"late.h\"\nint a;\n");
  EXPECT_TRUE(is_known("#include \"late.h\"\nint a;\n"));
  write("include/late.h", "int late;\n");
  EXPECT_FALSE(is_known("#include \"late.h\"\nint a;\n"));
}

/// -I folders come before the system's.
TEST_F(ClangCache, AHeaderInFrontOfOneOfTheSystemMakesItAnother) {
  std::string folder;
  try {
    folder = kernel::cxx::system_header_folders().back();
  } catch (const Error&) {
    GTEST_SKIP() << "clang-19 is not installed";
  }
  wait_for_a_tick();
  const auto one = run("#include <stdio.h>\n");
  std::ofstream(one->place.folder + "/headers.d")
      << "kernel.o: " << folder << "/stdio.h " << folder << "/stdlib.h\n";
  one->cached->keep({true, "", ""});
  EXPECT_TRUE(is_known("#include <stdio.h>\n"));
  write("include/math.h", "int unrelated;\n");
  EXPECT_TRUE(is_known("#include <stdio.h>\n"));
  write("include/stdlib.h", "int hides;\n");
  EXPECT_FALSE(is_known("#include <stdio.h>\n"));
}

/// Where Clang looks for headers is kept until one of the folders, or of those around them, changes.
TEST_F(ClangCache, FoldersOfHeadersAreKeptUntilOneAppears) {
  const std::string words = "ignoring nonexistent directory \"" + folder_.path() +
                            "/include/c++\"\n#include <...> search starts here:\n " +
                            folder_.path() + "/sources\nEnd of search list.\n";
  const ClangPlace nowhere;
  std::vector<std::string> command = {"/bin/true", "-x", "c++", "-E", "-v", "/dev/null"};
  const auto find = [&] { return CachedRun(command, nowhere).find(); };
  EXPECT_FALSE(find().has_value());
  wait_for_a_tick();
  CachedRun(command, nowhere).keep({true, "", words});
  ASSERT_TRUE(find().has_value());
  EXPECT_EQ(find()->errors, words);
  fs::create_directory(folder_.path() + "/include/c++");
  EXPECT_FALSE(find().has_value());
  fs::remove(folder_.path() + "/include/c++");
  wait_for_a_tick();
  CachedRun(command, nowhere).keep({true, "", words});
  EXPECT_TRUE(find().has_value());
  fs::remove(folder_.path() + "/sources");
  EXPECT_FALSE(find().has_value());
}

/// A precompiled header is made where Clang runs, and stands for the text that it is made of.
TEST_F(ClangCache, PrecompiledHeadersNeedNotBeThere) {
  const auto one_of = [&](const std::string& header) {
    auto one = run("int a;\n");
    std::ofstream(one->place.folder + "/before.hpp") << header;
    one->command = {"/bin/true",
                    "-x",
                    "c++",
                    "-include-pch",
                    one->place.folder + "/before.pch",
                    one->place.folder + "/kernel.cpp"};
    one->cached = std::make_unique<CachedRun>(one->command, one->place);
    return one;
  };
  const auto first = one_of("int b;\n");
  std::ofstream(first->place.folder + "/before.pch") << "made";
  first->cached->keep({true, "trees", ""});
  EXPECT_TRUE(one_of("int b;\n")->cached->find().has_value());
  EXPECT_FALSE(one_of("int c;\n")->cached->find().has_value());
}

/// What Clang read may have been the old header.
TEST_F(ClangCache, AHeaderThatChangesWhileClangRunsIsNotKept) {
  const auto one = run(kText);
  std::ofstream(one->place.folder + "/headers.d")
      << "kernel.o: " << folder_.path() << "/include/own.h\n";
  write("include/own.h", "int newer;\n");
  one->cached->keep({true, "of the old header", ""});
  EXPECT_FALSE(is_known(kText));
}

TEST_F(ClangCache, RefusalsAreKeptWhereTheyMayBe) {
  keep(kText, false);
  EXPECT_FALSE(is_known(kText, true));
  keep(kText, false, true);
  EXPECT_FALSE(is_known(kText));
  const auto found = run(kText, true)->cached->find();
  ASSERT_TRUE(found.has_value());
  EXPECT_FALSE(found->good);
  EXPECT_EQ(found->errors, "words");
}

TEST_F(ClangCache, FoldersAndEntriesOfOthersAreNotUsed) {
  keep(kText);
  chmod((cache_ + "/heddle").c_str(), 0755);
  EXPECT_FALSE(is_known(kText));
  chmod((cache_ + "/heddle").c_str(), 0700);
  EXPECT_TRUE(is_known(kText));
  ASSERT_EQ(entries().size(), 1U);
  const fs::path entry = entries().front();
  chmod(entry.c_str(), 0644);
  EXPECT_FALSE(is_known(kText));
  chmod(entry.c_str(), 0600);
  fs::rename(entry, folder_.path() + "/moved");
  fs::create_symlink(folder_.path() + "/moved", entry);
  EXPECT_FALSE(is_known(kText));
  fs::remove(entry);
  fs::rename(cache_ + "/heddle/clang", folder_.path() + "/clang");
  fs::create_directory_symlink(folder_.path() + "/clang", cache_ + "/heddle/clang");
  keep(kText);
  EXPECT_TRUE(fs::is_empty(folder_.path() + "/clang"));
  setenv("HEDDLE_CACHE", "off", 1);
  fs::remove_all(cache_);
  keep(kText);
  EXPECT_FALSE(fs::exists(cache_));
  unsetenv("HEDDLE_CACHE");
}

/// Every cut and every changed byte of an entry is a run of Clang.
TEST_F(ClangCache, DamagedEntriesDoNoHarm) {
  keep(kText);
  const fs::path entry = entries().front();
  std::ifstream file(entry, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    std::ofstream(entry, std::ios::binary) << bytes.substr(0, at);
    EXPECT_FALSE(is_known(kText)) << at;
    std::string other = bytes;
    other[at] = static_cast<char>(~other[at]);
    std::ofstream(entry, std::ios::binary) << other;
    EXPECT_FALSE(is_known(kText)) << at;
  }
}

}  // namespace
}  // namespace heddle::testing
