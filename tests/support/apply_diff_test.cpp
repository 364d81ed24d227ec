#include "support/apply_diff.h"

#include <gtest/gtest.h>

#include "support/error.h"

namespace heddle {
namespace {

const std::string kDiff = "--- a/src/x.py\n+++ b/src/x.py\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";

TEST(ApplyDiff, ReplacesLines) {
  EXPECT_EQ(apply_diff("a\nb\nc\nd\n", kDiff, "other/x.py"), "a\nB\nc\nd\n");
  EXPECT_EQ(apply_diff("a\r\nb\r\nc\r\n", kDiff, "x.py"), "a\r\nB\r\nc\r\n");
}

TEST(ApplyDiff, FindsAHunkElsewhere) {
  EXPECT_EQ(apply_diff("0\n1\na\nb\nc\n", kDiff, "x.py"), "0\n1\na\nB\nc\n");
}

TEST(ApplyDiff, TakesThePartOfTheFile) {
  const std::string both = "--- a/y.py\n+++ b/y.py\n@@ -1 +1 @@\n-q\n+Q\n" + kDiff;
  EXPECT_EQ(apply_diff("a\nb\nc\n", both, "x.py"), "a\nB\nc\n");
  EXPECT_THROW(apply_diff("a\nb\nc\n", both, "z.py"), Error);
}

TEST(ApplyDiff, RefusesWhatDoesNotFit) {
  EXPECT_THROW(apply_diff("a\nx\nc\n", kDiff, "x.py"), Error);
  EXPECT_THROW(apply_diff("a\n", "not a diff\n", "x.py"), Error);
  EXPECT_THROW(apply_diff("a\n", "+++ b/x.py\n@@ nonsense @@\n", "x.py"), Error);
}

TEST(ApplyDiff, RefusesTwoPartsOfOneName) {
  const std::string twice = kDiff + "--- a/src/x.py\n+++ b/src/x.py\n@@ -4 +4 @@\n-d\n+D\n";
  EXPECT_THROW(apply_diff("a\nb\nc\nd\n", twice, "x.py"), Error);
}

TEST(ApplyDiff, NamesEveryOtherFile) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(other_files(kDiff, "x.py"), Names{});
  EXPECT_EQ(other_files(kDiff, "renamed.py"), Names{});
  EXPECT_EQ(other_files(kDiff + "--- a/y.cpp\n+++ b/y.cpp\n@@ -1 +1 @@\n-q\n+Q\n", "x.py"),
            Names{"y.cpp"});
  EXPECT_EQ(other_files(kDiff + "--- a/y.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-q\n", "x.py"),
            Names{"y.py"});
  EXPECT_EQ(other_files("diff --git a/old.py b/new.py\nsimilarity index 100%\nrename from old.py\n"
                        "rename to new.py\ndiff --git a/src/x.py b/src/x.py\n" +
                            kDiff,
                        "x.py"),
            Names{"new.py"});
  EXPECT_EQ(other_files("diff --git a/src/x.py b/src/x.py\n" + kDiff +
                            "diff --git a/t.bin b/t.bin\nGIT binary patch\n",
                        "x.py"),
            Names{"t.bin"});
}

}  // namespace
}  // namespace heddle
