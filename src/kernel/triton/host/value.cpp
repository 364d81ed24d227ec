#include "kernel/triton/host/value.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "config/dtype.h"
#include "support/text.h"

namespace heddle::kernel::triton::host {
namespace {

constexpr char kNumberKey = '\x03';
constexpr char kDTypeKey = '\x04';
constexpr std::size_t kLongestExpression = 160;  ///< longer expressions become their numbers

bool is_word(const std::string& text) {
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '.') return false;
  return true;
}

/// Ready to be an operand.
std::string operand(const Number& number) {
  const std::string text = number.written();
  const bool is_call = !text.empty() && text.back() == ')' && text.find(' ') == std::string::npos;
  return is_word(text) || is_call ? text : "(" + text + ")";
}

constexpr double kLargest = 4e18;  ///< of whole numbers that went through a double

Number made(double real, bool is_real, std::string text) {
  if (text.size() > kLongestExpression) text.clear();
  if (is_real) return Number::of_real(real, std::move(text));
  if (!(std::abs(real) <= kLargest)) return Number::of(1);
  return Number::of(static_cast<std::int64_t>(real), std::move(text));
}

std::string_view operator_text(const std::string& op) {
  if (op == "Add") return "+";
  if (op == "Sub") return "-";
  if (op == "Mult") return "*";
  if (op == "Div") return "/";
  if (op == "FloorDiv") return "//";
  if (op == "Mod") return "%";
  if (op == "Pow") return "**";
  if (op == "LShift") return "<<";
  if (op == "RShift") return ">>";
  if (op == "BitAnd") return "&";
  if (op == "BitOr") return "|";
  if (op == "BitXor") return "^";
  return {};
}

std::optional<bool> compare_values(const std::string& op, const Value& a, const Value& b,
                                   int depth);

std::optional<double> real_result(const std::string& op, double x, double y) {
  if (op == "Add") return x + y;
  if (op == "Sub") return x - y;
  if (op == "Mult") return x * y;
  if (op == "Pow") return std::pow(x, y);
  if ((op == "Div" || op == "FloorDiv" || op == "Mod") && y == 0) return std::nullopt;
  if (op == "Div") return x / y;
  if (op == "FloorDiv") return std::floor(x / y);
  if (op == "Mod") return x - y * std::floor(x / y);
  return std::nullopt;
}

std::optional<std::int64_t> whole_result(const std::string& op, std::int64_t x, std::int64_t y) {
  std::int64_t result = 0;
  if (op == "Add" && !__builtin_add_overflow(x, y, &result)) return result;
  if (op == "Sub" && !__builtin_sub_overflow(x, y, &result)) return result;
  if (op == "Mult" && !__builtin_mul_overflow(x, y, &result)) return result;
  if (op == "FloorDiv" && y == -1 && !__builtin_sub_overflow(std::int64_t{0}, x, &result))
    return result;
  if (op == "Mod" && y == -1) return 0;
  if ((op == "FloorDiv" || op == "Mod") && y != 0 && y != -1) {
    const std::int64_t quotient = x / y - ((x % y != 0 && (x < 0) != (y < 0)) ? 1 : 0);
    return op == "Mod" ? x - quotient * y : quotient;
  }
  if (op == "LShift" && y >= 0 && y < 40 && x >= 0 && x < (std::int64_t{1} << 20)) return x << y;
  if (op == "RShift" && y >= 0 && y < 63) return x >> y;
  if (op == "BitAnd") return x & y;
  if (op == "BitOr") return x | y;
  if (op == "BitXor") return x ^ y;
  return std::nullopt;
}

std::optional<bool> compare_numbers(const std::string& op, double x, double y) {
  if (op == "Eq" || op == "Is") return x == y;
  if (op == "NotEq" || op == "IsNot") return x != y;
  if (op == "Lt") return x < y;
  if (op == "LtE") return x <= y;
  if (op == "Gt") return x > y;
  if (op == "GtE") return x >= y;
  return std::nullopt;
}

/// Of kinds that can be told apart: 0 where nothing is known.
int kind_of(const Value& value) {
  if (value.is_none()) return 1;
  if (value.number()) return 2;
  if (value.as<std::string>() != nullptr) return 3;
  if (value.as<DTypeName>() != nullptr) return 4;
  if (value.tensor() != nullptr || value.as<DescriptorOf>() != nullptr) return 5;
  if (value.list() != nullptr) return 6;
  if (value.as<Function>() != nullptr || value.object() != nullptr || value.dict() != nullptr)
    return 7;
  return 0;
}

}  // namespace

