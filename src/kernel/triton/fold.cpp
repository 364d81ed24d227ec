// Arithmetic on numbers that are known while reading.
#include <cmath>

#include "kernel/decisions.h"
#include "kernel/triton/builder.h"

namespace heddle::kernel::triton {
namespace {

std::optional<double> exact(Opcode op, double a, double b) {
  switch (op) {
    case Opcode::add:
      return a + b;
    case Opcode::subtract:
      return a - b;
    case Opcode::multiply:
      return a * b;
    case Opcode::divide:
      return a / b;
    case Opcode::minimum:
      return std::fmin(a, b);
    case Opcode::maximum:
      return std::fmax(a, b);
    default:
      return std::nullopt;
  }
}

template <class T>
bool holds(Opcode op, T a, T b) {
  switch (op) {
    case Opcode::equal:
      return a == b;
    case Opcode::not_equal:
      return a != b;
    case Opcode::less:
      return a < b;
    case Opcode::less_equal:
      return a <= b;
    case Opcode::greater:
      return a > b;
    default:
      return a >= b;
  }
}

}  // namespace

void Builder::note_decision(Opcode op, Integer a, Integer b) {
  add_decision(place_, op, a, b, code_of(program_).decisions);
}

std::optional<ValueId> Builder::fold_binary(Opcode op, ValueId a, ValueId b, DType element) {
  const auto integer_a = known_integer(a);
  const auto integer_b = known_integer(b);
  if (integer_a && integer_b) {
    const Integer huge = Integer{1} << 62;
    if (op == Opcode::multiply && (*integer_a > huge || *integer_b > huge)) return std::nullopt;
    const auto result = exact_integer(op, *integer_a, *integer_b, config::bit_width(element));
    note_decision(op, *integer_a, *integer_b);
    if (result && fits(*result, element)) return constant(element, *result);
    return std::nullopt;
  }
  const bool single = element == DType::float32 || element == DType::float64;
  const auto real_a = known_real(a);
  const auto real_b = known_real(b);
  if (real_a && real_b && single) {
    const auto result = exact(op, *real_a, *real_b);
    if (result) return constant(element, *result);
  }
  return std::nullopt;
}

std::optional<ValueId> Builder::fold_compare(Opcode op, ValueId a, ValueId b) {
  if (known_integer(a) && known_integer(b)) {
    note_decision(op, *known_integer(a), *known_integer(b));
    return constant(DType::boolean, Integer{holds(op, *known_integer(a), *known_integer(b))});
  }
  if (known_real(a) && known_real(b))
    return constant(DType::boolean, Integer{holds(op, *known_real(a), *known_real(b))});
  return std::nullopt;
}

}  // namespace heddle::kernel::triton
