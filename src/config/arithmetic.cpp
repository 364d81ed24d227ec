#include "config/arithmetic.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "config/expression.h"
#include "support/error.h"

namespace heddle::config {
namespace {

constexpr int kIntegerBits = 64;

/// An int or bool as an integer; nothing for other values.
std::optional<std::int64_t> as_integer(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value.data)) return *number;
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag ? 1 : 0;
  return std::nullopt;
}

std::optional<double> as_number(const Value& value) {
  if (const auto* number = std::get_if<double>(&value.data)) return *number;
  if (const auto integer = as_integer(value)) return static_cast<double>(*integer);
  return std::nullopt;
}

Error overflow(std::string_view operation, std::int64_t left, std::int64_t right) {
  return Error(fmt::format("{} {} {} does not fit into 64 bits", left, operation, right),
               "use smaller numbers");
}

Error division_by_zero(std::string_view operation) {
  return Error(fmt::format("'{}' divides by zero", operation), "check the divisor");
}

std::int64_t floor_divide(std::int64_t left, std::int64_t right) {
  if (right == 0) throw division_by_zero("//");
  if (right == -1) {  // the one quotient that can overflow
    std::int64_t result = 0;
    if (__builtin_sub_overflow(std::int64_t{0}, left, &result)) throw overflow("//", left, right);
    return result;
  }
  const std::int64_t quotient = left / right;
  return left % right != 0 && (left < 0) != (right < 0) ? quotient - 1 : quotient;
}

std::int64_t floor_remainder(std::int64_t left, std::int64_t right) {
  if (right == 0) throw division_by_zero("%");
  if (right == -1) return 0;
  const std::int64_t remainder = left % right;
  return remainder != 0 && (remainder < 0) != (right < 0) ? remainder + right : remainder;
}

std::int64_t power(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  std::int64_t square = base;
  for (std::int64_t left = exponent; left > 0;) {
    if ((left & 1) != 0 && __builtin_mul_overflow(result, square, &result)) {
      throw overflow("**", base, exponent);
    }
    left >>= 1;
    if (left > 0 && __builtin_mul_overflow(square, square, &square)) {
      throw overflow("**", base, exponent);
    }
  }
  return result;
}

std::int64_t shift(std::string_view operation, std::int64_t left, std::int64_t count) {
  if (count < 0) throw Error("a shift count is negative", "shift the other way");
  if (operation == ">>") {
    return left >> (count < kIntegerBits ? count : kIntegerBits - 1);
  }
  if (left == 0) return 0;
  std::int64_t result = 0;
  if (count >= kIntegerBits - 1 ||
      __builtin_mul_overflow(left, std::int64_t{1} << count, &result)) {
    throw overflow("<<", left, count);
  }
  return result;
}

double real_floor_remainder(double left, double right) {
  if (right == 0) throw division_by_zero("%");
  const double remainder = std::fmod(left, right);
  if (remainder == 0) return std::copysign(0.0, right);
  return (right < 0) != (remainder < 0) ? remainder + right : remainder;
}

