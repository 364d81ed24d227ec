#include "history/schema.h"

#include <gmock/gmock.h>

#include "history/file_check.h"
#include "history/rows.h"

namespace heddle::history {
namespace {

/// Of all names and types, in their order.
std::int64_t fingerprint() {
  Row words;
  for (const auto& columns : {attempt_columns(), prediction_columns()}) {
    for (const Column& column : columns) {
      words.emplace_back(column.name);
      words.emplace_back(column.type);
    }
  }
  return row_checksum(words);
}

TEST(HistorySchema, changes_only_with_its_version) {
  EXPECT_EQ(kVersion, 1);
  EXPECT_EQ(attempt_columns().size(), 23U);
  EXPECT_EQ(prediction_columns().size(), 57U);
  EXPECT_EQ(fingerprint(), 8991539497508490980)
      << "the columns have changed: raise kVersion, then this number";
}

TEST(HistorySchema, checksum_sees_types_lengths_and_places) {
  const Row row = {std::int64_t{1}, 1.0, std::string("ab"), Value{}};
  EXPECT_EQ(row_checksum(row), row_checksum(Row(row)));
  for (const Row& other : std::vector<Row>{{1.0, 1.0, std::string("ab"), Value{}},
                                           {1.0, std::int64_t{1}, std::string("ab"), Value{}},
                                           {std::int64_t{1}, 1.0, std::string("ab")},
                                           {std::int64_t{1}, 1.0, std::string("ba"), Value{}},
                                           {std::int64_t{1}, 1.0, std::string("a"), Value{}}})
    EXPECT_NE(row_checksum(row), row_checksum(other));
  EXPECT_NE(row_checksum({std::string("a"), std::string("bc")}),
            row_checksum({std::string("ab"), std::string("c")}));
}

TEST(HistorySchema, unknown_words_are_errors) {
  Verdict verdict = Verdict::unknown;
  EXPECT_THROW(decode(std::string("MAYBE"), verdict), Error);
  EXPECT_THROW(decode(std::int64_t{1}, verdict), Error);
  int number = 0;
  EXPECT_THROW(decode(std::int64_t{1} << 40, number), Error);
  std::vector<Utilization> busy;
  EXPECT_THROW(decode(std::string("[[1]]"), busy), Error);
  std::vector<std::int64_t> list;
  EXPECT_THROW(decode(std::string("1,x"), list), Error);
}

}  // namespace
}  // namespace heddle::history
