// Results that a later run may use: what is found again, and what is not trusted.
#include "support/private_cache.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "support/temporary_folder.h"

namespace heddle::testing {
namespace {

namespace fs = std::filesystem;

class PrivateCaches : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    unsetenv("HEDDLE_CACHE");
  }
  void TearDown() override {
    unsetenv("XDG_CACHE_HOME");
    setenv("HEDDLE_CACHE", "off", 1);  // for other tests
  }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> paths;
    for (const auto& one : fs::directory_iterator(folder_.path() + "/heddle/things"))
      paths.push_back(one.path());
    return paths;
  }

  TemporaryFolder folder_;
};

TEST_F(PrivateCaches, FindsWhatWasKeptUnderTheWholeKey) {
  const PrivateCache cache("things", 1 << 20);
  EXPECT_TRUE(cache.is_on());
  EXPECT_FALSE(cache.find("a key"));
  const std::string value("a\0value", 7);
  cache.keep("a key", value);
  EXPECT_EQ(PrivateCache("things", 1 << 20).find("a key"), value);
  EXPECT_FALSE(cache.find("a ke"));
  EXPECT_FALSE(PrivateCache("others", 1 << 20).find("a key"));
}

TEST_F(PrivateCaches, ADamagedEntryIsNone) {
  const PrivateCache cache("things", 1 << 20);
  cache.keep("key", "value");
  ASSERT_EQ(entries().size(), 1U);
  std::string text;
  {
    std::ifstream file(entries().front(), std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] ^= 1;
    std::ofstream(entries().front(), std::ios::binary) << other;
    EXPECT_FALSE(cache.find("key")) << "byte " << i;
  }
  std::ofstream(entries().front(), std::ios::binary) << text;
  EXPECT_EQ(cache.find("key"), "value");
}

TEST_F(PrivateCaches, AFolderOrAnEntryThatOthersMayReadIsNotUsed) {
  const PrivateCache cache("things", 1 << 20);
  cache.keep("key", "value");
  chmod(entries().front().c_str(), 0644);
  EXPECT_FALSE(cache.find("key"));
  chmod((folder_.path() + "/heddle/things").c_str(), 0755);
  EXPECT_FALSE(PrivateCache("things", 1 << 20).is_on());
}

TEST_F(PrivateCaches, TheOldestGoWhereThereIsNoRoom) {
  const PrivateCache cache("things", 4000);
  for (int i = 0; i < 8; ++i) {
    cache.keep("key " + std::to_string(i), std::string(600, 'x'));
    for (const fs::path& path : entries())
      fs::last_write_time(path, fs::last_write_time(path) - std::chrono::seconds(1));
  }
  EXPECT_FALSE(cache.find("key 0"));
  EXPECT_TRUE(cache.find("key 7"));
  EXPECT_LT(entries().size(), 7U);
}

TEST_F(PrivateCaches, CanBeSwitchedOff) {
  setenv("HEDDLE_CACHE", "off", 1);
  const PrivateCache cache("things", 1 << 20);
  EXPECT_FALSE(cache.is_on());
  cache.keep("key", "value");
  EXPECT_FALSE(cache.find("key"));
}

TEST_F(PrivateCaches, PartsKeepTheirLengths) {
  std::string text;
  put_part(text, "one");
  put_part(text, "");
  std::string_view rest = text;
  std::string part;
  EXPECT_TRUE(take_part(rest, part));
  EXPECT_EQ(part, "one");
  EXPECT_TRUE(take_part(rest, part));
  EXPECT_EQ(part, "");
  EXPECT_FALSE(take_part(rest, part));
  std::string_view cut = std::string_view(text).substr(0, 10);
  EXPECT_FALSE(take_part(cut, part));
}

}  // namespace
}  // namespace heddle::testing