double real_floor_divide(double left, double right) {
  if (right == 0) throw division_by_zero("//");
  // As CPython does it: exact where floor(left / right) would have rounded the quotient up.
  const double remainder = std::fmod(left, right);
  double quotient = (left - remainder) / right;
  if (remainder != 0 && (right < 0) != (remainder < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, left / right);
  const double floor = std::floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

double real_power(double base, double exponent) {
  if (base == 0 && exponent < 0) throw division_by_zero("**");
  const double result = std::pow(base, exponent);
  if (std::isnan(result) && !std::isnan(base) && !std::isnan(exponent)) {
    throw Error("a negative number has no fractional power", "check the base");
  }
  if (std::isinf(result) && std::isfinite(base) && std::isfinite(exponent)) {
    throw Error("the power is too large for a float", "use smaller numbers");
  }
  return result;
}

/// Nothing if the operation is not one of two integers with an integer result.
std::optional<std::int64_t> integer_operation(std::string_view operation, std::int64_t left,
                                              std::int64_t right) {
  std::int64_t result = 0;
  if (operation == "+") {
    if (__builtin_add_overflow(left, right, &result)) throw overflow(operation, left, right);
    return result;
  }
  if (operation == "-") {
    if (__builtin_sub_overflow(left, right, &result)) throw overflow(operation, left, right);
    return result;
  }
  if (operation == "*") {
    if (__builtin_mul_overflow(left, right, &result)) throw overflow(operation, left, right);
    return result;
  }
  if (operation == "//") return floor_divide(left, right);
  if (operation == "%") return floor_remainder(left, right);
  if (operation == "**" && right >= 0) return power(left, right);
  if (operation == "<<" || operation == ">>") return shift(operation, left, right);
  if (operation == "&") return left & right;
  if (operation == "|") return left | right;
  if (operation == "^") return left ^ right;
  return std::nullopt;
}

/// Nothing if floats do not have the operation.
std::optional<double> real_operation(std::string_view operation, double left, double right) {
  if (operation == "+") return left + right;
  if (operation == "-") return left - right;
  if (operation == "*") return left * right;
  if (operation == "/") {
    if (right == 0) throw division_by_zero("/");
    return left / right;
  }
  if (operation == "//") return real_floor_divide(left, right);
  if (operation == "%") return real_floor_remainder(left, right);
  if (operation == "**") return real_power(left, right);
  return std::nullopt;
}

Error no_operation(std::string_view operation, const Value& left, const Value& right) {
  return Error(
      fmt::format("'{}' does not work on {} and {}", operation, kind_text(left), kind_text(right)),
      "use numbers");
}

}  // namespace

Value binary_operation(std::string_view operation, const Value& left, const Value& right) {
  const auto left_integer = as_integer(left);
  const auto right_integer = as_integer(right);
  if (left_integer && right_integer) {
    const bool flags =
        std::holds_alternative<bool>(left.data) && std::holds_alternative<bool>(right.data);
    if (const auto result = integer_operation(operation, *left_integer, *right_integer)) {
      // Of two bools, & | ^ give a bool.
      if (flags && (operation == "&" || operation == "|" || operation == "^")) {
        return Value{*result != 0};
      }
      return Value{*result};
    }
  }
  const auto left_number = as_number(left);
  const auto right_number = as_number(right);
  if (left_number && right_number) {
    if (const auto result = real_operation(operation, *left_number, *right_number)) {
      return Value{*result};
    }
  }
  throw no_operation(operation, left, right);
}

Value unary_operation(std::string_view operation, const Value& operand) {
  if (operation == "not") return Value{!is_true(operand)};
  if (const auto integer = as_integer(operand)) {
    if (operation == "+") return Value{*integer};
    if (operation == "~") return Value{~*integer};
    std::int64_t result = 0;
    if (__builtin_sub_overflow(std::int64_t{0}, *integer, &result)) {
      throw overflow("-", 0, *integer);
    }
    return Value{result};
  }
  if (const auto* real = std::get_if<double>(&operand.data); real != nullptr && operation != "~") {
    return Value{operation == "-" ? -*real : *real};
  }
  throw Error(fmt::format("'{}' does not work on {}", operation, kind_text(operand)),
              "use a number");
}

namespace {

template <class Item>
bool ordered(std::string_view operation, const Item& left, const Item& right) {
  if (operation == "<") return left < right;
  if (operation == "<=") return left <= right;
  if (operation == ">") return left > right;
  return left >= right;
}

bool equal_values(const Value& left, const Value& right) {
  const auto left_integer = as_integer(left);
  const auto right_integer = as_integer(right);
  if (left_integer && right_integer) return *left_integer == *right_integer;
  const auto left_number = as_number(left);
  const auto right_number = as_number(right);
  if (left_number && right_number) return *left_number == *right_number;
  const auto* left_list = std::get_if<ValueList>(&left.data);
  const auto* right_list = std::get_if<ValueList>(&right.data);
  if (left_list == nullptr || right_list == nullptr) return left == right;
  if (left_list->size() != right_list->size()) return false;
  for (std::size_t i = 0; i < left_list->size(); ++i) {
    if (!equal_values((*left_list)[i], (*right_list)[i])) return false;
  }
  return true;
}

}  // namespace

bool compare_values(std::string_view operation, const Value& left, const Value& right) {
  if (operation == "==") return equal_values(left, right);
  if (operation == "!=") return !equal_values(left, right);
  if (operation == "is") return left == right;
  if (operation == "is not") return !(left == right);
  const auto left_integer = as_integer(left);
  const auto right_integer = as_integer(right);
  if (left_integer && right_integer) return ordered(operation, *left_integer, *right_integer);
  const auto left_number = as_number(left);
  const auto right_number = as_number(right);
  if (left_number && right_number) return ordered(operation, *left_number, *right_number);
  const auto* left_text = std::get_if<std::string>(&left.data);
  const auto* right_text = std::get_if<std::string>(&right.data);
  if (left_text != nullptr && right_text != nullptr) {
    return ordered(operation, *left_text, *right_text);
  }
  throw no_operation(operation, left, right);
}

bool is_true(const Value& value) {
  if (std::holds_alternative<TensorReference>(value.data)) {
    throw Error("a tensor is neither true nor false", "write 'NAME is not None'");
  }
  if (const auto number = as_number(value)) return *number != 0;
  if (const auto* text = std::get_if<std::string>(&value.data)) return !text->empty();
  if (const auto* list = std::get_if<ValueList>(&value.data)) return !list->empty();
  return false;
}

}  // namespace heddle::config
