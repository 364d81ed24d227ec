// Python's arithmetic on numbers: the one place where heddle has it. Jobs (arithmetic.h) and the
// constants of Triton kernels (kernel/triton/python.cpp) both compute here.
//
//   python_operation("//", 1.0, 0.1, kInt64) == 9.0        as CPython has it, not floor(10.0)
//   python_operation("%", -7, 2, kInt64) == 1
//
// Rules
//   1. Results are CPython's, to the last bit. An int divides an int as exactly as Python does it.
//   2. Integers beyond the limit are Errors; so are division by zero, negative shifts, roots of
//      negative numbers and powers that overflow. The Errors have no place.
//   3. An int and a float compare by value: 2**53 + 1 is not float(2**53).
#pragma once

#include <compare>
#include <optional>
#include <string_view>
#include <variant>

namespace heddle::config {

__extension__ using WideInteger = __int128;

/// An int (a bool is 0 or 1) or a float.
using Number = std::variant<WideInteger, double>;

/// How large integers may be.
struct IntegerLimit {
  WideInteger least = 0;
  WideInteger most = 0;
  int bits = 64;  ///< for messages
};
inline constexpr IntegerLimit kInt64{-(WideInteger{1} << 63), (WideInteger{1} << 63) - 1, 64};
/// Of constants inside kernels: no sum or quotient of two of them leaves WideInteger.
inline constexpr IntegerLimit k100Bits{-(WideInteger{1} << 100), WideInteger{1} << 100, 100};

/// + - * / // % ** << >> & | ^; nothing where the operands do not have the operation.
std::optional<Number> python_operation(std::string_view operation, const Number& left,
                                       const Number& right, const IntegerLimit& limit);

/// - + ~; nothing for ~ of a float.
std::optional<Number> python_unary(std::string_view operation, const Number& operand,
                                   const IntegerLimit& limit);

/// Unordered where one is not a number.
std::partial_ordering python_order(const Number& left, const Number& right);

enum class Toward { zero, below, above };
/// int(x), math.floor(x), math.ceil(x).
WideInteger python_integer(const Number& number, Toward toward, const IntegerLimit& limit);

double python_float(const Number& number);

}  // namespace heddle::config
