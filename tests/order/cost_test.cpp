#include "order/cost.h"

#include <gtest/gtest.h>

#include "order/compact.h"

namespace heddle {
namespace {

int operations_of(const std::string& text, std::vector<std::int64_t> grid) {
  order::Space space;
  space.launch = Grid(std::move(grid));
  const order::Order order = order::looks_compact(text)
                                 ? order::read_compact(text)
                                 : order::Order::from_formula(text, "test", {});
  return order::operations(order, space, {});
}

TEST(Cost, counts_what_a_block_executes) {
  EXPECT_EQ(operations_of("identity", {64, 64, 2}), 0);
  EXPECT_EQ(operations_of("p0 + 1 - 1", {64}), 2);
  EXPECT_EQ(operations_of("p0 // 8 * 8 + p0 % 8", {64}), 2 * order::kConstantDivision + 2);
  EXPECT_EQ(operations_of("p0 // g0 + p0", {64}), order::kDivision + 1);
}

TEST(Cost, of_loops_is_that_of_their_rounds) {
  const int small = operations_of("hilbert", {8, 8});
  const int large = operations_of("hilbert", {256, 256});
  EXPECT_GT(small, operations_of("xcd(8)", {8, 8}));
  EXPECT_GT(2 * large, 3 * small);
}

TEST(Cost, of_a_table_is_not_counted) {
  const order::Order table = order::Order::from_table({1, 0}, "test");
  order::Space space;
  space.launch = Grid({2});
  EXPECT_EQ(order::operations(table, space, {}), 0);
}

}  // namespace
}  // namespace heddle
