#include "trace/contiguity.h"

#include <gtest/gtest.h>

#include "trace/building.h"

namespace heddle::trace {
namespace {

using config::DType;
using kernel::Opcode;
using kernel::ValueId;
using testing::block;
using testing::Building;
using testing::pointers;

/// The bounds of a load of a[row, column(...)] on a block of 32 x 32.
template <class Make>
ContiguityBound bounds_of(std::int64_t columns, Make make) {
  Building kernel({8});
  const ValueId a = kernel.tensor("a", DType::int8, {columns * 8});
  const ValueId n = kernel.parameter("n", {columns}, block(DType::int32));
  const ValueId column = kernel.value(block(DType::int32, {1, 32}));
  kernel.append(Opcode::expand_dims, {column}, {kernel.arange(0, 32)}, {0});
  const ValueId made = make(kernel, column, n);
  const ValueId row = kernel.value(block(DType::int32, {32, 1}));
  kernel.append(Opcode::expand_dims, {row}, {kernel.arange(0, 32)}, {1});
  const ValueId sum = kernel.value(block(DType::int32, {32, 32}));
  kernel.append(Opcode::add, {sum}, {row, made});
  const ValueId pointer = kernel.value(pointers(DType::int8, {32, 32}));
  kernel.append(Opcode::add_pointer, {pointer}, {a, sum});
  kernel.load(pointer);
  return contiguity_bounds(kernel.program, kernel.launch).at(0);
}

ValueId remainder_of(Building& kernel, ValueId value, ValueId by) {
  const ValueId result = kernel.value(block(DType::int32, {1, 32}));
  kernel.append(Opcode::remainder, {result}, {value, by});
  return result;
}

ValueId shifted(Building& kernel, ValueId value, std::int64_t by) {
  const ValueId constant = kernel.value(block(DType::int32));
  kernel.append(Opcode::constant_int, {constant}, {}, {by});
  const ValueId result = kernel.value(block(DType::int32, {1, 32}));
  kernel.append(Opcode::add, {result}, {value, constant});
  return result;
}

TEST(Contiguity, plain_columns_have_no_bound) {
  const ContiguityBound bound =
      bounds_of(4096, [](Building&, ValueId column, ValueId) { return column; });
  EXPECT_EQ(bound[0], kNoBound);
  EXPECT_EQ(bound[1], kNoBound);
}

TEST(Contiguity, a_remainder_keeps_groups_that_divide_both) {
  const auto wrapped = [](Building& kernel, ValueId column, ValueId n) {
    return remainder_of(kernel, column, n);
  };
  EXPECT_EQ(bounds_of(4096, wrapped)[1], 16);  // what arguments are known to be multiples of
  EXPECT_EQ(bounds_of(4100, wrapped)[1], 1);
}

TEST(Contiguity, a_shifted_remainder_keeps_nothing_and_leaves_the_other_axis_alone) {
  const ContiguityBound bound = bounds_of(4096, [](Building& kernel, ValueId column, ValueId n) {
    return remainder_of(kernel, shifted(kernel, column, -1), n);
  });
  EXPECT_EQ(bound[1], 1);
  EXPECT_EQ(bound[0], kNoBound);
}

}  // namespace
}  // namespace heddle::trace
