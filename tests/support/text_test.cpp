#include "support/text.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using Parts = std::vector<std::string_view>;

TEST(Text, TrimsBothEnds) {
  EXPECT_EQ(trim("  a b\t\r\n"), "a b");
  EXPECT_EQ(trim(""), "");
  EXPECT_EQ(trim(" \n\t"), "");
  EXPECT_EQ(trim("x"), "x");
}

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a,b", ','), (Parts{"a", "b"}));
  EXPECT_EQ(split(",a,,b,", ','), (Parts{"", "a", "", "b", ""}));
  EXPECT_EQ(split("", ','), (Parts{""}));
}

TEST(Text, SplitLinesDropsCarriageReturns) {
  EXPECT_EQ(split_lines("a\r\nb\nc"), (Parts{"a", "b", "c"}));
  EXPECT_EQ(split_lines("a\n"), (Parts{"a", ""}));
  EXPECT_EQ(split_lines("a\rb"), (Parts{"a\rb"}));
}

TEST(Text, StartsWithAWholeWord) {
  EXPECT_TRUE(starts_with_word("if x", "if"));
  EXPECT_TRUE(starts_with_word("if", "if"));
  EXPECT_TRUE(starts_with_word("if(x)", "if"));
  EXPECT_FALSE(starts_with_word("iffy", "if"));
  EXPECT_FALSE(starts_with_word("if_x", "if"));
  EXPECT_FALSE(starts_with_word("if2", "if"));
  EXPECT_FALSE(starts_with_word("i", "if"));
}

TEST(Text, LowersAsciiOnly) {
  EXPECT_EQ(lower_case("PID_m 9"), "pid_m 9");
  EXPECT_EQ(lower_case("\xC3\x84"), "\xC3\x84");
}

TEST(Text, ParsesWholeIntegersOnly) {
  EXPECT_EQ(parse_integer("0"), 0);
  EXPECT_EQ(parse_integer("-17"), -17);
  EXPECT_EQ(parse_integer("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_integer("-9223372036854775808"), INT64_MIN);
  for (const char* bad :
       {"", " 1", "1 ", "1x", "x1", "0x10", "1.0", "+1", "--1", "-", "9223372036854775808"}) {
    EXPECT_EQ(parse_integer(bad), std::nullopt) << bad;
  }
}

TEST(Text, QuotesForShells) {
  EXPECT_EQ(shell_quoted("out/run.sh"), "out/run.sh");
  EXPECT_EQ(shell_quoted("mi300x:cpx"), "mi300x:cpx");
  EXPECT_EQ(shell_quoted("out $(touch x)"), "'out $(touch x)'");
  EXPECT_EQ(shell_quoted("it's; rm -r *"), "'it'\\''s; rm -r *'");
  EXPECT_EQ(shell_quoted("`a`"), "'`a`'");
  EXPECT_EQ(shell_quoted(""), "''");
}

TEST(Text, SeparatesThousands) {
  EXPECT_EQ(with_separators(0), "0");
  EXPECT_EQ(with_separators(999), "999");
  EXPECT_EQ(with_separators(1000), "1,000");
  EXPECT_EQ(with_separators(65536), "65,536");
  EXPECT_EQ(with_separators(1234567), "1,234,567");
  EXPECT_EQ(with_separators(-999), "-999");
  EXPECT_EQ(with_separators(-123456), "-123,456");
  EXPECT_EQ(with_separators(INT64_MIN), "-9,223,372,036,854,775,808");
}

}  // namespace
}  // namespace heddle
