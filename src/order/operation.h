// Integer operations and types, and what they mean exactly.
//
// | type          | values                         | when a result does not fit            |
// |---------------|--------------------------------|---------------------------------------|
// | boolean       | 0, 1                           | -                                     |
// | constexpr_int | Python integers, held in 64 bit| reported                              |
// | i32, i64      | two's complement               | reported (C: undefined; GPU: wraps)   |
// | u32, u64      | modulo 2^32, 2^64              | wraps, as C defines it, and is noted  |
//
// Rules
//   1. Division rounds toward zero (`truncate`, as in C and on the GPU) or toward minus infinity
//      (`floor`, as in Python); the remainder belongs to the same rounding.
//   2. Division by zero, INT_MIN / -1 and shifts by less than 0 or at least the width are faults.
//   3. Values are carried in 64 bits: i32 sign-extended, u32 zero-extended, u64 as its bit pattern.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::order {

enum class Type : std::uint8_t { boolean, constexpr_int, i32, u32, i64, u64 };

enum class Rounding : std::uint8_t { truncate, floor };

enum class Operation : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  remainder,
  shift_left,
  shift_right,
  bit_and,
  bit_or,
  bit_xor,
  minimum,
  maximum,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  negate,
  bit_not,
  logical_not,
  absolute,
};

enum class Fault : std::uint8_t {
  none,
  overflow,
  division_by_zero,
  bad_shift,
  too_many_steps,
};

bool is_comparison(Operation operation);
bool is_unsigned(Type type);
int bits_of(Type type);

/// "+", "//", "min", ... as an order text writes it.
std::string_view symbol(Operation operation);
/// "int32 overflow", "division by zero", ...
std::string_view fault_text(Fault fault, Type type);

/// One operation on two (or one) values of a type: the reference that faster code agrees with.
struct Outcome {
  std::int64_t value = 0;
  Fault fault = Fault::none;
  bool wrapped = false;   ///< unsigned wrap-around
  bool negative = false;  ///< a division with a negative operand
};
Outcome apply(Operation operation, Type type, Rounding rounding, std::int64_t a, std::int64_t b);

/// Conversion between types: keeps the low bits, as C and Triton define it, and notes where that
/// changes the value. A Python integer that does not fit is a fault: it never was narrower.
Outcome convert(std::int64_t value, Type from, Type to);

}  // namespace heddle::order
