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

TEST(Contiguity, plain_columns_are_contiguous) {
  const ContiguityBound bound =
      bounds_of(4096, [](Building&, ValueId column, ValueId) { return column; });
  EXPECT_EQ(bound[0], 32);  // rows of one element lie side by side
  EXPECT_EQ(bound[1], 32);
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
  EXPECT_EQ(bound[0], 32);  // rows of one element lie side by side
}

TEST(Contiguity, nothing_is_known_of_what_was_a_floating_point_number) {
  const ContiguityBound bound = bounds_of(4096, [](Building& kernel, ValueId column, ValueId) {
    const ValueId number = kernel.value(block(DType::float32, {1, 32}));
    kernel.append(Opcode::cast, {number}, {column});
    const ValueId back = kernel.value(block(DType::int32, {1, 32}));
    kernel.append(Opcode::cast, {back}, {number});
    return back;
  });
  EXPECT_EQ(bound[1], 1);
}

/// What is known of the mask of a load of a[32], `compare`d with a limit.
std::int64_t mask_of(Opcode compare, std::int64_t n, std::int64_t shift) {
  Building kernel({8});
  const ValueId a = kernel.tensor("a", DType::int8, {4096});
  const ValueId limit = kernel.parameter("n", {n}, block(DType::int32));
  const ValueId at = kernel.value(block(DType::int32, {32}));
  kernel.append(Opcode::arange, {at}, {}, {0, 32});
  const ValueId constant = kernel.value(block(DType::int32));
  kernel.append(Opcode::constant_int, {constant}, {}, {shift});
  const ValueId moved = kernel.value(block(DType::int32));
  kernel.append(Opcode::subtract, {moved}, {limit, constant});
  const ValueId mask = kernel.value(block(DType::boolean, {32}));
  kernel.append(compare, {mask}, {at, moved});
  const ValueId pointer = kernel.value(pointers(DType::int8, {32}));
  kernel.append(Opcode::add_pointer, {pointer}, {a, at});
  kernel.load(pointer, mask);
  return mask_bounds(kernel.program, kernel.launch).at(0)[0];
}

TEST(Masks, are_alike_up_to_a_limit_that_vectors_divide) {
  EXPECT_EQ(mask_of(Opcode::less, 4096, 0), 16);
  EXPECT_EQ(mask_of(Opcode::greater_equal, 4096, 0), 16);
  EXPECT_EQ(mask_of(Opcode::less, 4096, 1), 1) << "the last element of a row is out";
  EXPECT_EQ(mask_of(Opcode::less, 4100, 0), 1) << "a multiple of 16 or of nothing";
  EXPECT_EQ(mask_of(Opcode::greater, 4096, 0), 1) << "4096 itself is not greater";
}

}  // namespace
}  // namespace heddle::trace
