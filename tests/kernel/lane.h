// One element of a block, and what each operation makes of it. For run_program.h.
#pragma once

#include <cmath>
#include <stdexcept>

#include "config/rounding.h"
#include "kernel/testing.h"

namespace heddle::testing {

using kernel::DType;
using kernel::Type;

[[noreturn]] inline void malformed(const std::string& what) {
  throw std::logic_error("malformed program: " + what);
}

/// One element: integers and addresses in `whole`, floats in `real`.
struct Lane {
  std::int64_t whole = 0;
  double real = 0;
};

inline bool is_real(const Type& of) {
  return !of.pointer && config::is_float(of.element);
}

inline Lane fitted(const Type& of, Lane lane) {
  if (of.pointer) return lane;
  if (is_real(of)) return {0, config::round_to(of.element, lane.real)};
  return {config::wrap_to(of.element, lane.whole), 0};
}

inline double real_binary(Opcode op, double a, double b) {
  switch (op) {
    case Opcode::add:
      return a + b;
    case Opcode::subtract:
      return a - b;
    case Opcode::multiply:
      return a * b;
    case Opcode::divide:
      return a / b;
    case Opcode::remainder:
      return std::fmod(a, b);
    case Opcode::minimum:
      return std::fmin(a, b);
    case Opcode::maximum:
      return std::fmax(a, b);
    default:
      malformed("no operation on floats");
  }
}

inline Lane binary(Opcode op, const Type& of, Lane a, Lane b) {
  if (is_real(of)) return {0, real_binary(op, a.real, b.real)};
  const auto ua = static_cast<std::uint64_t>(a.whole);
  const auto ub = static_cast<std::uint64_t>(b.whole);
  const bool with_sign = config::is_signed(of.element);
  const auto whole = [](std::uint64_t bits) { return Lane{static_cast<std::int64_t>(bits), 0}; };
  switch (op) {
    case Opcode::add:
      return whole(ua + ub);
    case Opcode::subtract:
      return whole(ua - ub);
    case Opcode::multiply:
      return whole(ua * ub);
    case Opcode::divide:
      return b.whole == 0 ? Lane{} : with_sign ? Lane{a.whole / b.whole, 0} : whole(ua / ub);
    case Opcode::remainder:
      return b.whole == 0 ? Lane{} : with_sign ? Lane{a.whole % b.whole, 0} : whole(ua % ub);
    case Opcode::minimum:
      return (with_sign ? a.whole < b.whole : ua < ub) ? a : b;
    case Opcode::maximum:
      return (with_sign ? a.whole > b.whole : ua > ub) ? a : b;
    case Opcode::bit_and:
      return whole(ua & ub);
    case Opcode::bit_or:
      return whole(ua | ub);
    case Opcode::bit_xor:
      return whole(ua ^ ub);
    case Opcode::shift_left:
      return whole(b.whole < 64 ? ua << ub : 0);
    case Opcode::shift_right:
      return with_sign ? Lane{a.whole >> b.whole, 0} : whole(ua >> ub);
    default:
      malformed("no binary operation");
  }
}

inline bool holds(Opcode op, const Type& of, Lane a, Lane b) {
  int order = 0;
  if (is_real(of))
    order = a.real < b.real ? -1 : a.real > b.real;
  else if (config::is_signed(of.element) && !of.pointer)
    order = a.whole < b.whole ? -1 : a.whole > b.whole;
  else
    order = static_cast<std::uint64_t>(a.whole) < static_cast<std::uint64_t>(b.whole)
                ? -1
                : a.whole != b.whole;
  switch (op) {
    case Opcode::equal:
      return order == 0;
    case Opcode::not_equal:
      return order != 0;
    case Opcode::less:
      return order < 0;
    case Opcode::less_equal:
      return order <= 0;
    case Opcode::greater:
      return order > 0;
    default:
      return order >= 0;
  }
}

inline Lane unary(const Instruction& one, const Type& of, Lane a) {
  switch (one.op) {
    case Opcode::negate:
      return is_real(of) ? Lane{0, -a.real}
                         : Lane{static_cast<std::int64_t>(-static_cast<std::uint64_t>(a.whole)), 0};
    case Opcode::bit_not:
      return of.element == DType::boolean ? Lane{a.whole == 0, 0} : Lane{~a.whole, 0};
    case Opcode::absolute:
      return {a.whole < 0 ? -a.whole : a.whole, std::fabs(a.real)};
    default:
      return a;
  }
}

inline Lane converted(const Type& from, const Type& to, Lane a) {
  if (!to.pointer && to.element == DType::boolean)
    return {is_real(from) ? a.real != 0 : a.whole != 0, 0};
  if (is_real(from) && !is_real(to)) return {config::truncate(a.real), 0};
  if (!is_real(from) && is_real(to)) return {0, static_cast<double>(a.whole)};
  return a;
}

inline double math(std::int64_t function, double x, double y) {
  using enum kernel::MathFunction;
  switch (static_cast<kernel::MathFunction>(function)) {
    case exp:
      return std::exp(x);
    case sqrt:
      return std::sqrt(x);
    case floor:
      return std::floor(x);
    case ceil:
      return std::ceil(x);
    case power:
      return std::pow(x, y);
    default:
      return 0;
  }
}

inline Lane combined(kernel::Reduction kind, const Type& of, Lane a, Lane b) {
  using enum kernel::Reduction;
  switch (kind) {
    case sum:
      return fitted(of, binary(Opcode::add, of, a, b));
    case product:
      return fitted(of, binary(Opcode::multiply, of, a, b));
    case minimum:
      return binary(Opcode::minimum, of, a, b);
    case maximum:
      return binary(Opcode::maximum, of, a, b);
    case bit_and:
      return binary(Opcode::bit_and, of, a, b);
    case bit_or:
      return binary(Opcode::bit_or, of, a, b);
    case bit_xor:
      return binary(Opcode::bit_xor, of, a, b);
    default:
      malformed("no combination");
  }
}

}  // namespace heddle::testing
