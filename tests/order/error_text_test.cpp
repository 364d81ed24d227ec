// What order texts are refused, where, and with what hint. Nothing here may crash.
#include "order/parse_triton.h"
#include "order/read.h"
#include "order/testing.h"

namespace heddle::testing {
namespace {

void expect_error(const Text& text, Position where, const std::string& message,
                  const std::string& hint) {
  const Error error = error_of(text);
  EXPECT_EQ(error.position().line, where.line) << text.text << "\n" << error.full_text();
  EXPECT_EQ(error.position().column, where.column) << text.text << "\n" << error.full_text();
  EXPECT_TRUE(contains(error.message(), message)) << error.full_text();
  EXPECT_TRUE(contains(error.hint(), hint)) << error.full_text();
  EXPECT_EQ(error.source(), "order");
  EXPECT_EQ(error.code(), ExitCode::usage);
}

TEST(OrderError, UnknownFunctionsAndNames) {
  expect_error(triton("x = p0\ny = foo(x)"), {2, 5}, "'foo' with 1 argument is not known",
               "define it with 'def'");
  expect_error(triton("x = p0 + tl.arange(0, 8)"), {1, 10}, "tl.arange", "");
  expect_error(triton("x = p0 + tl.foo"), {1, 10}, "'tl.foo' is not known", "tl.program_id");
  expect_error(triton("x = tl.program_id(3)"), {1, 5}, "axis", "number");
  expect_error(triton("x = tl.program_id(p0)"), {1, 5}, "axis", "number");
  expect_error(c_like("int x = threadIdx.x;"), {1, 9}, "threadIdx.x", "blockIdx.x");
  const Error unbound = error_of(triton("x = p0 * A + B"));
  EXPECT_TRUE(contains(unbound.message(), "A, B"));
  EXPECT_TRUE(contains(unbound.hint(), "--let A=...,B=..."));
}

TEST(OrderError, DivisionWithOneSlash) {
  expect_error(triton("x = p0 / 2"), {1, 8}, "'/'", "//");
  expect_error(triton("x = p0\nx /= 2"), {2, 3}, "'/'", "//");
  expect_error(triton("p0 / 2"), {1, 4}, "'/'", "//");
}

TEST(OrderError, Recursion) {
  expect_error(triton("def f(x):\n    return f(x - 1)\ny = f(p0)"), {2, 12}, "f calls itself",
               "loop");
  expect_error(triton("def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\ny = f(p0)"), {4, 12},
               "f calls itself", "loop");
  expect_error(c_like("int f(int x) { return f(x); } int y = f(blockIdx.x);"), {1, 23},
               "f calls itself", "loop");
}

TEST(OrderError, Indentation) {
  expect_error(triton("x = p0\nif x > 3:\n    x = 3\n  x = 4"), {4, 3}, "indentation", "alike");
  expect_error(triton("x = p0\nif x > 3:\nx = 4"), {3, 1}, "block is missing", "indent");
  expect_error(triton("x = p0\nif x > 3:\n    x = 3\n      x = 4"), {4, 7}, "indentation", "alike");
  expect_error(triton("x = p0\nif x > 3:"), {2, 10}, "block is missing", "indent");
}

TEST(OrderError, UnsupportedStatements) {
  for (const std::string word : {"class", "lambda", "with", "try", "global", "yield", "break",
                                 "continue", "raise", "del", "async"}) {
    expect_error(triton("x = p0\n" + word + " y"), {2, 1}, "'" + word + "'", "heddle reads");
  }
  expect_error(triton("for x in y:\n    z = 1"), {1, 10}, "range", "heddle reads");
  expect_error(triton("x[0] = p0"), {1, 2}, "indexing", "heddle reads");
  expect_error(triton("x = p0 ** 2"), {1, 8}, "", "heddle reads");
  expect_error(triton("while p0 > 3:\n    return"), {1, 1}, "'return' inside a loop",
               "after the loop");
  for (const std::string word :
       {"break", "continue", "do", "switch", "goto", "struct", "using", "typedef"}) {
    expect_error(c_like("int x = 1;\n " + word + " y;"), {2, 2}, "'" + word + "'", "heddle reads");
  }
  expect_error(c_like("int x[4];"), {1, 5}, "arrays", "heddle reads");
  expect_error(c_like("float x = 1;"), {1, 7}, "integer", "heddle reads");
  expect_error(c_like("int y = x[3];"), {1, 10}, "indexing", "heddle reads");
}

TEST(OrderError, Tokens) {
  expect_error(triton("x = p0\ny = 'abc"), {2, 5}, "quoted", "close");
  expect_error(triton("\"\"\"abc\nx = p0"), {1, 1}, "quoted", "close");
  EXPECT_TRUE(contains(error_of(c_like("int x = 1; /* open")).message(), "comment"));
  expect_error(triton("x = 99999999999999999999"), {1, 5}, "64 bits", "smaller");
  expect_error(triton("x = 9223372036854775808"), {1, 5}, "64 bits", "smaller");
  expect_error(c_like("long x = 0xfffffffffffffffff;"), {1, 10}, "64 bits", "smaller");
  expect_error(triton("x = p0 $ 3"), {1, 8}, "'$'", "integer arithmetic");
  expect_error(triton("x = p0 + \xCE\xBB"), {1, 10}, "0xce", "integer arithmetic");
  expect_error(triton("x = 1.5"), {1, 5}, "integer", "0xff");
  expect_error(triton("x = 1e3"), {1, 5}, "integer", "0xff");
  expect_error(triton("x = 0x"), {1, 5}, "integer", "0xff");
  expect_error(triton("x = p0 \\ + 1"), {1, 8}, "backslash", "");
}

TEST(OrderError, Expressions) {
  expect_error(triton("x = (p0 + 1"), {1, 12}, "expected ')'", "heddle reads");
  expect_error(triton("x = p0 +"), {1, 9}, "expected", "heddle reads");
  expect_error(triton("x = 1 if p0"), {1, 12}, "'else'", "heddle reads");
  expect_error(triton("a, b = p0"), {1, 1}, "1 values for 2 names", "as many");
  expect_error(triton("a = p0, 1"), {1, 1}, "2 values for 1 names", "as many");
  expect_error(triton("a = (p0, 1) + 1"), {1, 6}, "2 values", "unpack");
  expect_error(triton("x = p0.to(tl.float32)"), {1, 5}, ".to(", "tl.int64");
  expect_error(c_like("int x = 1 2;"), {1, 11}, "';'", "heddle reads");
  expect_error(c_like("int x = a ? 1;"), {1, 14}, "':'", "heddle reads");
  expect_error(c_like("if (1 { int x = 1; }"), {1, 7}, "')'", "heddle reads");
  expect_error(c_like("int f(int x) { return x;"), {1, 25}, "'}'", "heddle reads");
}

TEST(OrderError, Calls) {
  expect_error(triton("def f(x):\n    return x\ny = f(p0, 1)"), {3, 5}, "takes 1 arguments, not 2",
               "call");
  expect_error(triton("def f(x, y):\n    return x\nz = f(p0)"), {3, 5}, "without 'y'",
               "every argument");
  expect_error(triton("def f(x):\n    y = x\nz = f(p0)"), {3, 5}, "does not return", "return");
  expect_error(triton("def f(x):\n    if x > 3:\n        return x\nz = f(p0)"), {4, 5},
               "does not return", "return");
  expect_error(triton("def f(x):\n    if x > 3:\n        return x, 1\n    return x\nz = f(p0)"),
               {4, 5}, "returns 1 values here and 2", "same number");
  expect_error(triton("x = p0\nreturn x"), {2, 1}, "outside a function", "assign");
  EXPECT_TRUE(contains(error_of(triton("x = p0\nreturn")).message(), "returns before a tile"));
}

// An unknown keyword argument is as wrong as a missing one.
TEST(OrderError, UnknownKeywordArguments) {
  EXPECT_THROW(line_map(triton("def f(x, y=1):\n    return x + y\nz = f(p0, w=5)"), 8), Error);
  EXPECT_THROW(line_map(triton("def f(x, y=1):\n    return x + y\nz = f(p0, x=5)"), 8), Error);
}

// ---- size and depth: an Error, never a crash
// ------------------------------------------------------

TEST(OrderLimit, Nesting) {
  const std::vector<Text> deep = {
      triton("x = " + repeat("(", 10000) + "p0" + repeat(")", 10000)),
      triton("x = " + repeat("not ", 10000) + "p0"),
      triton("x = " + repeat("-", 10000) + "p0"),
      triton("x = " + repeat("~", 10000) + "p0"),
      triton("x = " + repeat("min(", 10000) + "p0"),
      triton("x = p0" + repeat(" + p0", 100000)),
      triton("x = p0" + repeat(" + p0", 10000)),
      triton("x = p0" + repeat(" and p0", 10000)),
      triton("x = p0" + repeat(" < p0", 10000)),
      triton("x = p0" + repeat(" if p0 else p0", 5000)),
      triton("x = 0\nif p0 == 0:\n  x = 0\n" + repeat("elif p0 == 1:\n  x = 1\n", 5000)),
      c_like("int x = " + repeat("(", 10000) + "blockIdx.x" + repeat(")", 10000) + ";"),
      c_like("int x = " + repeat("!", 10000) + "blockIdx.x;"),
      c_like("int x = " + repeat("(int)", 10000) + "blockIdx.x;"),
      c_like("int x = " + repeat("1 ? 2 : ", 10000) + "blockIdx.x;"),
      c_like(repeat("{", 10000) + "int x = 1;" + repeat("}", 10000)),
      c_like("int x = 0; if (x) x = 1; " + repeat("else if (x) x = 1; ", 5000)),
      c_like("int x = 0; " + repeat("if (x) ", 10000) + "x = 1;"),
  };
  for (const Text& text : deep) {
    const Error error = error_of(text);
    EXPECT_FALSE(error.hint().empty()) << error.full_text();
    EXPECT_GT(error.position().line, 0) << error.full_text();
  }
}

TEST(OrderLimit, NestedBlocks) {
  std::string text = "x = p0\n";
  for (int level = 0; level < 1000; ++level)
    text += std::string(static_cast<std::size_t>(level), ' ') + "if x:\n";
  text += std::string(1000, ' ') + "x = 1\n";
  EXPECT_TRUE(contains(error_of(triton(text)).message(), "nests too deep"));
}

TEST(OrderLimit, Helpers) {
  std::string chain = "def f0(x):\n    return x\n";
  for (int i = 1; i <= 5000; ++i) {
    chain += "def f" + std::to_string(i) + "(x):\n    return f" + std::to_string(i - 1) + "(x)\n";
  }
  error_of(triton(chain + "y = f5000(p0)"));
  std::string growth = "def f0(x):\n    return x + 1\n";  // each calls the one before it twice
  for (int i = 1; i <= 25; ++i) {
    growth += "def f" + std::to_string(i) + "(x):\n    return f" + std::to_string(i - 1) +
              "(x) + f" + std::to_string(i - 1) + "(x)\n";
  }
  EXPECT_TRUE(contains(error_of(triton(growth + "y = f25(p0)")).message(), "operations"));
  std::string nested = "p0";
  for (int i = 0; i < 5000; ++i) nested = "f(" + nested + ")";
  error_of(triton("def f(x):\n    return x\ny = " + nested));
}

TEST(OrderLimit, PathsThatReturn) {
  // Two half-returning branches in a row double the paths; the limit on operations ends that.
  EXPECT_TRUE(
      contains(error_of(triton("y = p0\n" + repeat("if p0 == 1:\n  if p0 == 2:\n    return\n", 30) +
                               "y = p0 + 1"))
                   .message(),
               "operations"));
  const Text many = triton("y = p0\n" + repeat("if p0 == 9:\n    return\n", 150) + "y = p0 + 0");
  EXPECT_EQ(line_map(many, 10)[9], order::kIdle);
  const Text more = triton("y = p0\n" + repeat("if p0 == 9:\n    return\n", 2000) + "y = p0 + 0");
  EXPECT_TRUE(contains(error_of(more).message(), "branches with 'return'"));
}

TEST(OrderLimit, TextSize) {
  EXPECT_TRUE(contains(
      error_of(triton("# " + std::string(order::kSourceLimit, 'x') + "\nx = p0")).message(),
      "larger than"));
  EXPECT_TRUE(contains(error_of(triton(repeat("x = p0\n", 20000))).message(), "tokens"));
}

TEST(OrderLimit, AnyBytesAreRefusedOrRead) {
  for (int seed = 0; seed < 2000; ++seed) {
    std::string text;
    std::uint64_t state = static_cast<std::uint64_t>(seed) * 2654435761U + 1;
    for (int i = 0; i < 60; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      static const std::string kAlphabet = "pg01x=+-*/%<>()&|~^ \n\t:;,?{}!.#\"'\\if \xff";
      text += kAlphabet[(state >> 33) % kAlphabet.size()];
    }
    for (const auto& reader : {triton(text), c_like(text)}) {
      try {
        line_map(reader, 3);
      } catch (const Error& error) {
        EXPECT_FALSE(error.message().empty());
      }
    }
  }
}

TEST(OrderLimit, ExpressionsOfLetAndSizes) {
  EXPECT_THROW(order::parse_triton_expression(""), Error);
  EXPECT_THROW(order::parse_triton_expression("1 +"), Error);
  EXPECT_THROW(order::parse_triton_expression("1 2"), Error);
  EXPECT_THROW(order::parse_triton_expression(repeat("(", 10000)), Error);
  EXPECT_NO_THROW(order::parse_triton_expression("min(g0, 3) * 2"));
}

}  // namespace
}  // namespace heddle::testing
