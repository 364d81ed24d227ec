#include "support/csv_table.h"

#include <gtest/gtest.h>

#include "support/error.h"

namespace heddle {
namespace {

using Fields = std::vector<std::string>;

std::string error_of(std::string_view text) {
  try {
    parse_csv(text);
  } catch (const Error& error) {
    return error.in("t.csv").full_text();
  }
  return "no error";
}

TEST(CsvTable, reads_rows_and_their_lines) {
  const auto rows = parse_csv("# a comment\n\na,b\n 1 ,\t2\t\r\n\n  # another, one\n3,\n,4");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].fields, (Fields{"a", "b"}));
  EXPECT_EQ(rows[0].line, 3);
  EXPECT_EQ(rows[1].fields, (Fields{"1", "2"}));
  EXPECT_EQ(rows[1].line, 4);
  EXPECT_EQ(rows[2].fields, (Fields{"3", ""}));
  EXPECT_EQ(rows[2].line, 7);
  EXPECT_EQ(rows[3].fields, (Fields{"", "4"}));
}

TEST(CsvTable, quotes_hold_commas_lines_and_quotes) {
  const auto rows = parse_csv("a, \"b, c\" ,\"d \"\"e\"\"\"\n\"f\n# g\n\",h,\"\"\ni,j,k\n");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].fields, (Fields{"a", "b, c", "d \"e\""}));
  EXPECT_EQ(rows[1].fields, (Fields{"f\n# g\n", "h", ""}));
  EXPECT_EQ(rows[2].line, 5);
}

TEST(CsvTable, empty_texts_have_no_rows) {
  EXPECT_TRUE(parse_csv("").empty());
  EXPECT_TRUE(parse_csv("\n\n# nothing").empty());
  EXPECT_TRUE(parse_csv("\xef\xbb\xbf").empty());
}

TEST(CsvTable, says_where_quotes_are_wrong) {
  EXPECT_EQ(error_of("a\n\n\"b\nc\n"),
            "t.csv:3:1: a quoted field does not end\n  try: close it with a double quote");
  EXPECT_EQ(error_of("a\nb\"c\"\n"),
            "t.csv:2:1: a double quote stands inside a field\n"
            "  try: put the whole field in double quotes, and write each of its own twice");
  EXPECT_EQ(error_of("\"a\"b"),
            "t.csv:1:1: text follows a quoted field\n  try: put all of the field in the quotes");
}

TEST(CsvTable, is_bounded) {
  EXPECT_NE(error_of(std::string(kMostFields, ',')).find("more than 64 fields"), std::string::npos);
  std::string rows;
  for (std::size_t i = 0; i <= CsvLimits{}.rows; ++i) rows += "a\n";
  EXPECT_NE(error_of(rows).find("more than 10,000 rows"), std::string::npos);
  EXPECT_NE(error_of(std::string(CsvLimits{}.bytes + 1, ' ')).find("larger than 4 MiB"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
