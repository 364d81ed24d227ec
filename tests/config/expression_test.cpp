#include "config/expression.h"

#include <cstdio>
#include <fstream>
#include <random>

#include "config/testing.h"

namespace heddle::testing {
namespace {

struct Sample {
  std::string text;
  std::string value;  ///< as Python prints it
};

TEST(Expression, HasPythonsValues) {
  const std::vector<Sample> samples = {
      {"7 // 2", "3"},
      {"-7 // 2", "-4"},
      {"7 // -2", "-4"},
      {"-7 // -2", "3"},
      {"-6 // 2", "-3"},
      {"7 % 3", "1"},
      {"-7 % 3", "2"},
      {"7 % -3", "-2"},
      {"-7 % -3", "-1"},
      {"6 % -3", "0"},
      {"-9223372036854775807 // -1", "9223372036854775807"},
      {"5 % -1", "0"},
      {"7 / 2", "3.5"},
      {"6 / 2", "3.0"},
      {"7.5 // 2", "3.0"},
      {"-7.5 // 2", "-4.0"},
      {"-7.5 % 2", "0.5"},
      {"7.5 % -2", "-0.5"},
      {"1 // 0.1", "9.0"},
      {"2 ** 10", "1024"},
      {"(-2) ** 63", "-9223372036854775808"},
      {"-2 ** 2", "-4"},
      {"2 ** -1", "0.5"},
      {"2 ** 3 ** 2", "512"},
      {"4 ** 0.5", "2.0"},
      {"0 ** 0", "1"},
      {"(-1) ** 1000000000001", "-1"},
      {"1 << 40", "1099511627776"},
      {"-8 >> 1", "-4"},
      {"-1 >> 100", "-1"},
      {"5 >> 100", "0"},
      {"0 << 1000", "0"},
      {"6 & 3", "2"},
      {"6 | 3", "7"},
      {"6 ^ 3", "5"},
      {"~5", "-6"},
      {"1 | 2 ^ 3 & 4 << 1 + 1", "3"},
      {"True + 1", "2"},
      {"True & False", "False"},
      {"True | 2", "3"},
      {"--3", "3"},
      {"+3", "3"},
      {"-(3)", "-3"},
      {"1 < 2 < 3", "True"},
      {"1 < 3 < 2", "False"},
      {"3 > 2 >= 2 != 1", "True"},
      {"1 == 1.0", "True"},
      {"'a' < 'b'", "True"},
      {"'a' == 'b'", "False"},
      {"None is None", "True"},
      {"3 is not None", "True"},
      {"None == 0", "False"},
      {"[1, 2] == [1.0, 2]", "True"},
      {"0 or 5", "5"},
      {"3 and 4", "4"},
      {"0 and 1 // 0", "0"},
      {"1 or 1 // 0", "1"},
      {"not 3", "False"},
      {"not 0 == 1", "True"},
      {"1 if 2 > 3 else 4", "4"},
      {"1 if '' else 2 if [] else 3", "3"},
      {"(1, 2)[1]", "2"},
      {"[1, [2, 3]][-1][0]", "2"},
      {"()", "[]"},
      {"(4,)", "[4]"},
      {"[1, 2,]", "[1, 2]"},
      {"0x_ff + 0b11 + 0o17 + 1_000", "1273"},
      {"1e3", "1000.0"},
      {".5 + 1.", "1.5"},
      {"1.5E-1", "0.15"},
      {"'it\\'s'", "'it's'"},
      {"\"relu\"", "'relu'"},
      {"'\\t\\\\' == \"\t\\\\\"", "True"},
      {" \n 1 + \t 1 ", "2"},
  };
  for (const Sample& sample : samples) {
    EXPECT_EQ(shown(sample.text), sample.value) << sample.text;
  }
}

TEST(Expression, HasFunctions) {
  const std::vector<Sample> samples = {
      {"min(3, 1, 2)", "1"},
      {"max([3, 4.5])", "4.5"},
      {"min(1, 1.0)", "1"},
      {"abs(-3)", "3"},
      {"abs(-2.5)", "2.5"},
      {"cdiv(7, 2)", "4"},
      {"cdiv(-7, 2)", "-3"},
      {"triton.cdiv(8, 2)", "4"},
      {"tl.cdiv(9, 2)", "5"},
      {"next_power_of_2(1)", "1"},
      {"next_power_of_2(5)", "8"},
      {"triton.next_power_of_2(64)", "64"},
      {"next_power_of_2(0)", "0"},
      {"next_power_of_2(1 << 62)", "4611686018427387904"},
      {"int(-2.7)", "-2"},
      {"int(True)", "1"},
      {"float(3)", "3.0"},
      {"float('-inf')", "-inf"},
      {"float('nan')", "nan"},
      {"len([1, 2, 3])", "3"},
      {"len('relu')", "4"},
      {"len(t)", "2"},
      {"math.sqrt(2.25)", "1.5"},
      {"math.floor(-1.5)", "-2"},
      {"ceil(1.2)", "2"},
      {"csr_nnz(10, 10, 1)", "100"},
      {"csr_nnz(10, 10, 0.0, 3)", "0"},
  };
  for (const Sample& sample : samples) {
    EXPECT_EQ(shown(sample.text), sample.value) << sample.text;
  }
}

TEST(Expression, KnowsTensorsAndModules) {
  EXPECT_EQ(shown("t.shape"), "[2, 3, 4]");
  EXPECT_EQ(shown("t.shape[-1] * t.stride(0)"), "80");
  EXPECT_EQ(shown("t.stride()"), "[20, 5, 1]");
  EXPECT_EQ(shown("t.size(1) + t.dim() + t.ndim"), "9");
  EXPECT_EQ(shown("t.numel() * t.element_size()"), "48");
  EXPECT_EQ(shown("t is not None"), "True");
  EXPECT_EQ(evaluated("t"), Value{TensorReference{0}});
  EXPECT_EQ(shown("tl.float16"), "'tl.float16'");
  EXPECT_EQ(shown("N * 2", {{"N", integer(21)}}), "42");
  // A name of the job hides the module.
  EXPECT_EQ(thrown_by([] {
              evaluated("tl.float16", {{"tl", integer(1)}});
            }).message(),
            "an integer has no 'float16' here");
}

struct Refusal {
  std::string text;
  std::string message;
  std::string hint;
};

void expect_refused(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    const Error error = thrown_by([&] { evaluated(refusal.text, {{"BLOCK_M", integer(1)}}); });
    EXPECT_EQ(error.message(), refusal.message) << refusal.text;
    EXPECT_EQ(error.hint(), refusal.hint) << refusal.text;
    EXPECT_TRUE(error.source().empty());
  }
}

TEST(Expression, RefusesWhatDoesNotFit) {
  const std::string smaller = "use smaller numbers";
  expect_refused({
      {"9223372036854775807 + 1", "9223372036854775807 + 1 does not fit into 64 bits", smaller},
      {"-9223372036854775807 - 2", "-9223372036854775807 - 2 does not fit into 64 bits", smaller},
      {"(1 << 40) * (1 << 40)", "1099511627776 * 1099511627776 does not fit into 64 bits", smaller},
      {"2 ** 64", "2 ** 64 does not fit into 64 bits", smaller},
      {"1 << 63", "1 << 63 does not fit into 64 bits", smaller},
      {"3 << 62", "3 << 62 does not fit into 64 bits", smaller},
      {"((-2) ** 63) // -1", "-9223372036854775808 // -1 does not fit into 64 bits", smaller},
      {"-((-2) ** 63)", "0 - -9223372036854775808 does not fit into 64 bits", smaller},
      {"abs((-2) ** 63)", "0 - -9223372036854775808 does not fit into 64 bits", smaller},
      {"9223372036854775808", "9223372036854775808 does not fit into 64 bits",
       "use a smaller number"},
      {"cdiv(9223372036854775807, 2)", "cdiv(9223372036854775807, 2) does not fit into 64 bits",
       smaller},
      {"next_power_of_2((1 << 62) + 1)",
       "next_power_of_2(4611686018427387905) does not fit into 64 bits", "use a smaller number"},
      {"int(1e30)", "1e+30 does not fit into a 64-bit integer", "use a smaller number"},
      {"int(float('nan'))", "nan does not fit into a 64-bit integer", "use a smaller number"},
      {"1e300 ** 2", "the power is too large for a float", smaller},
      {"1 // 0", "'//' divides by zero", "check the divisor"},
      {"1 % 0", "'%' divides by zero", "check the divisor"},
      {"1 / 0", "'/' divides by zero", "check the divisor"},
      {"1.5 // 0", "'//' divides by zero", "check the divisor"},
      {"1.5 % 0.0", "'%' divides by zero", "check the divisor"},
      {"0 ** -1", "'**' divides by zero", "check the divisor"},
      {"cdiv(1, 0)", "cdiv divides by zero", "check the divisor"},
      {"1 << -1", "a shift count is negative", "shift the other way"},
      {"(-8) ** 0.5", "a negative number has no fractional power", "check the base"},
      {"sqrt(-1)", "sqrt of a negative number", "check its argument"},
  });
}

TEST(Expression, RefusesWhatMeansNothing) {
  const std::string operators = "use Python's operators: + - * / // % ** << >> & | and or not";
  const std::string members =
      "a tensor has .shape[i], .ndim, .stride(i), .size(i), .dim(), .numel() and .element_size()";
  expect_refused({
      {"", "the expression ends too early", "complete it"},
      {"1 +", "the expression ends too early", "complete it"},
      {"1 + * 2", "'*' was not expected", operators},
      {"1 2", "'2' was not expected", operators},
      {"cdiv(1, 2", "')' is missing where it ends", "complete the expression"},
      {"[1 2]", "']' is missing where '2' stands", "complete the expression"},
      {"1 if 2", "'else' is missing where it ends", "complete the expression"},
      {"M = 3", "'=' was not expected", "compare with ==; arguments have no names here"},
      {"t.shape[0:1]", "slices are not supported", "take one element: T.shape[0]"},
      {"1 $ 2", "'$' is not part of an expression",
       "use numbers, names, + - * / // % ** and functions such as cdiv(a, b)"},
      {"'relu", "a text has no closing '", "close it: 'relu'"},
      {"'a\\q'", "a text has a backslash that means nothing", "write \\\\ for a backslash"},
      {"12abc", "'12abc' is not a number", "write 128, 0x80 or 1e-6"},
      {"0xzz", "'0xzz' is not a number", "write 128, 0x80 or 1e-6"},
      {"0x", "'0x' is not a number", "write 128, 0x80 or 1e-6"},
      {"1.2.3", "'1.2.3' is not a number", "write 128, 0x80 or 1e-6"},
      {"BLOCK_N", "'BLOCK_N' is not known", "did you mean 'BLOCK_M'? the names are: BLOCK_M t"},
      {"zzz", "'zzz' is not known", "the names are: BLOCK_M t"},
      {"cdif(1, 2)", "there is no function 'cdif'",
       "did you mean 'cdiv'? the functions are: min max abs cdiv next_power_of_2 int float len "
       "sqrt floor ceil csr_nnz"},
      {"cdiv(1)", "cdiv does not take 1 argument", "write cdiv(a, b)"},
      {"cdiv(1.5, 1)", "the first argument of cdiv must be an integer, not 1.5",
       "use // instead of /, or int(...)"},
      {"min([])", "min and max need a value", "give at least one"},
      {"max('a')", "an argument of min or max must be a number, not a text", "give a number"},
      {"int('1')", "the argument of int must be an integer, not a text", "give a whole number"},
      {"float('x')", "float('x') is not supported", "write the number itself, or float('inf')"},
      {"len(3)", "an integer has no len", "take the len of a list"},
      {"'a' + 'b'", "'+' does not work on a text and a text", "use numbers"},
      {"[1] * 2", "'*' does not work on a list and an integer", "use numbers"},
      {"1.5 & 1", "'&' does not work on a float and an integer", "use numbers"},
      {"None < 1", "'<' does not work on None and an integer", "use numbers"},
      {"~1.5", "'~' does not work on a float", "use a number"},
      {"-'a'", "'-' does not work on a text", "use a number"},
      {"1 if t else 2", "a tensor is neither true nor false", "write 'NAME is not None'"},
      {"3[0]", "an integer has no elements to index", "index a list or a shape: T.shape[0]"},
      {"[1, 2][2]", "the list has no element 2: it has 2", "count from 0, or from the end with -1"},
      {"[1, 2][-3]", "the list has no element -3: it has 2",
       "count from 0, or from the end with -1"},
      {"[1]['a']", "an index must be an integer, not a text", "give a whole number"},
      {"t.stride(3)", "the tensor's stride has no element 3: it has 3",
       "count from 0, or from the end with -1"},
      {"t.strides", "a tensor has no 'strides' here", members},
      {"t.numel(1)", "a tensor has no 'numel' here", members},
      {"(3).shape", "an integer has no 'shape' here", members},
      {"torch.float16", "'torch' is not known", "the names are: BLOCK_M t"},
      {"[1][0](2)", "only functions can be called", "see the list of functions in docs/jobs.md"},
      {"csr_nnz(1, 1, 2)", "2 is not a density", "give a share between 0 and 1"},
      {"csr_nnz(-1, 1, 0.5)", "a sparse matrix cannot be -1 x 1",
       "rows and columns are at least 0"},
  });
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

TEST(Expression, IsBounded) {
  const std::string names = "give parts of it names under [sizes]";
  const std::string deep = "the expression is nested too deeply";
  expect_refused({
      {repeated("(", 100000 / 2) + "1", deep, names},
      {repeated("[", 10000) + "1", deep, names},
      {repeated("-", 10000) + "1", deep, names},
      {repeated("not ", 10000) + "1", deep, names},
      {repeated("1 if 1 else ", 5000) + "1", deep, names},
      {repeated("2**", 10000) + "1", deep, names},
      {repeated("1+", 10000) + "1", "the expression has too many operators in one chain", names},
      {repeated("1 or ", 5000) + "1", "the expression has too many operators in one chain", names},
      {"t" + repeated(".t", 5000), "the expression has too many operators in one chain", names},
      {std::string((1 << 16) + 1, ' '), "the expression is longer than 65536 characters",
       "put the numbers into a .npy file: file('numbers.npy')"},
      {"[" + repeated("1,", 5000) + "]", "a list has more than 1024 values", "shorten it"},
  });
  // What a person writes is far within the limits.
  EXPECT_EQ(shown(repeated("(", 60) + "1" + repeated(")", 60)), "1");
  EXPECT_EQ(shown(repeated("1+", 400) + "1"), "401");
}

TEST(Expression, PlainNames) {
  for (const std::string name : {"M", "_x", "BLOCK_M2", "tl"}) EXPECT_TRUE(is_plain_name(name));
  for (const std::string name : {"", "2M", "a-b", "a b", "None", "and", "if", "in", "ä"}) {
    EXPECT_FALSE(is_plain_name(name)) << name;
  }
}

/// Random expressions: what Python, asked for the same, prints.
class Generator {
 public:
  std::string expression(int depth) {
    switch (depth <= 0 ? pick(2) : pick(12)) {
      case 0:
        return std::to_string(pick(40));
      case 1:
        return std::to_string(pick(80)) + "." + std::to_string(pick(4) * 25);
      case 2:
        return "-" + group(depth);
      case 3:
        return group(depth) + " if " + group(depth) + " else " + group(depth);
      case 4:
        return group(depth) + " " + one_of({"and", "or"}) + " " + group(depth);
      case 5:
        return group(depth) + one_of({"<", "<=", "==", "!=", ">", ">="}) + group(depth) +
               one_of({"<", ">="}) + group(depth);
      case 6:
        return one_of({"min(", "max("}) + group(depth) + ", " + group(depth) + ")";
      case 7:
        return "int(" + group(depth) + ")" + one_of({"&", "|", "^", "%", "//"}) + "int(" +
               group(depth) + ")";
      case 8:
        return "abs(" + group(depth) + ")" + one_of({" ** 2", " ** -1", " ** 0"});
      default:
        return expression(depth - 1) + one_of({"+", "-", "*", "/", "//", "%"}) +
               expression(depth - 1);
    }
  }

 private:
  int pick(int count) { return static_cast<int>(engine_() % static_cast<unsigned>(count)); }
  std::string one_of(const std::vector<std::string>& texts) {
    return texts[static_cast<std::size_t>(pick(static_cast<int>(texts.size())))];
  }
  std::string group(int depth) { return "(" + expression(depth - 1) + ")"; }

  std::mt19937 engine_{20240501};
};

TEST(Expression, AgreesWithPython) {
  constexpr int kCount = 3000;
  Generator generator;
  std::vector<std::string> texts;
  std::ofstream script(work_path(".py"));
  script << "def show(f):\n"
            "  try: v = f()\n"
            "  except (ArithmeticError, ValueError, TypeError): return 'error'\n"
            "  if isinstance(v, bool): return str(v)\n"
            "  if isinstance(v, int): return str(v) if -2**63 <= v < 2**63 else 'error'\n"
            "  return 'complex' if isinstance(v, complex) else '%.17e' % v\n";
  for (int i = 0; i < kCount; ++i) {
    texts.push_back(generator.expression(3));
    script << "print(show(lambda: " << texts.back() << "))\n";
  }
  script.close();
  const std::string output = work_path(".out");
  ASSERT_EQ(std::system(("python3 '" + work_path(".py") + "' > '" + output + "'").c_str()), 0);
  std::ifstream expected(output);
  int errors = 0;
  for (const std::string& text : texts) {
    std::string line;
    ASSERT_TRUE(std::getline(expected, line));
    std::string found = "error";
    try {
      const Value value = evaluated(text);
      found = value_text(value);
      if (const auto* real = std::get_if<double>(&value.data)) {
        char digits[64];
        std::snprintf(digits, sizeof digits, "%.17e", *real);
        found = digits;
      }
    } catch (const Error&) {
      ++errors;
    }
    EXPECT_EQ(found, line) << text;
  }
  EXPECT_LT(errors, kCount / 2);
}

}  // namespace
}  // namespace heddle::testing