std::string Number::written() const {
  if (!text.empty()) return text;
  if (!is_real) return fmt::format("{}", whole);
  if (std::isinf(real)) return real < 0 ? "-float('inf')" : "float('inf')";
  if (std::isnan(real)) return "float('nan')";
  std::string result = fmt::format("{}", real);
  if (result.find_first_of(".e") == std::string::npos) result += ".0";
  return result;
}

std::optional<Number> Value::number() const {
  if (const auto* flag = as<bool>()) return Number::of(*flag ? 1 : 0);
  if (const auto* number = as<Number>()) return *number;
  return std::nullopt;
}

std::optional<bool> Value::truth() const {
  if (is_none()) return false;
  if (const auto known = number()) return known->value() != 0;
  if (const auto* text = as<std::string>()) return !text->empty();
  if (const auto* one = list()) return !one->items.empty() || one->shape_of != nullptr;
  if (const auto* one = dict()) return !one->empty();
  if (kind_of(*this) >= 4) return true;
  return std::nullopt;
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('.') + 1);
}

std::string member_path(const std::string& path, const std::string& name) {
  constexpr std::size_t kLongest = 200;
  if (path.empty() || path.size() + name.size() > kLongest) return {};
  return path + "." + name;
}

std::optional<Number> operate(const std::string& op, const Number& a, const Number& b) {
  const bool both_known = a.text.empty() && b.text.empty();
  std::string text;
  if (!both_known && !operator_text(op).empty())
    text = fmt::format("{} {} {}", operand(a), operator_text(op), operand(b));
  if (op == "Mult" && a.text.empty() && !a.is_real && a.whole == 1) text = b.text;
  if (op == "Mult" && b.text.empty() && !b.is_real && b.whole == 1) text = a.text;
  if (a.is_real || b.is_real || op == "Div" || (op == "Pow" && b.value() < 0)) {
    const auto result = real_result(op, a.value(), b.value());
    if (!result) return std::nullopt;
    return made(*result, true, std::move(text));
  }
  if (op == "Pow") {
    const auto result = real_result(op, a.value(), b.value());
    if (!result || std::abs(*result) > kLargest) return std::nullopt;
    return made(*result, false, std::move(text));
  }
  const auto result = whole_result(op, a.whole, b.whole);
  if (!result) return std::nullopt;
  if (text.size() > kLongestExpression) text.clear();
  return Number::of(*result, std::move(text));
}

std::optional<bool> compare(const std::string& op, const Value& a, const Value& b) {
  return compare_values(op, a, b, 0);
}

namespace {

std::optional<bool> compare_values(const std::string& op, const Value& a, const Value& b,
                                   int depth) {
  if (depth > 3) return std::nullopt;
  if (a.is_unknown() || b.is_unknown()) return std::nullopt;
  const bool equal = op == "Eq" || op == "Is";
  const bool unequal = op == "NotEq" || op == "IsNot";
  if (a.number() && b.number())
    return compare_numbers(op, a.number()->value(), b.number()->value());
  if (op == "In" || op == "NotIn") {
    const auto *part = a.as<std::string>(), *whole = b.as<std::string>();
    if (part != nullptr && whole != nullptr)
      return (whole->find(*part) != std::string::npos) == (op == "In");
    bool is_sure = b.list() != nullptr;
    if (!is_sure) return std::nullopt;
    for (const Value& item : b.list()->items) {
      const auto same = compare_values("Eq", a, item, depth + 1);
      if (same == true) return op == "In";
      is_sure = is_sure && same.has_value();
    }
    return is_sure ? std::optional(op == "NotIn") : std::nullopt;
  }
  if (!equal && !unequal) return std::nullopt;
  const int first = kind_of(a);
  const int second = kind_of(b);
  if (first == 0 || second == 0) {
    const auto *x = a.as<External>(), *y = b.as<External>();
    if (x != nullptr && y != nullptr) return (x->path == y->path) == equal;
    if ((a.is_none() && y != nullptr) || (b.is_none() && x != nullptr)) return unequal;
    return std::nullopt;
  }
  if (first != second) return unequal;
  if (first == 1) return equal;
  if (const auto* x = a.as<std::string>(), *y = b.as<std::string>(); x != nullptr && y != nullptr)
    return (*x == *y) == equal;
  if (const auto* x = a.as<DTypeName>(), *y = b.as<DTypeName>(); x != nullptr && y != nullptr) {
    const bool is_open = x->name.starts_with('\x01') || y->name.starts_with('\x01');
    if (is_open && x->name != y->name) return std::nullopt;
    return (x->name == y->name) == equal;
  }
  if (a.tensor() != nullptr && b.tensor() != nullptr && a.tensor() == b.tensor()) return equal;
  if (a.list() != nullptr && b.list() != nullptr) {
    if (a.list()->items.size() != b.list()->items.size()) return unequal;
    if (a.list()->items.size() > 64) return std::nullopt;
    for (std::size_t i = 0; i < a.list()->items.size(); ++i) {
      const auto same = compare_values("Eq", a.list()->items[i], b.list()->items[i], depth + 1);
      if (same != true) return same ? std::optional(unequal) : std::nullopt;
    }
    return equal;
  }
  return std::nullopt;
}

}  // namespace

