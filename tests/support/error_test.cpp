#include "support/error.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/file.h"

namespace heddle {
namespace {

TEST(Error, PrintsWhereWhatAndWhatToTry) {
  const Error bare("it broke", "mend it");
  EXPECT_EQ(bare.full_text(), "it broke\n  try: mend it");
  EXPECT_EQ(bare.at("order.py", {3, 9}).full_text(), "order.py:3:9: it broke\n  try: mend it");
  EXPECT_EQ(bare.in("order.py").full_text(), "order.py: it broke\n  try: mend it");
  EXPECT_EQ(bare.at({}, {3, 9}).full_text(), "3:9: it broke\n  try: mend it");
  EXPECT_EQ(Error("it broke").full_text(), "it broke");
}

TEST(Error, KeepsItsPartsWhenPlaced) {
  const Error error = Error("a", "b", ExitCode::missing).at("x", {1, 2}).in("y");
  EXPECT_EQ(error.message(), "a");
  EXPECT_EQ(error.hint(), "b");
  EXPECT_EQ(error.source(), "y");
  EXPECT_EQ(error.position().line, 1);
  EXPECT_EQ(error.position().column, 2);
  EXPECT_EQ(error.code(), ExitCode::missing);
  EXPECT_STREQ(error.what(), "a");
}

TEST(Error, UsageIsTheUsualCode) {
  EXPECT_EQ(Error("a").code(), ExitCode::usage);
}

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("heddle_file_") +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(FileTest, ReadsWhatWasWritten) {
  const std::string name = (folder_ / "a.bin").string();
  const std::string bytes("a\0b\r\n\xff", 6);
  write_text(name, bytes);
  EXPECT_EQ(read_text(name, 6), bytes);
  write_text(name, "");
  EXPECT_EQ(read_text(name, 0), "");
}

TEST_F(FileTest, RefusesLargeFilesFoldersAndAbsentOnes) {
  const std::string name = (folder_ / "a.txt").string();
  write_text(name, "1234567");
  EXPECT_THROW(read_text(name, 6), Error);
  EXPECT_THROW(read_text(folder_.string(), 100), Error);
  EXPECT_THROW(read_text((folder_ / "absent").string(), 100), Error);
  EXPECT_THROW(write_text((folder_ / "absent" / "b").string(), "x"), Error);
}

TEST(FileNames, StandardInput) {
  EXPECT_EQ(display_name("-"), "<stdin>");
  EXPECT_EQ(display_name("a.py"), "a.py");
}

}  // namespace
}  // namespace heddle
