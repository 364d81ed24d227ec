#include "order/operation.h"

#include <limits>

namespace heddle::order {
namespace {

constexpr std::int64_t kInt64Min = std::numeric_limits<std::int64_t>::min();

std::uint64_t bits(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

/// Brings an exact (or, for 64 bit, already checked) result into its type.
Outcome fit(std::int64_t value, bool overflowed, Type type) {
  Outcome outcome{value};
  switch (type) {
    case Type::i32:
      if (overflowed || value != static_cast<std::int32_t>(value)) outcome.fault = Fault::overflow;
      break;
    case Type::u32:
      outcome.value = static_cast<std::uint32_t>(bits(value));
      outcome.wrapped = overflowed || outcome.value != value;
      break;
    case Type::u64:
      outcome.wrapped = overflowed;
      break;
    case Type::boolean:
      break;
    case Type::constexpr_int:
    case Type::i64:
      if (overflowed) outcome.fault = Fault::overflow;
      break;
  }
  return outcome;
}

Outcome arithmetic(Operation operation, Type type, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflowed = false;
  if (type == Type::u64) {
    std::uint64_t wide = 0;
    if (operation == Operation::add) overflowed = __builtin_add_overflow(bits(a), bits(b), &wide);
    if (operation == Operation::subtract)
      overflowed = __builtin_sub_overflow(bits(a), bits(b), &wide);
    if (operation == Operation::multiply)
      overflowed = __builtin_mul_overflow(bits(a), bits(b), &wide);
    return fit(static_cast<std::int64_t>(wide), overflowed, type);
  }
  if (operation == Operation::add) overflowed = __builtin_add_overflow(a, b, &result);
  if (operation == Operation::subtract) overflowed = __builtin_sub_overflow(a, b, &result);
  if (operation == Operation::multiply) overflowed = __builtin_mul_overflow(a, b, &result);
  return fit(result, overflowed, type);
}

Outcome division(Operation operation, Type type, Rounding rounding, std::int64_t a,
                 std::int64_t b) {
  const bool quotient = operation == Operation::divide;
  if (b == 0) return {0, Fault::division_by_zero};
  if (type == Type::u64) {
    const std::uint64_t wide = quotient ? bits(a) / bits(b) : bits(a) % bits(b);
    return {static_cast<std::int64_t>(wide)};
  }
  if (b == -1) {
    Outcome outcome = quotient ? arithmetic(Operation::subtract, type, 0, a) : Outcome{0};
    if (a == kInt64Min || (type == Type::i32 && a == std::numeric_limits<std::int32_t>::min())) {
      outcome.fault = Fault::overflow;
    }
    outcome.negative = true;
    return outcome;
  }
  std::int64_t q = a / b;
  std::int64_t r = a % b;
  if (rounding == Rounding::floor && r != 0 && ((r < 0) != (b < 0))) {
    --q;
    r += b;
  }
  return {quotient ? q : r, Fault::none, false, a < 0 || b < 0};
}

Outcome shift(Operation operation, Type type, std::int64_t a, std::int64_t b) {
  if (b < 0 || b >= bits_of(type)) {
    // Python integers have no width: shifting right by any amount is fine, left must fit.
    if (type == Type::constexpr_int && b >= 0) {
      if (operation == Operation::shift_right) return {a < 0 ? -1 : 0};
      return a == 0 ? Outcome{0} : Outcome{0, Fault::overflow};
    }
    return {0, Fault::bad_shift};
  }
  if (operation == Operation::shift_right) {
    return {type == Type::u64 ? static_cast<std::int64_t>(bits(a) >> b) : a >> b};
  }
  if (type == Type::u64) {
    const std::uint64_t wide = bits(a) << b;
    return {static_cast<std::int64_t>(wide), Fault::none, (wide >> b) != bits(a)};
  }
  const auto shifted = static_cast<std::int64_t>(bits(a) << b);
  return fit(shifted, (shifted >> b) != a, type);
}

bool compare(Operation operation, Type type, std::int64_t a, std::int64_t b) {
  const bool below = type == Type::u64 ? bits(a) < bits(b) : a < b;
  switch (operation) {
    case Operation::less:
      return below;
    case Operation::less_equal:
      return below || a == b;
    case Operation::greater:
      return !below && a != b;
    case Operation::greater_equal:
      return !below;
    case Operation::equal:
      return a == b;
    default:
      return a != b;
  }
}

}  // namespace

bool is_comparison(Operation operation) {
  return operation >= Operation::less && operation <= Operation::not_equal;
}

bool is_unsigned(Type type) {
  return type == Type::u32 || type == Type::u64;
}

int bits_of(Type type) {
  return type == Type::i32 || type == Type::u32 ? 32 : type == Type::boolean ? 1 : 64;
}

std::string_view symbol(Operation operation) {
  switch (operation) {
    case Operation::add:
      return "+";
    case Operation::subtract:
      return "-";
    case Operation::multiply:
      return "*";
    case Operation::divide:
      return "//";
    case Operation::remainder:
      return "%";
    case Operation::shift_left:
      return "<<";
    case Operation::shift_right:
      return ">>";
    case Operation::bit_and:
      return "&";
    case Operation::bit_or:
      return "|";
    case Operation::bit_xor:
      return "^";
    case Operation::minimum:
      return "min";
    case Operation::maximum:
      return "max";
    case Operation::less:
      return "<";
    case Operation::less_equal:
      return "<=";
    case Operation::greater:
      return ">";
    case Operation::greater_equal:
      return ">=";
    case Operation::equal:
      return "==";
    case Operation::not_equal:
      return "!=";
    case Operation::negate:
      return "-";
    case Operation::bit_not:
      return "~";
    case Operation::logical_not:
      return "not";
    case Operation::absolute:
      return "abs";
  }
  return "?";
}

std::string_view fault_text(Fault fault, Type type) {
  switch (fault) {
    case Fault::none:
      return "no fault";
    case Fault::overflow:
      return type == Type::i32 ? "int32 overflow" : "64-bit overflow";
    case Fault::division_by_zero:
      return "division by zero";
    case Fault::bad_shift:
      return "shift by less than 0 or by the full width";
    case Fault::too_many_steps:
      return "too many loop steps";
  }
  return "fault";
}

Outcome apply(Operation operation, Type type, Rounding rounding, std::int64_t a, std::int64_t b) {
  switch (operation) {
    case Operation::add:
    case Operation::subtract:
    case Operation::multiply:
      return arithmetic(operation, type, a, b);
    case Operation::divide:
    case Operation::remainder:
      return division(operation, type, rounding, a, b);
    case Operation::shift_left:
    case Operation::shift_right:
      return shift(operation, type, a, b);
    case Operation::bit_and:
      return {a & b};
    case Operation::bit_or:
      return {a | b};
    case Operation::bit_xor:
      return {a ^ b};
    case Operation::minimum:
      return {compare(Operation::less, type, b, a) ? b : a};
    case Operation::maximum:
      return {compare(Operation::less, type, a, b) ? b : a};
    case Operation::negate:
      return arithmetic(Operation::subtract, type, 0, a);
    case Operation::bit_not:
      return fit(type == Type::u32 ? a ^ 0xffffffff : ~a, false, type);
    case Operation::logical_not:
      return {a == 0 ? 1 : 0};
    case Operation::absolute:
      return a < 0 && !is_unsigned(type) ? arithmetic(Operation::subtract, type, 0, a) : Outcome{a};
    default:
      return {compare(operation, type, a, b) ? 1 : 0};
  }
}

Outcome convert(std::int64_t value, Type from, Type to) {
  if (to == Type::boolean) return {value != 0 ? 1 : 0};
  if (to == Type::u32) {
    const std::int64_t low = static_cast<std::uint32_t>(bits(value));
    return {low, Fault::none, low != value};
  }
  if (to == Type::u64) return {value, Fault::none, value < 0 && !is_unsigned(from)};
  if (to == Type::i32) {
    const std::int64_t low = static_cast<std::int32_t>(bits(value));
    if (low == value && !(from == Type::u64 && value < 0)) return {value};
    if (from != Type::constexpr_int) return {low, Fault::none, true};
    return {value, Fault::overflow};
  }
  if (from == Type::u64 && value < 0) return {value, Fault::none, true};
  return {value};
}

}  // namespace heddle::order
