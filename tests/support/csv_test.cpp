#include "support/csv.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(CsvField, IsQuotedWhereItHasToBe) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("copy(int*, int)"), "\"copy(int*, int)\"");
  EXPECT_EQ(csv_field("a \"b\""), "\"a \"\"b\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_field("cr\r"), "\"cr\r\"");
}

}  // namespace
}  // namespace heddle
