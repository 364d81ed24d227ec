#include "order/columns.h"

#include <algorithm>
#include <functional>

namespace heddle::order {
namespace {

/// The compiler vectorises each of the loops.
template <class Function>
void for_lanes(Operand a, Operand b, Column& out, Function function) {
  if (a.column != nullptr && b.column != nullptr) {
    for (std::size_t i = 0; i < kLanes; ++i) out[i] = function(a.column[i], b.column[i]);
  } else if (a.column != nullptr) {
    for (std::size_t i = 0; i < kLanes; ++i) out[i] = function(a.column[i], b.scalar);
  } else {
    for (std::size_t i = 0; i < kLanes; ++i) out[i] = function(a.scalar, b.column[i]);
  }
}

/// In unsigned numbers, so that it wraps.
template <class Function>
auto wrapping(Function function) {
  return [function](std::int64_t x, std::int64_t y) {
    return static_cast<std::int64_t>(
        function(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y)));
  };
}

bool divide(Operation operation, Operand a, Operand b, Column& out) {
  if (b.column != nullptr || b.scalar <= 0 || b.scalar > INT32_MAX || a.column == nullptr)
    return false;
  std::int64_t sign = 0;
  for (std::size_t i = 0; i < kLanes; ++i) sign |= a.column[i];
  if (sign < 0) return false;
  const auto divisor = static_cast<std::int32_t>(b.scalar);
  if (operation == Operation::divide)
    for_lanes(a, b, out, [=](auto x, auto) { return static_cast<std::int32_t>(x) / divisor; });
  else
    for_lanes(a, b, out, [=](auto x, auto) { return static_cast<std::int32_t>(x) % divisor; });
  return true;
}

}  // namespace

bool may_overflow(Operation operation) {
  return operation == Operation::add || operation == Operation::subtract ||
         operation == Operation::multiply;
}

bool apply_to_columns(Operation operation, Operand a, Operand b, Column& out) {
  const auto each = [&](auto function) {
    for_lanes(a, b, out, function);
    return true;
  };
  switch (operation) {
    case Operation::add:
      return each(wrapping(std::plus<>()));
    case Operation::subtract:
      return each(wrapping(std::minus<>()));
    case Operation::multiply:
      return each(wrapping(std::multiplies<>()));
    case Operation::divide:
    case Operation::remainder:
      return divide(operation, a, b, out);
    case Operation::bit_and:
      return each(std::bit_and<>());
    case Operation::bit_or:
      return each(std::bit_or<>());
    case Operation::bit_xor:
      return each(std::bit_xor<>());
    case Operation::minimum:
      return each([](auto x, auto y) { return std::min(x, y); });
    case Operation::maximum:
      return each([](auto x, auto y) { return std::max(x, y); });
    case Operation::less:
      return each(std::less<>());
    case Operation::less_equal:
      return each(std::less_equal<>());
    case Operation::greater:
      return each(std::greater<>());
    case Operation::greater_equal:
      return each(std::greater_equal<>());
    case Operation::equal:
      return each(std::equal_to<>());
    case Operation::not_equal:
      return each(std::not_equal_to<>());
    default:
      return false;
  }
}

}  // namespace heddle::order
