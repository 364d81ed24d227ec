#include "report/table_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/style.h"
#include "support/text.h"

namespace heddle::report {
namespace {

using ::testing::ElementsAre;

/// The terminal of a test.
class Columns {
 public:
  explicit Columns(std::size_t columns) { set_text_columns(columns); }
  ~Columns() { set_text_columns(kFileColumns); }
};

const std::vector<Row> kRows = {{"run", "order", "time", "speedup"},
                                {"4", "digits(x1 y x0=2 die=8 -> y, die x1 x0)", "108 us", "1.474"},
                                {"12", "inverse(xcd(8))", "111 us", "1.437"}};
const std::vector<bool> kLeft = {false, true, false, false};

TEST(TableText, as_wide_as_its_cells_where_there_is_room) {
  EXPECT_EQ(table_text(kRows, kLeft),
            "  run  order                                      time  speedup\n"
            "    4  digits(x1 y x0=2 die=8 -> y, die x1 x0)  108 us    1.474\n"
            "   12  inverse(xcd(8))                          111 us    1.437\n");
}

TEST(TableText, names_go_on_below) {
  const Columns columns(50);
  EXPECT_EQ(table_text(kRows, kLeft),
            "  run  order                         time  speedup\n"
            "    4  digits(x1 y x0=2 die=8 ->   108 us    1.474\n"
            "       y, die x1 x0)\n"
            "   12  inverse(xcd(8))             111 us    1.437\n");
}

TEST(TableText, figures_that_do_not_fit_follow_in_a_second_table) {
  const Columns columns(40);
  const std::vector<Row> rows = {{"name", "a", "b", "c"},
                                 {"one", "1234567890", "1234567890", "1234567890"}};
  EXPECT_EQ(table_text(rows, {true, false, false, false}),
            "  name           a           b\n"
            "  one   1234567890  1234567890\n"
            "\n"
            "  name           c\n"
            "  one   1234567890\n");
}

TEST(TableText, the_last_cell_of_a_short_row_has_the_rest_of_the_line) {
  EXPECT_EQ(table_text({{"run", "order", "time"}, {"1", "p0 % 8 is refuted"}, {"2", "a", "1 us"}},
                       {false, true, false}),
            "  run  order  time\n"
            "    1  p0 % 8 is refuted\n"
            "    2  a      1 us\n");
}

TEST(TableText, every_line_fits_whatever_the_cells) {
  std::vector<Row> rows;
  for (int row = 0; row < 4; ++row) {
    Row& cells = rows.emplace_back();
    for (int cell = 0; cell < 9; ++cell)
      cells.push_back(std::string(static_cast<std::size_t>(3 * cell + row), 'x'));
  }
  for (const std::size_t width : {40U, 60U, 80U, 100U, 200U}) {
    const Columns columns(width);
    for (const bool left : {false, true}) {
      const std::string text = table_text(rows, std::vector<bool>(9, left));
      for (const std::string_view line : split_lines(text)) EXPECT_LE(width_of(line), width);
    }
  }
}

TEST(TextWidth, counts_columns) {
  EXPECT_EQ(width_of("abc"), 3U);
  EXPECT_EQ(width_of("\x1b[1;32mPROVED\x1b[0m"), 6U);
  EXPECT_EQ(width_of("\u00e9\u2192"), 2U);
  EXPECT_EQ(width_of("\u6f22"), 2U);
  EXPECT_EQ(width_of("\x1b[3"), 0U) << "a code that does not end";
}

TEST(TextWidth, cuts_at_any_width) {
  EXPECT_EQ(cut("a b\n c", 9), "a b c");
  EXPECT_EQ(cut("abcdefgh", 6), "abc...");
  for (std::size_t width = 0; width < 4; ++width)
    EXPECT_LE(cut("\xff\x80\x80 abcdefgh", width).size(), 6U);
}

TEST(TextWidth, breaks_at_blanks_and_long_words_anywhere) {
  EXPECT_THAT(broken("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(broken("abcdefghij k", 4), ElementsAre("abcd", "efgh", "ij k"));
  EXPECT_THAT(broken("", 4), ElementsAre(""));
}

TEST(Style, lines_fit_the_columns_and_long_words_stay_whole) {
  const Columns columns(40);
  EXPECT_EQ(labelled("note", "one two three four five six seven"),
            "  note           one two three four five\n"
            "                 six seven\n");
  const std::string path(60, 'x');
  EXPECT_EQ(headline(path, "on grid 4"), path + "\n  on grid 4\n");
  EXPECT_NE(labelled("note", "see " + path).find("\n" + std::string(17, ' ') + path),
            std::string::npos);
}

TEST(Style, columns_come_from_the_environment_or_the_terminal) {
  unsetenv("COLUMNS");
  EXPECT_EQ(choose_columns(0), kFileColumns);
  EXPECT_EQ(choose_columns(132), 132U);
  setenv("COLUMNS", "60", 1);
  EXPECT_EQ(choose_columns(132), 60U);
  for (const char* nonsense : {"", "wide", "-3", "0", "99999999999999999999"}) {
    setenv("COLUMNS", nonsense, 1);
    EXPECT_EQ(choose_columns(132), 132U) << nonsense;
  }
  unsetenv("COLUMNS");
  set_text_columns(3);
  EXPECT_EQ(text_columns(), kLeastColumns);
  set_text_columns(kFileColumns);
}

}  // namespace
}  // namespace heddle::report
