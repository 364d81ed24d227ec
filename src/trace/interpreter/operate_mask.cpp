#include "trace/interpreter/lanes.h"
#include "trace/interpreter/operate.h"
#include "trace/interpreter/separable.h"

namespace heddle::trace::interpreter {
namespace {

/// A boolean is an integer of one bit: sums are exclusive ors, products ands.
bool by_windows(Opcode op, const Value& a, const Value& b, Value& out) {
  switch (op) {
    case Opcode::bit_and:
    case Opcode::multiply:
    case Opcode::minimum:
      return mask_and(a, b, out);
    case Opcode::bit_or:
    case Opcode::maximum:
      return mask_or(a, b, out);
    case Opcode::bit_not:
      return mask_not(a, out);
    case Opcode::negate:
    case Opcode::absolute:
      assign(a, out);
      return true;
    case Opcode::bit_xor:
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::not_equal:
      if (is_all_false(b)) return assign(a, out), true;
      return is_all_true(b) && mask_not(a, out);
    case Opcode::equal:
      if (is_all_true(b)) return assign(a, out), true;
      return is_all_false(b) && mask_not(a, out);
    default:
      return false;
  }
}

std::uint8_t on_bits(Opcode op, unsigned a, unsigned b) {
  switch (op) {
    case Opcode::bit_and:
    case Opcode::multiply:
    case Opcode::minimum:
      return static_cast<std::uint8_t>(a & b);
    case Opcode::bit_or:
    case Opcode::maximum:
      return static_cast<std::uint8_t>(a | b);
    case Opcode::bit_xor:
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::not_equal:
      return static_cast<std::uint8_t>(a ^ b);
    case Opcode::bit_not:
      return static_cast<std::uint8_t>(a ^ 1U);
    case Opcode::equal:
      return a == b;
    case Opcode::less:
      return a < b;
    case Opcode::less_equal:
      return a <= b;
    case Opcode::greater:
      return a > b;
    case Opcode::greater_equal:
      return a >= b;
    case Opcode::divide:
      return static_cast<std::uint8_t>(a & b);
    case Opcode::shift_left:
    case Opcode::shift_right:
      return static_cast<std::uint8_t>(a & (b ^ 1U));
    case Opcode::multiply_high:
    case Opcode::remainder:
      return 0;
    default:
      return static_cast<std::uint8_t>(a);
  }
}

}  // namespace

void mask_operate(Context& context, const Step& step) {
  Value& out = *step.out;
  const Value& a = *step.a;
  const Value& b = step.b == nullptr ? a : *step.b;
  if (a.form == Form::mask && b.form == Form::mask && by_windows(step.op, a, b, out)) return;
  const Domain domain = domain_of(*out.type, {&a, &b});
  const std::uint8_t* x = read_flags(context, a, *out.type, domain, 0);
  const std::uint8_t* y = read_flags(context, b, *out.type, domain, 1);
  std::uint8_t* result = write_flags(context, out, domain);
  if (step.op == Opcode::bit_and) {  // the one that dense masks go through in loops
    for (std::int64_t i = 0; i < domain.size; ++i) result[i] = x[i] & y[i];
  } else {
    for (std::int64_t i = 0; i < domain.size; ++i) result[i] = on_bits(step.op, x[i], y[i]);
  }
  finish_flags(context, out, domain);
}

}  // namespace heddle::trace::interpreter
