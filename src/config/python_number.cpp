#include "config/python_number.h"

#include <fmt/format.h>

#include <cmath>

#include "support/error.h"

namespace heddle::config {
namespace {

constexpr int kWideBits = 127;

Error overflow(std::string_view operation, WideInteger left, WideInteger right,
               const IntegerLimit& limit) {
  return Error(
             fmt::format("{} {} {} does not fit into {} bits", left, operation, right, limit.bits),
             "use smaller numbers")
      .because({Cause::Kind::size});
}

Error division_by_zero(std::string_view operation) {
  return Error(fmt::format("'{}' divides by zero", operation), "check the divisor");
}

bool fits(WideInteger value, const IntegerLimit& limit) {
  return value >= limit.least && value <= limit.most;
}

WideInteger floor_divide(WideInteger left, WideInteger right) {
  const WideInteger quotient = left / right;
  return left % right != 0 && (left < 0) != (right < 0) ? quotient - 1 : quotient;
}

/// Nothing where it leaves the limit.
std::optional<WideInteger> product(WideInteger left, WideInteger right, const IntegerLimit& limit) {
  WideInteger result = 0;
  if (__builtin_mul_overflow(left, right, &result) || !fits(result, limit)) return std::nullopt;
  return result;
}

std::optional<WideInteger> power(WideInteger base, WideInteger exponent,
                                 const IntegerLimit& limit) {
  WideInteger result = 1;
  std::optional<WideInteger> square = base;  // of the limit or beyond: nothing
  for (WideInteger left = exponent; left > 0;) {
    if ((left & 1) != 0) {
      const auto next = square ? product(result, *square, limit) : std::nullopt;
      if (!next) return std::nullopt;
      result = *next;
    }
    left >>= 1;
    if (left > 0 && square) square = product(*square, *square, limit);
  }
  return result;
}

std::optional<WideInteger> shift_left(WideInteger left, WideInteger count,
                                      const IntegerLimit& limit) {
  if (left == 0) return 0;
  if (count >= kWideBits) return std::nullopt;
  return product(left, WideInteger{1} << static_cast<int>(count), limit);
}

/// left / right as Python divides ints: the float nearest to the exact quotient.
double true_divide(WideInteger left, WideInteger right) {
  constexpr WideInteger kExact = WideInteger{1} << 53;
  const bool negative = (left < 0) != (right < 0);
  const WideInteger a = left < 0 ? -left : left;
  const WideInteger b = right < 0 ? -right : right;
  if (a <= kExact && b <= kExact) return static_cast<double>(left) / static_cast<double>(right);
  // Enough digits to round once, and one more that says whether anything follows them.
  constexpr WideInteger kEnough = WideInteger{1} << 60;
  WideInteger quotient = a / b;
  WideInteger rest = a % b;
  int digits = 0;
  for (; quotient < kEnough && rest != 0; ++digits) {
    rest *= 2;
    quotient = quotient * 2 + (rest >= b ? 1 : 0);
    if (rest >= b) rest -= b;
  }
  if (rest != 0) quotient |= 1;
  const double result = std::ldexp(static_cast<double>(quotient), -digits);
  return negative ? -result : result;
}

double real_remainder(double left, double right) {
  const double remainder = std::fmod(left, right);
  if (remainder == 0) return std::copysign(0.0, right);
  return (right < 0) != (remainder < 0) ? remainder + right : remainder;
}

/// As CPython does it: exact where floor(left / right) would have rounded the quotient up.
double real_floor_divide(double left, double right) {
  const double remainder = std::fmod(left, right);
  double quotient = (left - remainder) / right;
  if (remainder != 0 && (right < 0) != (remainder < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, left / right);
  const double floor = std::floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

double real_power(double base, double exponent) {
  if (base == 0 && exponent < 0 && std::isfinite(exponent)) throw division_by_zero("**");
  const double result = std::pow(base, exponent);
  if (std::isnan(result) && !std::isnan(base) && !std::isnan(exponent))
    throw Error("a negative number has no fractional power", "check the base");
  if (std::isinf(result) && std::isfinite(base) && std::isfinite(exponent))
    throw Error("the power is too large for a float", "use smaller numbers");
  return result;
}

/// Nothing if floats do not have the operation.
std::optional<Number> of_reals(std::string_view operation, double left, double right) {
  if (operation == "+") return left + right;
  if (operation == "-") return left - right;
  if (operation == "*") return left * right;
  if (operation == "**") return real_power(left, right);
  const bool divides = operation == "/" || operation == "//" || operation == "%";
  if (!divides) return std::nullopt;
  if (right == 0) throw division_by_zero(operation);
  if (operation == "/") return left / right;
  return operation == "//" ? real_floor_divide(left, right) : real_remainder(left, right);
}

std::optional<Number> of_integers(std::string_view operation, WideInteger left, WideInteger right,
                                  const IntegerLimit& limit) {
  const bool divides = operation == "/" || operation == "//" || operation == "%";
  if (divides && right == 0) throw division_by_zero(operation);
  if (operation == "/") return true_divide(left, right);
  if (operation == "**" && right < 0)
    return of_reals(operation, python_float(left), python_float(right));
  const bool shifts = operation == "<<" || operation == ">>";
  if (shifts && right < 0) throw Error("a shift count is negative", "shift the other way");
  std::optional<WideInteger> result;
  if (operation == "+") {
    result = left + right;
  } else if (operation == "-") {
    result = left - right;
  } else if (operation == "*") {
    result = product(left, right, limit);
  } else if (operation == "//") {
    result = floor_divide(left, right);
  } else if (operation == "%") {
    result = left - floor_divide(left, right) * right;
  } else if (operation == "**") {
    result = power(left, right, limit);
  } else if (operation == "<<") {
    result = shift_left(left, right, limit);
  } else if (operation == ">>") {
    result = left >> static_cast<int>(right < kWideBits ? right : kWideBits);
  } else if (operation == "&") {
    result = left & right;
  } else if (operation == "|") {
    result = left | right;
  } else if (operation == "^") {
    result = left ^ right;
  } else {
    return std::nullopt;
  }
  if (!result || !fits(*result, limit)) throw overflow(operation, left, right, limit);
  return *result;
}

/// An int beside a float, neither rounded.
std::partial_ordering order_mixed(WideInteger left, double right) {
  if (std::isnan(right)) return std::partial_ordering::unordered;
  const double beyond = std::ldexp(1.0, kWideBits);
  if (right >= beyond) return std::partial_ordering::less;
  if (right < -beyond) return std::partial_ordering::greater;
  const double whole = std::floor(right);
  const auto number = static_cast<WideInteger>(whole);
  if (left != number)
    return left < number ? std::partial_ordering::less : std::partial_ordering::greater;
  return whole < right ? std::partial_ordering::less : std::partial_ordering::equivalent;
}

}  // namespace

double python_float(const Number& number) {
  const auto* integer = std::get_if<WideInteger>(&number);
  return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(number);
}

std::optional<Number> python_operation(std::string_view operation, const Number& left,
                                       const Number& right, const IntegerLimit& limit) {
  const auto* a = std::get_if<WideInteger>(&left);
  const auto* b = std::get_if<WideInteger>(&right);
  if (a != nullptr && b != nullptr) return of_integers(operation, *a, *b, limit);
  return of_reals(operation, python_float(left), python_float(right));
}

std::optional<Number> python_unary(std::string_view operation, const Number& operand,
                                   const IntegerLimit& limit) {
  if (operation == "+") return operand;
  const auto* integer = std::get_if<WideInteger>(&operand);
  if (integer == nullptr)
    return operation == "-" ? std::optional<Number>(-std::get<double>(operand)) : std::nullopt;
  const WideInteger result = operation == "-" ? -*integer : ~*integer;
  if (!fits(result, limit)) throw overflow(operation, 0, *integer, limit);
  return result;
}

std::partial_ordering python_order(const Number& left, const Number& right) {
  const auto* a = std::get_if<WideInteger>(&left);
  const auto* b = std::get_if<WideInteger>(&right);
  if (a != nullptr && b != nullptr) return *a <=> *b;
  if (a != nullptr) return order_mixed(*a, std::get<double>(right));
  if (b != nullptr) return 0 <=> order_mixed(*b, std::get<double>(left));
  return std::get<double>(left) <=> std::get<double>(right);
}

WideInteger python_integer(const Number& number, Toward toward, const IntegerLimit& limit) {
  if (const auto* integer = std::get_if<WideInteger>(&number)) return *integer;
  const double real = std::get<double>(number);
  const double whole = toward == Toward::zero    ? std::trunc(real)
                       : toward == Toward::below ? std::floor(real)
                                                 : std::ceil(real);
  const double beyond = std::ldexp(1.0, kWideBits);
  const bool is_wide = whole >= -beyond && whole < beyond;
  if (!is_wide || !fits(static_cast<WideInteger>(whole), limit))
    throw Error(fmt::format("{} does not fit into a {}-bit integer", real, limit.bits),
                "use a smaller number");
  return static_cast<WideInteger>(whole);
}

}  // namespace heddle::config
