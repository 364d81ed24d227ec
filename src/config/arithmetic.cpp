#include "config/arithmetic.h"

#include <fmt/format.h>

#include <compare>
#include <optional>

#include "config/expression.h"
#include "config/python_number.h"
#include "support/error.h"

namespace heddle::config {
namespace {

/// A bool, an int or a float; nothing for other values.
std::optional<Number> as_number(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value.data)) return Number{*number};
  if (const auto* flag = std::get_if<bool>(&value.data)) return Number{WideInteger{*flag ? 1 : 0}};
  if (const auto* real = std::get_if<double>(&value.data)) return Number{*real};
  return std::nullopt;
}

Value value_of(const Number& number) {
  if (const auto* integer = std::get_if<WideInteger>(&number))
    return Value{static_cast<std::int64_t>(*integer)};
  return Value{std::get<double>(number)};
}

Error no_operation(std::string_view operation, const Value& left, const Value& right) {
  return Error(
      fmt::format("'{}' does not work on {} and {}", operation, kind_text(left), kind_text(right)),
      "use numbers");
}

}  // namespace

Value binary_operation(std::string_view operation, const Value& left, const Value& right) {
  const auto a = as_number(left);
  const auto b = as_number(right);
  const auto result = a && b ? python_operation(operation, *a, *b, kInt64) : std::nullopt;
  if (!result) throw no_operation(operation, left, right);
  // Of two bools, & | ^ give a bool.
  const bool flags =
      std::holds_alternative<bool>(left.data) && std::holds_alternative<bool>(right.data);
  if (flags && (operation == "&" || operation == "|" || operation == "^"))
    return Value{std::get<WideInteger>(*result) != 0};
  return value_of(*result);
}

Value unary_operation(std::string_view operation, const Value& operand) {
  if (operation == "not") return Value{!is_true(operand)};
  const auto number = as_number(operand);
  const auto result = number ? python_unary(operation, *number, kInt64) : std::nullopt;
  if (result) return value_of(*result);
  throw Error(fmt::format("'{}' does not work on {}", operation, kind_text(operand)),
              "use a number");
}

namespace {

bool ordered(std::string_view operation, std::partial_ordering order) {
  if (operation == "<") return order < 0;
  if (operation == "<=") return order <= 0;
  if (operation == ">") return order > 0;
  return order >= 0;
}

bool equal_values(const Value& left, const Value& right) {
  const auto a = as_number(left);
  const auto b = as_number(right);
  if (a && b) return python_order(*a, *b) == 0;
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
  const auto a = as_number(left);
  const auto b = as_number(right);
  if (a && b) return ordered(operation, python_order(*a, *b));
  const auto* left_text = std::get_if<std::string>(&left.data);
  const auto* right_text = std::get_if<std::string>(&right.data);
  if (left_text != nullptr && right_text != nullptr) {
    return ordered(operation, *left_text <=> *right_text);
  }
  throw no_operation(operation, left, right);
}

bool is_true(const Value& value) {
  if (std::holds_alternative<TensorReference>(value.data)) {
    throw Error("a tensor is neither true nor false", "write 'NAME is not None'");
  }
  if (const auto number = as_number(value)) return python_order(*number, WideInteger{0}) != 0;
  if (const auto* text = std::get_if<std::string>(&value.data)) return !text->empty();
  if (const auto* list = std::get_if<ValueList>(&value.data)) return !list->empty();
  return false;
}

}  // namespace heddle::config