Number call_text(const std::string& function, const std::vector<Number>& arguments, double real,
                 bool is_real) {
  std::string text;
  bool all_known = true;
  for (const Number& argument : arguments) {
    text += (text.empty() ? "" : ", ") + argument.written();
    all_known = all_known && argument.text.empty();
  }
  return made(real, is_real, all_known ? std::string() : fmt::format("{}({})", function, text));
}

Number product(const std::vector<Number>& factors) {
  Number result = Number::of(1);
  for (const Number& factor : factors)
    result = operate("Mult", result, factor).value_or(Number::of(1));
  return result;
}

std::vector<Number> strides_of(const Tensor& tensor) {
  if (!tensor.strides.empty()) return tensor.strides;
  std::vector<Number> result(tensor.shape.size(), Number::of(1));
  for (std::size_t axis = tensor.shape.size(); axis-- > 1;)
    result[axis - 1] = operate("Mult", tensor.shape[axis], result[axis]).value_or(Number::of(1));
  return result;
}

std::optional<std::string> key_text(const Value& key) {
  if (const auto* text = key.as<std::string>()) return *text;
  if (const auto number = key.number(); number && !number->is_real)
    return fmt::format("{}{}", kNumberKey, number->whole);
  if (const auto* dtype = key.as<DTypeName>(); dtype != nullptr && !dtype->name.starts_with('\x01'))
    return kDTypeKey + dtype->name;
  return std::nullopt;
}

Value key_value(const std::string& text) {
  if (text.starts_with(kDTypeKey)) return Value{DTypeName{text.substr(1)}};
  if (!text.starts_with(kNumberKey)) return Value{text};
  const auto number = parse_integer(text.substr(1));
  return number ? Value{Number::of(*number)} : Value{};
}

bool is_integer_dtype(const std::string& dtype) {
  return dtype.find("int") != std::string::npos;
}

std::string dtype_name(const std::string& word) {
  const std::string last = word.substr(word.rfind('.') + 1);
  static const std::map<std::string, std::string> kTorch = {{"half", "fp16"},
                                                            {"float", "fp32"},
                                                            {"double", "fp64"},
                                                            {"long", "int64"},
                                                            {"int", "int32"},
                                                            {"short", "int16"},
                                                            {"float8_e4m3fn", "fp8e4nv"},
                                                            {"float8_e4m3fnuz", "fp8e4nv"},
                                                            {"float8_e5m2", "fp8e5"},
                                                            {"float8_e5m2fnuz", "fp8e5"},
                                                            {"float8e4nv", "fp8e4nv"},
                                                            {"float8e5", "fp8e5"},
                                                            {"bool", "int1"},
                                                            {"float4_e2m1fn_x2", "uint8"},
                                                            {"float8_e8m0fnu", "uint8"}};
  if (const auto found = kTorch.find(last); found != kTorch.end()) return found->second;
  if (const auto known = config::dtype_from_text(last))
    return std::string(config::dtype_text(*known));
  return {};
}

}  // namespace heddle::kernel::triton::host
