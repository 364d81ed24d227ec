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

}  // namespace
}  // namespace heddle
