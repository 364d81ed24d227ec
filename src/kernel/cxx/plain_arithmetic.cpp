#include "kernel/cxx/plain_arithmetic.h"

#include <string>

namespace heddle::kernel::cxx {
namespace {

constexpr std::int64_t kLargestOperand = std::int64_t{1} << 31;

}  // namespace

std::optional<std::int64_t> plain_literal(std::string_view text) {
  while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  if (text.empty() || text.size() > 10 || (text.size() > 1 && text.front() == '0') ||
      text.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  return std::stoll(std::string(text));
}

int operator_level(std::string_view op) {
  if (op == "*" || op == "/" || op == "%") return 3;
  if (op == "+" || op == "-") return 2;
  return op == "<<" || op == ">>" ? 1 : 0;
}

std::optional<std::int64_t> applied(std::string_view op, std::int64_t a, std::int64_t b) {
  if (a < 0 || b < 0 || a > kLargestOperand || b > kLargestOperand) return std::nullopt;
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if ((op == "/" || op == "%") && b > 0) return op == "/" ? a / b : a % b;
  if (op == ">>" && b < 31) return a >> b;
  if (op == "<<" && b < 31) return a << b;
  return std::nullopt;
}

}  // namespace heddle::kernel::cxx
