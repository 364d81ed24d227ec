// What each integer operation means for one pair of elements: the only place that says so.
//
//   compute<Opcode::add>(2147483647, 1, int32, note) == -2147483648, and note.overflowed
//   compute<Opcode::divide>(-7, 2, int32, note) == -3
//
// Rules
//   1. Operands are in the range of the type (uint64 from 2^63 on: negative, same bits), and so is
//      the result. What leaves the range wraps; the note keeps the first true value of a type that
//      reports.
//   2. Division and remainder truncate toward zero; by zero they give 0 and the note says so.
//   3. Shifts by a negative amount or by the width or more give 0, or -1 for a negative number
//      shifted right.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "trace/interpreter/block_type.h"

namespace heddle::trace::interpreter {

struct ArithmeticNote {
  bool overflowed = false;
  bool divided_by_zero = false;
  Wide true_value = 0;  ///< of the first that overflowed

  void overflow(Wide value) {
    if (!overflowed) true_value = value;
    overflowed = true;
  }
};

template <Opcode op>
using OpcodeTag = std::integral_constant<Opcode, op>;

namespace detail {

/// The value as it is held, from its true value.
inline std::int64_t settle(Wide value, const IntegerType& type, ArithmeticNote& note) {
  const std::int64_t wrapped =
      type.wrap(static_cast<std::int64_t>(static_cast<std::uint64_t>(value)));
  if (type.reports && value != wrapped) note.overflow(value);
  return wrapped;
}

inline std::uint64_t bits(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}
inline std::int64_t number(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

inline std::int64_t divide(std::int64_t a, std::int64_t b, const IntegerType& type,
                           ArithmeticNote& note) {
  if (b == 0) {
    note.divided_by_zero = true;
    return 0;
  }
  if (type.is_wide_unsigned()) return number(bits(a) / bits(b));
  return settle(b == -1 ? -Wide{a} : Wide{a / b}, type, note);
}

inline std::int64_t remainder(std::int64_t a, std::int64_t b, const IntegerType& type,
                              ArithmeticNote& note) {
  if (b == 0) {
    note.divided_by_zero = true;
    return 0;
  }
  if (type.is_wide_unsigned()) return number(bits(a) % bits(b));
  return b == -1 ? 0 : a % b;
}

inline std::int64_t shift_left(std::int64_t a, std::int64_t b, const IntegerType& type,
                               ArithmeticNote& note) {
  if (b < 0 || b >= type.bits) return 0;
  return settle(Wide{a} * (Wide{1} << b), type, note);
}

inline std::int64_t shift_right(std::int64_t a, std::int64_t b, const IntegerType& type) {
  const bool past = b < 0 || b >= type.bits;
  if (type.is_wide_unsigned()) return past ? 0 : number(bits(a) >> b);
  if (past) return a < 0 ? -1 : 0;
  return a >> b;
}

inline std::int64_t multiply_high(std::int64_t a, std::int64_t b, const IntegerType& type) {
  if (type.is_wide_unsigned())
    return number(static_cast<std::uint64_t>((WideUnsigned{bits(a)} * bits(b)) >> 64));
  return type.wrap(static_cast<std::int64_t>((Wide{a} * b) >> type.bits));
}

inline bool is_less(std::int64_t a, std::int64_t b, const IntegerType& type) {
  return type.is_wide_unsigned() ? bits(a) < bits(b) : a < b;
}

}  // namespace detail

template <Opcode op>
inline std::int64_t compute(std::int64_t a, std::int64_t b, const IntegerType& type,
                            ArithmeticNote& note) {
  using namespace detail;
  if constexpr (op == Opcode::add) return settle(Wide{a} + b, type, note);
  if constexpr (op == Opcode::subtract) return settle(Wide{a} - b, type, note);
  if constexpr (op == Opcode::multiply) return settle(Wide{a} * b, type, note);
  if constexpr (op == Opcode::divide) return divide(a, b, type, note);
  if constexpr (op == Opcode::remainder) return remainder(a, b, type, note);
  if constexpr (op == Opcode::minimum) return is_less(b, a, type) ? b : a;
  if constexpr (op == Opcode::maximum) return is_less(a, b, type) ? b : a;
  if constexpr (op == Opcode::bit_and) return a & b;
  if constexpr (op == Opcode::bit_or) return a | b;
  if constexpr (op == Opcode::bit_xor) return a ^ b;
  if constexpr (op == Opcode::shift_left) return shift_left(a, b, type, note);
  if constexpr (op == Opcode::shift_right) return shift_right(a, b, type);
  if constexpr (op == Opcode::multiply_high) return multiply_high(a, b, type);
  // One operand; b is ignored.
  if constexpr (op == Opcode::negate) return settle(-Wide{a}, type, note);
  if constexpr (op == Opcode::bit_not) return type.wrap(~a);
  if constexpr (op == Opcode::absolute)
    return a < 0 && type.is_signed ? settle(-Wide{a}, type, note) : a;
}

template <Opcode op>
inline bool compare(std::int64_t a, std::int64_t b, const IntegerType& type) {
  using detail::is_less;
  if constexpr (op == Opcode::equal) return a == b;
  if constexpr (op == Opcode::not_equal) return a != b;
  if constexpr (op == Opcode::less) return is_less(a, b, type);
  if constexpr (op == Opcode::less_equal) return !is_less(b, a, type);
  if constexpr (op == Opcode::greater) return is_less(b, a, type);
  if constexpr (op == Opcode::greater_equal) return !is_less(a, b, type);
}

/// Calls function(OpcodeTag<op>{}) with the operation of `compute` as a constant.
template <class Function>
void with_operation(Opcode op, Function function) {
  switch (op) {
#define HEDDLE_OPERATION(name) \
  case Opcode::name:           \
    return function(OpcodeTag<Opcode::name>{});
    HEDDLE_OPERATION(add)
    HEDDLE_OPERATION(subtract)
    HEDDLE_OPERATION(multiply)
    HEDDLE_OPERATION(divide)
    HEDDLE_OPERATION(remainder)
    HEDDLE_OPERATION(minimum)
    HEDDLE_OPERATION(maximum)
    HEDDLE_OPERATION(bit_and)
    HEDDLE_OPERATION(bit_or)
    HEDDLE_OPERATION(bit_xor)
    HEDDLE_OPERATION(shift_left)
    HEDDLE_OPERATION(shift_right)
    HEDDLE_OPERATION(multiply_high)
    HEDDLE_OPERATION(negate)
    HEDDLE_OPERATION(bit_not)
    HEDDLE_OPERATION(absolute)
    default:
      return;
  }
}

/// The same for the operations of `compare`.
template <class Function>
void with_comparison(Opcode op, Function function) {
  switch (op) {
    HEDDLE_OPERATION(equal)
    HEDDLE_OPERATION(not_equal)
    HEDDLE_OPERATION(less)
    HEDDLE_OPERATION(less_equal)
    HEDDLE_OPERATION(greater)
    HEDDLE_OPERATION(greater_equal)
#undef HEDDLE_OPERATION
    default:
      return;
  }
}

}  // namespace heddle::trace::interpreter
