#include "order/operation.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::order {
namespace {

constexpr std::int64_t kMin32 = INT32_MIN;
constexpr std::int64_t kMax32 = INT32_MAX;
constexpr std::int64_t kMax32u = UINT32_MAX;

Outcome truncating(Operation operation, Type type, std::int64_t a, std::int64_t b = 0) {
  return apply(operation, type, Rounding::truncate, a, b);
}

/// The value of an operation that must be clean: no fault, no wrap.
std::int64_t clean(Operation operation, Type type, std::int64_t a, std::int64_t b = 0) {
  const Outcome outcome = truncating(operation, type, a, b);
  EXPECT_EQ(outcome.fault, Fault::none);
  EXPECT_FALSE(outcome.wrapped);
  return outcome.value;
}

TEST(Operation, Int32OverflowIsAFault) {
  EXPECT_EQ(clean(Operation::add, Type::i32, kMax32, 0), kMax32);
  EXPECT_EQ(truncating(Operation::add, Type::i32, kMax32, 1).fault, Fault::overflow);
  EXPECT_EQ(truncating(Operation::subtract, Type::i32, kMin32, 1).fault, Fault::overflow);
  EXPECT_EQ(truncating(Operation::multiply, Type::i32, 65536, 32768).fault, Fault::overflow);
  EXPECT_EQ(clean(Operation::multiply, Type::i32, 65536, -32768), kMin32);
  EXPECT_EQ(truncating(Operation::multiply, Type::i32, INT32_MIN, INT32_MIN).fault,
            Fault::overflow);
  EXPECT_EQ(truncating(Operation::negate, Type::i32, kMin32).fault, Fault::overflow);
  EXPECT_EQ(truncating(Operation::absolute, Type::i32, kMin32).fault, Fault::overflow);
  EXPECT_EQ(clean(Operation::absolute, Type::i32, -kMax32), kMax32);
}

TEST(Operation, Int64OverflowIsAFault) {
  for (const Type type : {Type::i64, Type::constexpr_int}) {
    EXPECT_EQ(clean(Operation::add, type, kMax32, 1), kMax32 + 1);
    EXPECT_EQ(truncating(Operation::add, type, INT64_MAX, 1).fault, Fault::overflow);
    EXPECT_EQ(truncating(Operation::subtract, type, INT64_MIN, 1).fault, Fault::overflow);
    EXPECT_EQ(truncating(Operation::multiply, type, INT64_MAX, 2).fault, Fault::overflow);
    EXPECT_EQ(truncating(Operation::negate, type, INT64_MIN).fault, Fault::overflow);
    EXPECT_EQ(truncating(Operation::absolute, type, INT64_MIN).fault, Fault::overflow);
  }
}

TEST(Operation, UnsignedWrapsAndSaysSo) {
  const Outcome below = truncating(Operation::subtract, Type::u32, 0, 1);
  EXPECT_EQ(below.value, kMax32u);
  EXPECT_TRUE(below.wrapped);
  EXPECT_EQ(below.fault, Fault::none);
  const Outcome above = truncating(Operation::add, Type::u32, kMax32u, 2);
  EXPECT_EQ(above.value, 1);
  EXPECT_TRUE(above.wrapped);
  EXPECT_EQ(truncating(Operation::multiply, Type::u32, kMax32u, kMax32u).value, 1);
  EXPECT_TRUE(truncating(Operation::multiply, Type::u32, kMax32u, kMax32u).wrapped);
  EXPECT_EQ(truncating(Operation::negate, Type::u32, 5).value, kMax32u - 4);
  EXPECT_EQ(clean(Operation::negate, Type::u32, 0), 0);
  const Outcome wide = truncating(Operation::subtract, Type::u64, 0, 1);
  EXPECT_EQ(wide.value, -1);  // all bits set
  EXPECT_TRUE(wide.wrapped);
  EXPECT_TRUE(truncating(Operation::multiply, Type::u64, -1, 2).wrapped);
  EXPECT_EQ(clean(Operation::add, Type::u64, INT64_MAX, 1), INT64_MIN);  // 2^63 fits
}

TEST(Operation, DivisionTruncatesOrFloors) {
  struct Row {
    std::int64_t a, b, q_truncate, r_truncate, q_floor, r_floor;
  };
  const std::vector<Row> rows = {
      {7, 2, 3, 1, 3, 1},     {-7, 2, -3, -1, -4, 1}, {7, -2, -3, 1, -4, -1},
      {-7, -2, 3, -1, 3, -1}, {-8, 2, -4, 0, -4, 0},  {0, -3, 0, 0, 0, 0},
      {-1, 8, 0, -1, -1, 7},  {1, -8, 0, 1, -1, -7},  {5, -1, -5, 0, -5, 0}};
  for (const Row& row : rows) {
    for (const Type type : {Type::i32, Type::i64, Type::constexpr_int}) {
      EXPECT_EQ(apply(Operation::divide, type, Rounding::truncate, row.a, row.b).value,
                row.q_truncate)
          << row.a << "/" << row.b;
      EXPECT_EQ(apply(Operation::remainder, type, Rounding::truncate, row.a, row.b).value,
                row.r_truncate)
          << row.a << "%" << row.b;
      EXPECT_EQ(apply(Operation::divide, type, Rounding::floor, row.a, row.b).value, row.q_floor)
          << row.a << "/" << row.b;
      EXPECT_EQ(apply(Operation::remainder, type, Rounding::floor, row.a, row.b).value, row.r_floor)
          << row.a << "%" << row.b;
      EXPECT_EQ(apply(Operation::divide, type, Rounding::floor, row.a, row.b).negative,
                row.a < 0 || row.b < 0);
    }
  }
}

TEST(Operation, DivisionFaults) {
  for (const Type type : {Type::i32, Type::i64, Type::constexpr_int, Type::u32, Type::u64}) {
    EXPECT_EQ(truncating(Operation::divide, type, 5, 0).fault, Fault::division_by_zero);
    EXPECT_EQ(truncating(Operation::remainder, type, 5, 0).fault, Fault::division_by_zero);
  }
  EXPECT_EQ(truncating(Operation::divide, Type::i32, kMin32, -1).fault, Fault::overflow);
  EXPECT_EQ(truncating(Operation::remainder, Type::i32, kMin32, -1).fault, Fault::overflow);
  EXPECT_EQ(truncating(Operation::divide, Type::i64, INT64_MIN, -1).fault, Fault::overflow);
  EXPECT_EQ(truncating(Operation::remainder, Type::i64, INT64_MIN, -1).fault, Fault::overflow);
  EXPECT_EQ(clean(Operation::divide, Type::i64, kMin32, -1), kMax32 + 1);
  EXPECT_EQ(clean(Operation::remainder, Type::i32, 17, -1), 0);
}

TEST(Operation, UnsignedDivisionSeesNoSign) {
  EXPECT_EQ(clean(Operation::divide, Type::u32, kMax32u, 2), kMax32);
  EXPECT_EQ(clean(Operation::remainder, Type::u32, kMax32u, 10), 5);
  EXPECT_EQ(clean(Operation::divide, Type::u64, -1, 2), INT64_MAX);
  EXPECT_EQ(clean(Operation::remainder, Type::u64, -1, 10), 5);
  EXPECT_EQ(clean(Operation::divide, Type::u64, -1, -1), 1);
  EXPECT_FALSE(truncating(Operation::divide, Type::u64, -1, 2).negative);
}

TEST(Operation, ShiftsWithinTheWidth) {
  EXPECT_EQ(clean(Operation::shift_left, Type::i32, 1, 0), 1);
  EXPECT_EQ(clean(Operation::shift_left, Type::i32, 1, 30), 1 << 30);
  EXPECT_EQ(truncating(Operation::shift_left, Type::i32, 1, 31).fault, Fault::overflow);
  EXPECT_EQ(clean(Operation::shift_left, Type::i32, -1, 31), kMin32);
  EXPECT_EQ(clean(Operation::shift_right, Type::i32, kMin32, 31), -1);
  EXPECT_EQ(clean(Operation::shift_right, Type::i32, -5, 1), -3);
  EXPECT_EQ(clean(Operation::shift_right, Type::u32, kMax32u, 31), 1);
  EXPECT_EQ(clean(Operation::shift_left, Type::u32, 1, 31), std::int64_t{1} << 31);
  EXPECT_EQ(truncating(Operation::shift_left, Type::u32, 3, 31).value, std::int64_t{1} << 31);
  EXPECT_TRUE(truncating(Operation::shift_left, Type::u32, 3, 31).wrapped);
  EXPECT_EQ(clean(Operation::shift_left, Type::i64, 1, 62), std::int64_t{1} << 62);
  EXPECT_EQ(truncating(Operation::shift_left, Type::i64, 1, 63).fault, Fault::overflow);
  EXPECT_EQ(clean(Operation::shift_left, Type::u64, 1, 63), INT64_MIN);
  EXPECT_EQ(clean(Operation::shift_right, Type::u64, -1, 63), 1);
  EXPECT_EQ(clean(Operation::shift_right, Type::i64, INT64_MIN, 63), -1);
}

TEST(Operation, UnsignedShiftsNoteTheirWrap) {
  const Outcome narrow = truncating(Operation::shift_left, Type::u32, std::int64_t{1} << 31, 1);
  EXPECT_EQ(narrow.value, 0);
  EXPECT_TRUE(narrow.wrapped);
  const Outcome wide = truncating(Operation::shift_left, Type::u64, INT64_MIN, 1);
  EXPECT_EQ(wide.value, 0);
  EXPECT_TRUE(wide.wrapped);
}

TEST(Operation, ShiftsBeyondTheWidthAreFaults) {
  for (const Operation operation : {Operation::shift_left, Operation::shift_right}) {
    for (const Type type : {Type::i32, Type::u32}) {
      for (const std::int64_t amount : {-1, 32, 63, 64}) {
        EXPECT_EQ(truncating(operation, type, 1, amount).fault, Fault::bad_shift) << amount;
      }
    }
    for (const Type type : {Type::i64, Type::u64}) {
      EXPECT_EQ(truncating(operation, type, 1, 32).fault, Fault::none);
      for (const std::int64_t amount : {-1, 64, 65}) {
        EXPECT_EQ(truncating(operation, type, 1, amount).fault, Fault::bad_shift) << amount;
      }
    }
    EXPECT_EQ(truncating(operation, Type::constexpr_int, 1, -1).fault, Fault::bad_shift);
  }
}

TEST(Operation, PythonIntegersHaveNoWidthToShiftBeyond) {
  EXPECT_EQ(clean(Operation::shift_right, Type::constexpr_int, 5, 64), 0);
  EXPECT_EQ(clean(Operation::shift_right, Type::constexpr_int, -5, 1000), -1);
  EXPECT_EQ(clean(Operation::shift_left, Type::constexpr_int, 0, 1000), 0);
  EXPECT_EQ(truncating(Operation::shift_left, Type::constexpr_int, 1, 64).fault, Fault::overflow);
  EXPECT_EQ(truncating(Operation::shift_left, Type::constexpr_int, 1, 63).fault, Fault::overflow);
}

TEST(Operation, BitOperations) {
  EXPECT_EQ(clean(Operation::bit_and, Type::i32, -1, 12), 12);
  EXPECT_EQ(clean(Operation::bit_or, Type::i32, 8, 3), 11);
  EXPECT_EQ(clean(Operation::bit_xor, Type::i32, 6, 3), 5);
  EXPECT_EQ(clean(Operation::bit_not, Type::i32, 0), -1);
  EXPECT_EQ(clean(Operation::bit_not, Type::u32, 0), kMax32u);
  EXPECT_EQ(clean(Operation::bit_not, Type::u32, kMax32u), 0);
  EXPECT_EQ(clean(Operation::bit_not, Type::u64, 0), -1);
}

TEST(Operation, ComparisonsFollowTheType) {
  EXPECT_EQ(clean(Operation::less, Type::i64, -1, 1), 1);
  EXPECT_EQ(clean(Operation::less, Type::u64, -1, 1), 0);  // 2^64-1 < 1
  EXPECT_EQ(clean(Operation::greater, Type::u64, -1, 1), 1);
  EXPECT_EQ(clean(Operation::less_equal, Type::i32, 3, 3), 1);
  EXPECT_EQ(clean(Operation::greater_equal, Type::i32, 2, 3), 0);
  EXPECT_EQ(clean(Operation::equal, Type::i32, 3, 3), 1);
  EXPECT_EQ(clean(Operation::not_equal, Type::i32, 3, 3), 0);
  EXPECT_EQ(clean(Operation::minimum, Type::u64, -1, 1), 1);
  EXPECT_EQ(clean(Operation::maximum, Type::u64, -1, 1), -1);
  EXPECT_EQ(clean(Operation::minimum, Type::i32, -1, 1), -1);
  EXPECT_EQ(clean(Operation::logical_not, Type::i32, 5), 0);
  EXPECT_EQ(clean(Operation::logical_not, Type::i32, 0), 1);
}

TEST(Convert, NarrowingKeepsTheLowBits) {
  EXPECT_FALSE(convert(kMax32, Type::i64, Type::i32).wrapped);
  const Outcome narrowed = convert(kMax32 + 1, Type::i64, Type::i32);
  EXPECT_EQ(narrowed.fault, Fault::none);
  EXPECT_EQ(narrowed.value, kMin32);
  EXPECT_TRUE(narrowed.wrapped);
  EXPECT_EQ(convert((std::int64_t{5} << 32) - 3, Type::i64, Type::i32).value, -3);
  EXPECT_EQ(convert(kMin32 - 1, Type::constexpr_int, Type::i32).fault, Fault::overflow);
  EXPECT_EQ(convert(kMin32, Type::i64, Type::i32).value, kMin32);
}

TEST(Convert, UnsignedWraps) {
  const Outcome narrowed = convert(-1, Type::i32, Type::u32);
  EXPECT_EQ(narrowed.value, kMax32u);
  EXPECT_TRUE(narrowed.wrapped);
  const Outcome back = convert(kMax32u, Type::u32, Type::i32);
  EXPECT_EQ(back.value, -1);
  EXPECT_TRUE(back.wrapped);
  EXPECT_EQ(back.fault, Fault::none);
  EXPECT_EQ(convert(kMax32u, Type::u32, Type::i64).value, kMax32u);
  EXPECT_FALSE(convert(kMax32u, Type::u32, Type::i64).wrapped);
  EXPECT_TRUE(convert(-1, Type::i32, Type::u64).wrapped);
  EXPECT_TRUE(convert(-1, Type::u64, Type::i64).wrapped);
  EXPECT_TRUE(convert(-1, Type::u64, Type::i32).wrapped);
  EXPECT_EQ(convert(-1, Type::u64, Type::u32).value, kMax32u);
  EXPECT_EQ(convert((std::int64_t{1} << 40) + 7, Type::u64, Type::u32).value, 7);
  EXPECT_FALSE(convert(5, Type::i32, Type::u64).wrapped);
}

TEST(Convert, ToBooleanAsksForZero) {
  for (const Type type : {Type::i32, Type::u32, Type::i64, Type::u64, Type::constexpr_int}) {
    EXPECT_EQ(convert(2, type, Type::boolean).value, 1);
    EXPECT_EQ(convert(0, type, Type::boolean).value, 0);
  }
}

TEST(Operation, NamesItself) {
  EXPECT_EQ(symbol(Operation::divide), "//");
  EXPECT_EQ(symbol(Operation::bit_not), "~");
  EXPECT_EQ(fault_text(Fault::overflow, Type::i32), "int32 overflow");
  EXPECT_EQ(fault_text(Fault::overflow, Type::i64), "64-bit overflow");
  EXPECT_EQ(fault_text(Fault::division_by_zero, Type::u32), "division by zero");
  EXPECT_TRUE(is_comparison(Operation::not_equal));
  EXPECT_FALSE(is_comparison(Operation::maximum));
  EXPECT_FALSE(is_comparison(Operation::negate));
}

}  // namespace
}  // namespace heddle::order
