#include "optlog/blocks.h"

#include <gtest/gtest.h>

namespace heddle::optlog {
namespace {

TEST(CodeBlocks, fences_of_every_kind) {
  const auto blocks = code_blocks(
      "prose\n```python\na = 1\n\nb = 2\n```\n~~~~ C title\nint x;\n```\n~~~\n~~~~\n  ```\n  c\n   "
      "d\n  ```\n"
      "`` `no` ``\n````\n```\nin\n```\n````\n```\ncut");
  ASSERT_EQ(blocks.size(), 5u);
  EXPECT_EQ(blocks[0].language, "python");
  EXPECT_EQ(blocks[0].text, "a = 1\n\nb = 2\n");
  EXPECT_EQ(blocks[0].line, 3);
  EXPECT_TRUE(blocks[0].closed);
  EXPECT_EQ(blocks[1].language, "c");
  EXPECT_EQ(blocks[1].text, "int x;\n```\n~~~\n");
  EXPECT_EQ(blocks[2].text, "c\n d\n");
  EXPECT_EQ(blocks[3].text, "```\nin\n```\n");
  EXPECT_EQ(blocks[4].text, "cut\n");
  EXPECT_FALSE(blocks[4].closed);
}

TEST(CodeBlocks, prose_is_the_rest) {
  EXPECT_EQ(prose_of("one\n```\ntwo\n```\nthree"), "one\nthree\n");
}

TEST(CodeBlocks, what_is_fenced_comes_back) {
  for (const char* const text : {"a\n", "```\nx\n```\n", "````\n", "~~~\n", "`` ` ``\n"}) {
    const auto blocks = code_blocks(fenced(text, "python"));
    ASSERT_EQ(blocks.size(), 1u) << text;
    EXPECT_EQ(blocks[0].text, text);
    EXPECT_TRUE(blocks[0].closed);
  }
}

TEST(CodeBlocks, many_are_bounded) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "```\nx\n```\n";
  EXPECT_EQ(code_blocks(text).size(), kMostBlocks);
}

}  // namespace
}  // namespace heddle::optlog
