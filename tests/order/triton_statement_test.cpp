// Statements of Triton texts, and the layouts in which people paste them.
#include "order/read.h"
#include "order/testing.h"

namespace heddle::testing {
namespace {

TEST(TritonStatement, AssignmentsOfEveryKind) {
  EXPECT_EQ(value_at(triton("a = b = p0 + 1\ntile = a * 10 + b"), 2), 33);
  EXPECT_EQ(value_at(triton("x: tl.constexpr = 8\ny: int = p0\ntile = x + y"), 2), 10);
  EXPECT_EQ(value_at(triton("x = p0; y = 2; tile = x * y;"), 3), 6);
  const std::string augmented =
      "x = p0 + 20\nx += 4\nx -= 1\nx *= 6\nx //= 2\nx %= 50\nx <<= 2\nx >>= 1\nx &= 62\nx |= 1\nx "
      "^= 2\n";
  std::int64_t x = 23;
  x += 4;
  x -= 1;
  x *= 6;
  x /= 2;
  x %= 50;
  x <<= 2;
  x >>= 1;
  x &= 62;
  x |= 1;
  x ^= 2;
  EXPECT_EQ(value_at(triton(augmented + "tile = x"), 3), x);
}

TEST(TritonStatement, TuplesAndSwaps) {
  EXPECT_EQ(value_at(triton("a, b = p0, 7\na, b = b, a\ntile = a * 10 + b"), 3), 73);
  EXPECT_EQ(
      value_at(triton("a, b, c = p0, 7, 5\na, b, c = c, a, b\ntile = a * 100 + b * 10 + c"), 3),
      537);
  EXPECT_EQ(value_at(triton("(a, b) = (p0, 7)\ntile = a * 10 + b"), 3), 37);
  EXPECT_EQ(value_at(triton("a = p0\nb = a + 1\na, b = a + b, a - b\ntile = a * 10 + b + 1"), 3),
            70);
  EXPECT_EQ(value_at(triton("q, r = divmod(p0, 4)\ntile = q * 10 + r"), 11), 23);
}

TEST(TritonStatement, Branches) {
  const Text text = triton(
      "x = 0\nif p0 < 3:\n    x = 1\nelif p0 < 5:\n    x = 2\nelif p0 < 6: x = 3\nelse:\n    x = "
      "4\ntile = x");
  const std::int64_t wanted[] = {1, 1, 1, 2, 2, 3, 4, 4};
  for (std::int64_t p = 0; p < 8; ++p) EXPECT_EQ(value_at(text, p), wanted[p]) << p;
  EXPECT_EQ(
      value_at(
          triton("x = p0\nif p0 > 2:\n    if p0 > 4:\n        x = 50\n    x = x + 1\ntile = x"), 5),
      51);
  EXPECT_EQ(
      value_at(
          triton("x = p0\nif p0 > 2:\n    if p0 > 4:\n        x = 50\n    x = x + 1\ntile = x"), 3),
      4);
  EXPECT_EQ(
      value_at(
          triton("x = p0\nif p0 > 2:\n    if p0 > 4:\n        x = 50\n    x = x + 1\ntile = x"), 2),
      2);
}

// A name that both sides assign is assigned, whether or not it was before.
TEST(TritonStatement, BothSidesMayAssignANewName) {
  const Text text = triton("if p0 < 3:\n    x = p0 + 10\nelse:\n    x = p0 + 20\ntile = x");
  EXPECT_EQ(value_at(text, 2), 12);
  EXPECT_EQ(value_at(text, 3), 23);
  const Text chain =
      triton("if p0 < 3:\n    x = 1\nelif p0 < 5:\n    x = 2\nelse:\n    x = 3\ntile = x");
  EXPECT_EQ(value_at(chain, 4), 2);
  const Text helper = triton(
      "def f(p):\n    if p < 3:\n        x = 1\n    else:\n        x = 2\n    return x\ntile = "
      "f(p0)");
  EXPECT_EQ(value_at(helper, 4), 2);
}

TEST(TritonStatement, Loops) {
  EXPECT_EQ(
      value_at(triton("x = p0\nn = 0\nwhile x > 1:\n    x = x // 2\n    n += 1\ntile = n"), 37), 5);
  EXPECT_EQ(value_at(triton("s = 0\nfor i in range(p0):\n    s += i\ntile = s"), 7), 21);
  EXPECT_EQ(value_at(triton("s = 0\nfor i in range(2, p0, 3):\n    s = s * 10 + i\ntile = s"), 9),
            258);
  EXPECT_EQ(value_at(triton("s = 0\nfor i in range(p0, 0, -2):\n    s = s * 10 + i\ntile = s"), 7),
            7531);
  EXPECT_EQ(
      value_at(triton(
          "s = 0\nfor i in tl.static_range(3):\n    for j in range(i):\n        s += 1\ntile = s")),
      3);
  EXPECT_EQ(value_at(triton("s = 5\nfor i in range(0):\n    s = 6\ntile = s")), 5);
}

TEST(TritonStatement, ALoopThatDoesNotEndFails) {
  const Map map = line_map(triton("x = p0\nwhile x > 2:\n    x = x + 0\ntile = x"), 5);
  EXPECT_EQ(map, (Map{0, 1, 2, order::kFailed, order::kFailed}));
}

// Python's loop variable keeps its last value, and assigning it in the body does not steer the
// loop.
TEST(TritonStatement, TheLoopVariableIsPythons) {
  EXPECT_EQ(value_at(triton("s = 0\nfor i in range(4):\n    i = i + 10\n    s += 1\ntile = s")), 4);
  const Text after = triton("for i in range(3):\n    x = 0\ntile = p0 + i");
  try {
    EXPECT_EQ(value_at(after, 0), 2);
  } catch (const Error&) {  // refusing to read it afterwards is right as well
  }
}

TEST(TritonStatement, Helpers) {
  const std::string helpers =
      "def double(x):\n    return x * 2\n"
      "def both(x, y=3, *, z=1):\n    if x > 5:\n        return double(x) + y\n    return x + y * "
      "z\n"
      "def pair(x):\n    return x + 1, double(double(x))\n";
  EXPECT_EQ(value_at(triton(helpers + "tile = both(p0)"), 2), 5);
  EXPECT_EQ(value_at(triton(helpers + "tile = both(p0, 4)"), 6), 16);
  EXPECT_EQ(value_at(triton(helpers + "tile = both(p0, z=10)"), 2), 32);
  EXPECT_EQ(value_at(triton(helpers + "tile = both(y=1, x=p0)"), 2), 3);
  EXPECT_EQ(value_at(triton(helpers + "a, b = pair(p0)\ntile = a * 100 + b"), 3), 412);
  EXPECT_EQ(value_at(triton(helpers + "tile = both(both(p0, 1), both(1, 1)) + double(p0)"), 2), 9);
  EXPECT_EQ(value_at(triton("@triton.jit\ndef f(x: tl.constexpr, y: int = 2) -> int:\n    return x "
                            "+ y\ntile = f(p0)"),
                     2),
            4);
}

// Blanks inside a docstring are not indentation.
TEST(TritonStatement, Docstrings) {
  EXPECT_EQ(value_at(triton("def f(x):\n    \"\"\"word\"\"\"\n    return x + 1\ntile = f(p0)"), 2),
            3);
  EXPECT_EQ(
      value_at(
          triton(
              "def f(x):\n    \"\"\"\n    Two lines.\n    \"\"\"\n    return x + 1\ntile = f(p0)"),
          2),
      3);
  EXPECT_EQ(
      value_at(
          triton("def f(x):\n    \"\"\"several words here\"\"\"\n    return x + 1\ntile = f(p0)"),
          2),
      3);
  EXPECT_EQ(value_at(triton("def f(x):\n    \"\"\"Several words\n    on two lines.\"\"\"\n    "
                            "return x + 1\ntile = f(p0)"),
                     2),
            3);
}

TEST(TritonStatement, HelpersKeepTheirOwnNames) {
  EXPECT_EQ(
      value_at(triton("x = 5\ndef f(y):\n    x = y + 1\n    return x\ntile = f(p0) * 10 + x"), 2),
      35);
  EXPECT_EQ(value_at(triton("k = p0 + 1\ndef f(y):\n    return y * k\ntile = f(10)"), 2), 30);
}

// A free name in a helper is the global one, not a local of whoever calls.
TEST(TritonStatement, HelpersDoNotSeeTheirCallersNames) {
  const Text text = triton(
      "def inner(t):\n    return t * N\ndef outer(t, N):\n    return inner(t) + N\ntile = "
      "outer(p0, 30)",
      "N=1");
  EXPECT_EQ(value_at(text, 2), 32);
}

TEST(TritonStatement, ATextOfFunctionsIsItsLastFunction) {
  const Text text =
      triton("def half(x):\n    return x // 2\ndef remap(pid):\n    return half(pid) + 1\n");
  EXPECT_EQ(value_at(text, 6), 4);
  EXPECT_EQ(value_at(triton("def remap(pid, n):\n    return pid * n\n", "n=7"), 6), 42);
  EXPECT_EQ(values_at(triton("def walk(x, y):\n    return y, x\n"), 5, launch({3, 3})),
            (std::vector<std::int64_t>{1, 2}));
}

TEST(TritonStatement, SkipsWhatComputesNothing) {
  const Text text = triton(
      "import triton\nfrom triton import language as tl\n\"\"\"doc\n\nmore\"\"\"\n"
      "pid = p0  # a comment\n# another\nassert pid >= 0, 'text'\ntl.assume(pid >= 0)\npass\ntile "
      "= pid + 1");
  EXPECT_EQ(value_at(text, 3), 4);
  bool noted = false;
  for (const std::string& note : text.program(launch({8})).notes)
    noted = noted || contains(note, "assertion skipped");
  EXPECT_TRUE(noted);
}

TEST(TritonStatement, TopLevelReturnIsIdle) {
  const Text text = triton("pid = p0\nif pid >= 3:\n    return\ntile = pid");
  EXPECT_EQ(line_map(text, 5), (Map{0, 1, 2, order::kIdle, order::kIdle}));
  EXPECT_TRUE(text.program(launch({5})).stops);
}

// ---- layout -----------------------------------------------------------------------------------

TEST(TritonLayout, LinesMayContinue) {
  EXPECT_EQ(value_at(triton("tile = (p0 +\n  1\n    + 2)\n"), 1), 4);
  EXPECT_EQ(value_at(triton("tile = p0 + \\\n      2\n"), 1), 3);
  EXPECT_EQ(value_at(triton("def f(x,\n      y):\n    return (x\n  + y)\ntile = f(p0,\n1)"), 1), 2);
  EXPECT_EQ(value_at(triton("pid = p0\r\ntile = pid + 1\r\n"), 1), 2);
}

TEST(TritonLayout, PastedIndentation) {
  EXPECT_EQ(value_at(triton("pid = p0\n    x = pid + 1\n    tile = x * 2"), 1), 4);
  EXPECT_EQ(value_at(triton("    pid = p0\n    if pid > 3:\n        pid = 3\n    tile = pid"), 9),
            3);
  EXPECT_EQ(value_at(triton("\tpid = p0\n\tif pid > 3:\n\t\tpid = 3\n\ttile = pid"), 9), 3);
  EXPECT_EQ(value_at(triton("pid = p0\n    if pid > 3:\n        pid = 3\n    else:\n        pid = "
                            "0\n    tile = pid"),
                     9),
            3);
  EXPECT_EQ(value_at(triton("if p0 > 3:\n        return\n    tile = p0"), 2), 2);
  EXPECT_EQ(value_at(triton("if p0 > 3:\n        return\n    tile = p0"), 4), std::nullopt);
  EXPECT_EQ(value_at(triton("x = p0\n  y = x\n    z = y\ntile = z"), 9), 9);
}

TEST(TritonLayout, CommentsAndBlankLinesDoNotEndBlocks) {
  EXPECT_EQ(value_at(triton("x = 0\nif p0 > 3:\n    x = 1\n\n# at the margin\n    x = x + 1\n      "
                            "  # far out\n    x = x + 1\ntile = x"),
                     9),
            3);
  EXPECT_EQ(value_at(triton("x = 0\nif p0 > 3:  # why\n    # first\n    x = 1\ntile = x"), 9), 1);
}

TEST(TritonLayout, Fences) {
  EXPECT_EQ(value_at(triton("```python\ntile = p0 + 1\n```\n"), 1), 2);
  EXPECT_EQ(value_at(triton("```\ntile = p0 + 1\n"), 1), 2);
  EXPECT_EQ(value_at(triton("tile = p0 + 1\n```"), 1), 2);
  EXPECT_EQ(value_at(triton("Here is the formula I propose:\n\n```python\npid = p0\ntile = pid + "
                            "1\n```\n\nIt keeps rows together.\n"),
                     1),
            2);
  EXPECT_EQ(value_at(triton("a = p0\n```\nb = 2\n```\ntile = a + b\n"), 1),
            3);  // fences inside code
  EXPECT_EQ(value_at(triton("  ```py\n  tile = p0 + 1\n  ```\n"), 1), 2);
}

TEST(TritonLayout, FencesKeepLineNumbers) {
  const Error error = error_of(triton("prose here\n```python\nx = p0\ny = foo(x)\n```\n"));
  EXPECT_EQ(error.position().line, 4);
  EXPECT_TRUE(contains(error.message(), "foo"));
}

TEST(Language, IsFoundFromTheTextOrTheEnding) {
  using order::find_language;
  using order::Language;
  EXPECT_EQ(find_language("pid = tl.program_id(0)", "order"), Language::triton);
  EXPECT_EQ(find_language("p0 % 8", "order"), Language::triton);
  EXPECT_EQ(find_language("int tile = blockIdx.x;", "order"), Language::c_like);
  EXPECT_EQ(find_language("tile = p0 > 3 ? 1 : 2;", "order"), Language::c_like);
  EXPECT_EQ(find_language("tile = p0", "order.cu"), Language::c_like);
  EXPECT_EQ(find_language("int x", "order.py"), Language::triton);
}

// Words of a Python comment say nothing about the language of the code.
TEST(Language, CommentsDoNotDecide) {
  EXPECT_EQ(order::find_language("tile = p0 // 8  # how long each run is", "order"),
            order::Language::triton);
  EXPECT_EQ(order::find_language("tile = p0 // 8  # the point where dies meet", "order"),
            order::Language::triton);
}

}  // namespace
}  // namespace heddle::testing
