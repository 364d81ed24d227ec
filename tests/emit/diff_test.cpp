// Diffs: their text, and that applying one gives the new text back.
#include "emit/diff.h"

#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <vector>

#include "support/text.h"

namespace heddle::emit {
namespace {

/// The obvious reader of a diff: takes the new text from it, checking every old line.
std::string applied(const std::string& before, const std::string& diff) {
  std::vector<std::string> old_lines;
  for (std::size_t at = 0; at < before.size();) {
    const std::size_t end = std::min(before.find('\n', at), before.size() - 1);
    old_lines.push_back(before.substr(at, end + 1 - at));
    at = end + 1;
  }
  std::string after;
  std::size_t next = 0;
  std::istringstream lines(diff);
  std::string line;
  std::string* last = nullptr;
  std::string taken;
  const auto flush = [&] {
    if (last != nullptr) *last += taken;
    taken.clear();
  };
  while (std::getline(lines, line)) {
    if (line.rfind("--- ", 0) == 0 || line.rfind("+++ ", 0) == 0) continue;
    if (line.rfind("\\ ", 0) == 0) {
      if (!taken.empty() && taken.back() == '\n') taken.pop_back();
      continue;
    }
    flush();
    if (line.rfind("@@ -", 0) == 0) {
      int first = 0;
      int count = 1;
      if (std::sscanf(line.c_str(), "@@ -%d,%d", &first, &count) == 1) count = 1;
      const auto target = static_cast<std::size_t>(count == 0 ? first : first - 1);
      while (next < target) after += old_lines.at(next++);
      continue;
    }
    if (line[0] != '+') ++next;
    taken = line.substr(1) + "\n";
    last = line[0] == '-' ? nullptr : &after;
  }
  flush();
  while (next < old_lines.size()) after += old_lines[next++];
  return after;
}

std::string numbered(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += std::to_string(i) + "\n";
  return text;
}

TEST(Diff, EqualTextsGiveNone) {
  EXPECT_EQ(unified_diff("", "", "x.py"), "");
  EXPECT_EQ(unified_diff("a\n", "a\n", "x.py"), "");
}

TEST(Diff, OneLine) {
  EXPECT_EQ(unified_diff("a\nb\nc\n", "a\nB\nc\n", "x.py"),
            "--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
}

TEST(Diff, ThreeLinesOfContext) {
  EXPECT_EQ(unified_diff(numbered(1, 9), numbered(1, 4) + "new\n" + numbered(5, 9), "k/x.py"),
            "--- a/k/x.py\n+++ b/k/x.py\n@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+new\n 5\n 6\n 7\n");
}

TEST(Diff, NearChangesShareAHunk) {
  const std::string six = "a\n" + numbered(1, 6) + "b\n";
  const std::string seven = "a\n" + numbered(1, 7) + "b\n";
  const auto hunks = [](const std::string& diff) {
    int count = 0;
    for (const std::string_view line : split_lines(diff))
      count += line.substr(0, 2) == "@@" ? 1 : 0;
    return count;
  };
  EXPECT_EQ(hunks(unified_diff(six, "A\n" + numbered(1, 6) + "B\n", "x")), 1);
  EXPECT_EQ(hunks(unified_diff(seven, "A\n" + numbered(1, 7) + "B\n", "x")), 2);
}

TEST(Diff, EmptySides) {
  EXPECT_EQ(unified_diff("", "a\n", "x"), "--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+a\n");
  EXPECT_EQ(unified_diff("a\n", "", "x"), "--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n-a\n");
}

TEST(Diff, NoNewlineAtTheEnd) {
  EXPECT_EQ(unified_diff("a\nb", "a\nc", "x"),
            "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n"
            "+c\n\\ No newline at end of file\n");
  EXPECT_EQ(unified_diff("a", "b\na", "x"),
            "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n+b\n a\n\\ No newline at end of file\n");
}

TEST(Diff, CarriageReturnsStay) {
  EXPECT_EQ(unified_diff("a\r\nb\r\n", "a\r\nc\r\n", "x"),
            "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n");
}

TEST(Diff, OddNames) {
  EXPECT_EQ(unified_diff("", "a\n", "my file.py").substr(0, 18), "--- a/my file.py\t\n");
  EXPECT_EQ(unified_diff("", "a\n", "a\"b\n.py").substr(0, 20), "--- \"a/a\\\"b\\012.py\"\n");
}

TEST(Diff, ShortestEdits) {
  // Two lines differ, however far apart they are.
  const std::string before = numbered(1, 300);
  std::string after = before;
  after.replace(after.find("\n7\n"), 3, "\nx\n");
  after.replace(after.find("\n290\n"), 5, "\n");
  const std::string diff = unified_diff(before, after, "x");
  EXPECT_EQ(std::count(diff.begin(), diff.end(), '-'), 3 + 2 + 2);  // header, hunks, two lines
  EXPECT_EQ(applied(before, diff), after);
}

TEST(Diff, RandomTextsComeBack) {
  std::mt19937 random(7);
  const auto text = [&](int lines, int kinds) {
    std::string result;
    for (int i = 0; i < lines; ++i)
      result += "line " + std::to_string(random() % static_cast<unsigned>(kinds)) + "\n";
    if (!result.empty() && random() % 4 == 0) result.pop_back();
    return result;
  };
  for (int round = 0; round < 2000; ++round) {
    const int kinds = 1 + static_cast<int>(random() % 12);
    const std::string before = text(static_cast<int>(random() % 30), kinds);
    const std::string after = text(static_cast<int>(random() % 30), kinds);
    ASSERT_EQ(applied(before, unified_diff(before, after, "x")), after)
        << before << "-----\n"
        << after << "-----\n"
        << unified_diff(before, after, "x");
  }
}

TEST(Diff, ManyEditsReplaceEverythingBetween) {
  std::string before = "first\n";
  std::string after = "first\n";
  for (int i = 0; i < kMostEdits; ++i) {
    before += "old " + std::to_string(i) + "\n";
    after += "new " + std::to_string(i) + "\n";
  }
  before += "same\nold\nlast\n";
  after += "same\nnew\nlast\n";
  const std::string diff = unified_diff(before, after, "x");
  EXPECT_NE(diff.find("-same\n"), std::string::npos);
  EXPECT_EQ(diff.find("-first\n"), std::string::npos);
  EXPECT_EQ(applied(before, diff), after);
}

}  // namespace
}  // namespace heddle::emit
