// Python's arithmetic, held against the Python that is here.
#include "config/python_number.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <limits>

#include "config/arithmetic.h"
#include "config/testing.h"

namespace heddle::testing {
namespace {

using config::IntegerLimit;
using config::Number;
using config::WideInteger;

/// As the script below writes it: integers in digits, floats as their bits.
std::string written(const Number& number) {
  if (const auto* integer = std::get_if<WideInteger>(&number)) return fmt::format("{}", *integer);
  const double real = std::get<double>(number);
  return std::isnan(real) ? "nan" : fmt::format("f{}", std::bit_cast<std::uint64_t>(real));
}

template <class Function>
std::string outcome(Function function) {
  try {
    return function();
  } catch (const Error&) {
    return "error";
  }
}

constexpr const char* kScript = R"(
import math, struct, sys
LIMITS = {'64': (-2**63, 2**63 - 1), '100': (-2**100, 2**100)}
def show(v, limit):
    if isinstance(v, complex): return 'error'
    if isinstance(v, bool): return str(v)
    if isinstance(v, int): return str(v) if limit[0] <= v <= limit[1] else 'error'
    return 'nan' if math.isnan(v) else 'f%d' % struct.unpack('<Q', struct.pack('<d', v))
def attempt(f, limit):
    try: return show(f(), limit)
    except (ArithmeticError, ValueError, TypeError): return 'error'
def number(text):
    return struct.unpack('<d', struct.pack('<Q', int(text[1:])))[0] if text[0] == 'f' else int(text)
OPERATIONS = {
    '+': lambda a, b: a + b, '-': lambda a, b: a - b, '*': lambda a, b: a * b,
    '/': lambda a, b: a / b, '//': lambda a, b: a // b, '%': lambda a, b: a % b,
    '**': lambda a, b: a ** b, '<<': lambda a, b: a << b, '>>': lambda a, b: a >> b,
    '&': lambda a, b: a & b, '|': lambda a, b: a | b, '^': lambda a, b: a ^ b,
    '<': lambda a, b: a < b, '<=': lambda a, b: a <= b, '>': lambda a, b: a > b,
    '>=': lambda a, b: a >= b, '==': lambda a, b: a == b, '!=': lambda a, b: a != b,
    'neg': lambda a, b: -a, 'inv': lambda a, b: ~a, 'int': lambda a, b: int(a),
    'floor': lambda a, b: math.floor(a), 'ceil': lambda a, b: math.ceil(a), 'float': lambda a, b: float(a),
}
for line in open(sys.argv[1]):
    operation, limit, a, b = line.split()
    a, b = number(a), number(b)
    print(attempt(lambda: OPERATIONS[operation](a, b), LIMITS[limit]))
)";

std::string compared(const std::string& operation, const Number& a, const Number& b) {
  const std::partial_ordering order = config::python_order(a, b);
  const bool holds = operation == "<"    ? order < 0
                     : operation == "<=" ? order <= 0
                     : operation == ">"  ? order > 0
                     : operation == ">=" ? order >= 0
                     : operation == "==" ? order == 0
                                         : order != 0;
  return holds ? "True" : "False";
}

std::string computed(const std::string& operation, const IntegerLimit& limit, const Number& a,
                     const Number& b) {
  if (operation == "neg" || operation == "inv") {
    const auto result = config::python_unary(operation == "neg" ? "-" : "~", a, limit);
    return result ? written(*result) : "error";
  }
  if (operation == "int") return written(config::python_integer(a, config::Toward::zero, limit));
  if (operation == "floor") return written(config::python_integer(a, config::Toward::below, limit));
  if (operation == "ceil") return written(config::python_integer(a, config::Toward::above, limit));
  if (operation == "float") return written(config::python_float(a));
  if (operation[0] == '=' || operation[0] == '!' || operation == "<" || operation == "<=" ||
      operation == ">" || operation == ">=")
    return compared(operation, a, b);
  const auto result = config::python_operation(operation, a, b, limit);
  return result ? written(*result) : "error";
}

/// Python itself would build the number that we refuse.
bool is_too_large_for_python(const std::string& operation, const Number& a, const Number& b) {
  const auto* base = std::get_if<WideInteger>(&a);
  const auto* exponent = std::get_if<WideInteger>(&b);
  return (operation == "**" || operation == "<<") && base != nullptr && exponent != nullptr &&
         *exponent > 200 && *base != 0;
}

TEST(PythonNumber, AgreesWithPython) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<Number> numbers;
  for (const std::int64_t integer : {0LL,
                                     1LL,
                                     -1LL,
                                     2LL,
                                     -2LL,
                                     3LL,
                                     -3LL,
                                     7LL,
                                     -7LL,
                                     10LL,
                                     62LL,
                                     63LL,
                                     64LL,
                                     127LL,
                                     255LL,
                                     -256LL,
                                     65537LL,
                                     2147483647LL,
                                     -2147483648LL,
                                     9007199254740991LL,
                                     9007199254740992LL,
                                     9007199254740993LL,
                                     -9007199254740993LL,
                                     4611686018427387904LL,
                                     9223372036854775807LL})
    numbers.emplace_back(WideInteger{integer});
  for (const double real : {0.0,
                            -0.0,
                            0.1,
                            -0.1,
                            0.3,
                            0.5,
                            -0.5,
                            1.0,
                            -1.0,
                            1.5,
                            -1.5,
                            2.0,
                            2.5,
                            -7.5,
                            1e-300,
                            5e-324,
                            0.7,
                            1e16,
                            9007199254740992.0,
                            -9007199254740994.0,
                            9.223372036854775e18,
                            1e22,
                            1e100,
                            -1e308,
                            kInfinity,
                            -kInfinity,
                            std::nan("")})
    numbers.emplace_back(real);
  const std::vector<std::string> operations = {
      "+", "-", "*",  "/",  "//", "%",  "**",  "<<",  ">>",  "&",     "|",    "^",
      "<", ">", "<=", ">=", "==", "!=", "neg", "inv", "int", "floor", "ceil", "float"};
  const std::string script = work_path(".py"), questions = work_path(".in"),
                    output = work_path(".out");
  std::ofstream(script) << kScript;
  std::vector<std::string> asked, found;
  for (const IntegerLimit& limit : {config::kInt64, config::k100Bits}) {
    for (const std::string& operation : operations) {
      for (const Number& a : numbers) {
        for (const Number& b : numbers) {
          if (is_too_large_for_python(operation, a, b)) continue;
          const auto text = [](const Number& number) {
            const auto* real = std::get_if<double>(&number);
            return real == nullptr ? written(number)
                                   : fmt::format("f{}", std::bit_cast<std::uint64_t>(*real));
          };
          asked.push_back(fmt::format("{} {} {} {}", operation, limit.bits, text(a), text(b)));
          found.push_back(outcome([&] { return computed(operation, limit, a, b); }));
        }
      }
    }
  }
  std::ofstream(questions) << fmt::format("{}\n", fmt::join(asked, "\n"));
  ASSERT_EQ(std::system(fmt::format("python3 '{}' '{}' > '{}'", script, questions, output).c_str()),
            0);
  std::ifstream expected(output);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    std::string line;
    ASSERT_TRUE(std::getline(expected, line));
    EXPECT_EQ(found[i], line) << asked[i];
  }
}

TEST(PythonNumber, RefusesWhatIsTooLarge) {
  const auto text = [](std::string_view operation, Number a, Number b, const IntegerLimit& limit) {
    return outcome([&] { return written(*config::python_operation(operation, a, b, limit)); });
  };
  const WideInteger large = WideInteger{1} << 99;
  EXPECT_EQ(text("**", WideInteger{2}, WideInteger{1} << 99, config::k100Bits), "error");
  EXPECT_EQ(text("<<", WideInteger{1}, WideInteger{1} << 99, config::k100Bits), "error");
  EXPECT_EQ(text("*", large, large, config::k100Bits), "error");
  EXPECT_EQ(text("+", large, large, config::k100Bits), fmt::format("{}", large * 2));
  EXPECT_EQ(text("**", WideInteger{-1}, large + 1, config::k100Bits), "-1");
  EXPECT_EQ(text(">>", -large, large, config::k100Bits), "-1");
}

}  // namespace
}  // namespace heddle::testing
