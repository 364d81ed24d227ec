#include "kernel/cxx/precompiled.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/error.h"
#include "support/temporary_folder.h"

namespace heddle::kernel::cxx {
namespace {

namespace fs = std::filesystem;

/// Stands in for Clang: what it makes of a header is the header and a word, which is `refuse` where
/// it refuses all. Each place remembers that it was there.
class FakeClang {
 public:
  explicit FakeClang(const std::string& word) {
    const std::string path = folder_.path() + "/clang";
    std::ofstream(path) << "#!/bin/sh\n"
                           "for word in \"$@\"; do\n"
                           "  if [ \"$last\" = -o ]; then out=$word; fi\n"
                           "  last=$word\n"
                           "done\n"
                           "touch ${out%/*}/was-here\n"
                        << (word == "refuse" ? "echo 'x:1:1: error: no' >&2; exit 1\n" : "")
                        << "cat ${out%/*}/before.hpp > $out; echo " << word << " >> $out\n";
    fs::permissions(path, fs::perms::owner_all);
    setenv("HEDDLE_CLANG", path.c_str(), 1);
  }
  ~FakeClang() { unsetenv("HEDDLE_CLANG"); }
  FakeClang(const FakeClang&) = delete;
  FakeClang& operator=(const FakeClang&) = delete;

  const std::string& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

/// A place of its own with a precompiled header. `@` in its text is the place's folder.
class Put {
 public:
  Put(const FakeClang& clang, std::string text, const std::vector<std::string>& language) {
    ClangPlace place = make_place(folder_.path(), folder_.path());
    place.readable.push_back(clang.folder());
    for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@'))
      text.replace(at, 1, folder_.path());
    put_precompiled(put_header(text, place), language, place, "kernel.hip");
    was_compiled = fs::exists(folder_.path() + "/was-here");
    header_time = fs::last_write_time(header_path(place));
    std::ifstream file(precompiled_path(place), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  bool was_compiled = false;
  fs::file_time_type header_time;
  std::string bytes;

 private:
  TemporaryFolder folder_;
};

constexpr const char* kText = "# 1 \"@/include/a.h\" 1 3\nint a;\n";

TEST(Precompiled, EqualTextsOfTwoPlacesAreCompiledOnce) {
  const FakeClang clang("one");
  const Put first(clang, kText, {"-O2"});
  const Put second(clang, kText, {"-O2"});
  EXPECT_TRUE(first.was_compiled);
  EXPECT_FALSE(second.was_compiled);
  EXPECT_EQ(first.bytes, "# 1 \"include/a.h\" 1 3\nint a;\none\n");
  EXPECT_EQ(second.bytes, first.bytes);
  EXPECT_EQ(second.header_time, first.header_time);
}

TEST(Precompiled, AnotherTextFlagOrClangIsCompiled) {
  const FakeClang clang("two");
  EXPECT_TRUE(Put(clang, kText, {"-O2"}).was_compiled);
  EXPECT_TRUE(Put(clang, std::string(kText) + "int b;\n", {"-O2"}).was_compiled);
  EXPECT_TRUE(Put(clang, kText, {"-O2", "-fPIC"}).was_compiled);
  EXPECT_TRUE(Put(clang, "# 1 \"include/b.h\" 1 3\nint a;\n", {"-O2"}).was_compiled);
  const FakeClang another("three");
  const Put put(another, kText, {"-O2"});
  EXPECT_TRUE(put.was_compiled);
  EXPECT_TRUE(put.bytes.ends_with("three\n"));
}

TEST(Precompiled, FoldersInTheTextItselfStay) {
  const FakeClang clang("four");
  const std::string text = "const char* const where = \"@/a.h\";\n";
  EXPECT_TRUE(Put(clang, text, {}).was_compiled);
  EXPECT_TRUE(Put(clang, text, {}).was_compiled);
}

TEST(Precompiled, ARefusedTextIsNotKept) {
  const FakeClang clang("refuse");
  EXPECT_THROW(Put(clang, kText, {}), Error);
  EXPECT_THROW(Put(clang, kText, {}), Error);
}

}  // namespace
}  // namespace heddle::kernel::cxx
