// CSV files of counters: what they should look like, and what they look like after an accident.
#include "profile/workload/counter_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/testing.h"

namespace heddle::profile {
namespace {

using ::testing::HasSubstr;

struct Read {
  std::vector<ProfileNote> notes;
  CounterTable table;
  explicit Read(std::string text) : table(std::move(text), "t.csv", notes) {}
  std::string text(const std::string& column, std::size_t row) const {
    return table.text(table.find(column).value(), row);
  }
  std::optional<double> number(const std::string& column, std::size_t row) const {
    return table.number(table.find(column).value(), row);
  }
  std::optional<std::int64_t> integer(const std::string& column, std::size_t row) const {
    return table.integer(table.find(column).value(), row);
  }
};

TEST(CounterTable, reads_what_the_header_shows) {
  const Read read(
      "Dispatch_ID,Kernel_Name,SQ_WAVES\n0,\"copy(int*, int)\",16384\n"
      "1,\"copy(int*, int)\",\n");
  ASSERT_EQ(read.table.rows(), 2U);
  EXPECT_EQ(read.text("Kernel_Name", 0), "copy(int*, int)");
  EXPECT_EQ(read.number("SQ_WAVES", 0), 16384);
  EXPECT_EQ(read.number("SQ_WAVES", 1), std::nullopt);
  EXPECT_TRUE(read.notes.empty());
}

TEST(CounterTable, quotes_hold_commas_quotes_and_line_ends) {
  const Read read("a,b\n\"x \"\"y\"\", z\",\"1\n2\"\n3,4\n");
  ASSERT_EQ(read.table.rows(), 2U);
  EXPECT_EQ(read.text("a", 0), "x \"y\", z");
  EXPECT_EQ(read.text("b", 0), "1\n2");
  EXPECT_EQ(read.number("b", 1), 4);
}

TEST(CounterTable, line_ends_of_dos_and_a_byte_order_mark) {
  const Read read(
      "\xef\xbb\xbf"
      "a,b\r\n1,\"x\"\r\n\r\n2,y\r\n");
  ASSERT_EQ(read.table.rows(), 2U);
  EXPECT_TRUE(read.table.has("a"));
  EXPECT_EQ(read.text("b", 0), "x");
  EXPECT_EQ(read.number("a", 1), 2);
  EXPECT_TRUE(read.notes.empty());
}

TEST(CounterTable, a_row_with_other_fields_keeps_its_place) {
  const Read read("a,b,c\n1,2,3\n4,5\n6,7,8,9\n10,11,12\n");
  ASSERT_EQ(read.table.rows(), 4U);
  EXPECT_FALSE(read.table.damaged(0));
  EXPECT_TRUE(read.table.damaged(1));
  EXPECT_TRUE(read.table.damaged(2));
  EXPECT_EQ(read.number("c", 1), std::nullopt);
  EXPECT_EQ(read.text("a", 2), "");
  EXPECT_EQ(read.number("c", 3), 12);
  EXPECT_THAT(text_of(read.notes),
              HasSubstr("t.csv:3: the row has 2 fields where the header has 3"));
}

TEST(CounterTable, a_row_cut_inside_of_quotes_takes_no_other_with_it) {
  const Read read("a,b,c\n1,\"copy(int*, i\n2,\"copy(int*, int)\",7\n3,\"copy(int*, int)\",8\n");
  ASSERT_EQ(read.table.rows(), 3U);
  EXPECT_TRUE(read.table.damaged(0));
  EXPECT_EQ(read.number("c", 1), 7);
  EXPECT_EQ(read.number("c", 2), 8);
  EXPECT_THAT(text_of(read.notes), HasSubstr("t.csv:2: a quote does not close"));
}

TEST(CounterTable, every_cut_of_a_table_leaves_the_rows_before_it) {
  const std::string whole = "a,b,c\n1,\"copy(int*, int)\",7\n2,\"copy(int*, int)\",8\n";
  const std::size_t second = whole.find("2,");
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const Read read(whole.substr(0, length));
    if (length >= second) {
      ASSERT_GE(read.table.rows(), 1U) << length;
      EXPECT_EQ(read.number("c", 0), 7) << length;
    }
    if (length != whole.size() && length != second) {
      EXPECT_FALSE(read.notes.empty()) << length;
    }
  }
}

TEST(CounterTable, a_last_row_without_an_end_is_doubted) {
  const Read read("a,b\n1,1411551767656192\n2,14115517");
  ASSERT_EQ(read.table.rows(), 2U);
  EXPECT_EQ(read.number("b", 1), 14115517);
  EXPECT_THAT(text_of(read.notes), HasSubstr("t.csv:3: the last line has no end"));
}

TEST(CounterTable, nothing_much) {
  EXPECT_THAT(text_of(Read("").notes), HasSubstr("the file is empty"));
  EXPECT_THAT(text_of(Read("\n\r\n \n").notes), HasSubstr("the file is empty"));
  EXPECT_THAT(text_of(Read("\xef\xbb\xbf").notes), HasSubstr("the file is empty"));
  EXPECT_THAT(text_of(Read("a,b\n").notes), HasSubstr("no row"));
  const Read zeros(std::string(5000, '\0'));
  EXPECT_EQ(zeros.table.rows(), 0U);
  EXPECT_THAT(text_of(zeros.notes), HasSubstr("zero bytes"));
}

TEST(CounterTable, numbers) {
  const Read read("a\n 12 \n1e3\nnan\nN/A\nx\n+5\n+-5\n0x10\n1e999\n-0.5\n\"7\"\n12abc\n");
  const std::vector<std::optional<double>> expected = {12, 1000, {}, {},   {}, 5,
                                                       {}, {},   {}, -0.5, 7,  {}};
  ASSERT_EQ(read.table.rows(), expected.size());
  for (std::size_t row = 0; row < expected.size(); ++row)
    EXPECT_EQ(read.number("a", row), expected[row]) << row;
}

TEST(CounterTable, integers_with_a_point) {
  const Read read("a\n3.0\n1731612345678901234.0\n3.\n3.5\n3e0\n.0\n-4.00\n");
  EXPECT_EQ(read.integer("a", 0), 3);
  EXPECT_EQ(read.integer("a", 1), 1731612345678901234);
  EXPECT_EQ(read.integer("a", 2), 3);
  EXPECT_EQ(read.integer("a", 3), std::nullopt);
  EXPECT_EQ(read.integer("a", 4), std::nullopt);
  EXPECT_EQ(read.integer("a", 5), std::nullopt);
  EXPECT_EQ(read.integer("a", 6), -4);
}

TEST(CounterTable, the_first_of_equal_columns_counts) {
  const Read read("a,b,a\n1,2,3\n");
  EXPECT_EQ(read.number("a", 0), 1);
  EXPECT_EQ(read.table.columns().size(), 3U);
}

TEST(CounterTable, bytes_that_are_no_text) {
  const Read read("a\xff,Kernel_Name\n1,\"k\xfe\x80(int)\"\n");
  EXPECT_TRUE(read.table.has("a\xff"));
  EXPECT_EQ(read.text("Kernel_Name", 0), "k\xfe\x80(int)");
}

TEST(CounterTable, very_many_columns_are_refused) {
  const Read most(std::string(kMostColumns - 1, ',') + "\n1\n");
  EXPECT_EQ(most.table.columns().size(), kMostColumns);
  const Read read(std::string(kMostColumns, ',') + "\n1\n");
  EXPECT_EQ(read.table.rows(), 0U);
  EXPECT_THAT(text_of(read.notes), HasSubstr("more than the 65536 columns"));
}

TEST(CounterTable, damaged_rows_take_no_memory_for_their_columns) {
  // 60,000 columns for each of 200,000 rows would be 48 GB.
  std::string text = std::string(60'000, ',') + "\n";
  for (int i = 0; i < 200'000; ++i) text += "1\n";
  const Read read(std::move(text));
  EXPECT_EQ(read.table.rows(), 200'000U);
  EXPECT_THAT(text_of(read.notes), HasSubstr("199997 more rows are damaged"));
}

TEST(CounterTable, a_row_can_be_left_out) {
  Read read("a\n1\n2\n");
  read.table.leave_out(0);
  EXPECT_TRUE(read.table.damaged(0));
  EXPECT_EQ(read.number("a", 0), std::nullopt);
  EXPECT_EQ(read.number("a", 1), 2);
}

}  // namespace
}  // namespace heddle::profile
