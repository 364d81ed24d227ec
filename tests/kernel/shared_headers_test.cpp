#include "kernel/cxx/shared_headers.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "kernel/cxx/clang.h"
#include "support/error.h"
#include "support/temporary_folder.h"

namespace heddle::kernel::cxx {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Stands in for Clang: what it makes is the header, reversed.
class Compiling {
 public:
  std::shared_ptr<const Precompiled> of(const std::string& text) {
    ClangPlace place;
    place.folder = folder_.path();
    return precompiled(text, place, [&](const std::string& header, const std::string& output) {
      ++times;
      const std::string read = text_of(header);
      std::ofstream(output) << std::string(read.rbegin(), read.rend());
    });
  }
  int times = 0;

 private:
  TemporaryFolder folder_;
};

TEST(SharedHeaders, HoldTheDeviceHeaders) {
  EXPECT_TRUE(fs::is_regular_file(shared_headers() + "/heddle/device.h"));
}

TEST(SharedHeaders, EqualTextsAreCompiledOnce) {
  Compiling clang;
  const auto first = clang.of("int a;");
  EXPECT_EQ(clang.of("int a;")->path(), first->path());
  EXPECT_EQ(clang.times, 1);
  EXPECT_NE(clang.of("int b;")->path(), first->path());
  EXPECT_EQ(clang.times, 2);
  EXPECT_EQ(text_of(first->path()), ";a tni");
}

TEST(SharedHeaders, OneThatIsHeldStaysWhenItIsNoLongerKept) {
  Compiling clang;
  auto held = clang.of("int held;");
  const std::string path = held->path();
  for (int k = 0; k < 20; ++k) clang.of("int k" + std::to_string(k) + ";");
  EXPECT_TRUE(fs::exists(path));
  held.reset();
  EXPECT_FALSE(fs::exists(path));
  clang.of("int held;");
  EXPECT_EQ(clang.times, 22);
}

TEST(SharedHeaders, WhatCannotBeCompiledIsNotKept) {
  const auto fails = [](const std::string&, const std::string&) { throw Error("no", "none"); };
  EXPECT_THROW(precompiled("int bad;", {}, fails), Error);
  Compiling clang;
  clang.of("int bad;");
  EXPECT_EQ(clang.times, 1);
}

}  // namespace
}  // namespace heddle::kernel::cxx
