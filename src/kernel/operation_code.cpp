#include "kernel/operation_code.h"

namespace heddle::kernel {

Operations function_code_of_amd(const Instruction& one, int bytes) {
  constexpr Operations kQuotient = {1, 10};
  constexpr Operations kHalfQuotient = {1, 3};
  constexpr Operations kScaled = {1, 5};  // a comparison, two choices, there and back
  if (one.op == Opcode::divide || one.op == Opcode::remainder)
    return bytes == 2 ? kHalfQuotient : kQuotient;
  if (one.op != Opcode::math) return {1, 0};
  switch (static_cast<MathFunction>(one.integers[0])) {
    case MathFunction::sqrt:
    case MathFunction::rsqrt:
    case MathFunction::exp2:
    case MathFunction::log2:
      return kScaled;
    case MathFunction::exp:
    case MathFunction::log:
      return {kScaled.simple, kScaled.multiply + 1};
    case MathFunction::sigmoid:
      return {kScaled.simple + kQuotient.simple, kScaled.multiply + 3 + kQuotient.multiply};
    default:
      return function_code(one);
  }
}

Operations function_code(const Instruction& one) {
  if (one.op == Opcode::divide || one.op == Opcode::remainder) return kFloatDivision;
  if (one.op != Opcode::math) return {1, 0};
  switch (static_cast<MathFunction>(one.integers[0])) {
    case MathFunction::sqrt:
      return kRoot;
    case MathFunction::exp:
    case MathFunction::log:
      return {1, 1};
    case MathFunction::sigmoid:
      return {2, 3};
    case MathFunction::tanh:
    case MathFunction::sinh:
    case MathFunction::cosh:
      return {2, 8};
    case MathFunction::log1p:
    case MathFunction::expm1:
    case MathFunction::erf:
    case MathFunction::sin:
    case MathFunction::cos:
    case MathFunction::asin:
    case MathFunction::acos:
    case MathFunction::atan:
      return kPolynomial;
    case MathFunction::tan:
    case MathFunction::atan2:
    case MathFunction::modulo:
    case MathFunction::power:
      return {2, 24};
    default:
      return {1, 0};
  }
}

bool compares(Opcode op) {
  switch (op) {
    case Opcode::minimum:
    case Opcode::maximum:
    case Opcode::equal:
    case Opcode::not_equal:
    case Opcode::less:
    case Opcode::less_equal:
    case Opcode::greater:
    case Opcode::greater_equal:
    case Opcode::select:
      return true;
    default:
      return false;
  }
}

}  // namespace heddle::kernel
