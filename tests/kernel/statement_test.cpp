// Assignments, branches and what they merge.
#include "kernel/run_program.h"

namespace heddle::testing {
namespace {

using Values = std::vector<double>;

TEST(Statement, AssignedNumbersBecomeRunTimeValues) {
  EXPECT_EQ(types_of({"x := 5", "y := 2.5"}), (std::vector<std::string>{"int32", "fp32"}));
  // n is no constexpr any more: -7 // 2 truncates; an annotated one stays one.
  EXPECT_EQ(run_body("n = -7\nm: tl.constexpr = -7\ntl.store(o, n // 2)\ntl.store(o, m // 2)")
                .written_values(),
            (Values{-3, -4}));
  // But it is still known: it can be a shape.
  EXPECT_EQ(run_body("n = 4\ntl.store(o + tl.arange(0, n), 1)").written_elements(),
            (Integers{0, 1, 2, 3}));
}

TEST(Statement, AssignmentsOfManyKinds) {
  EXPECT_EQ(run_body("a = b = 3\n"
                     "c, (d, e) = 1, (2, 3)\n"
                     "c, d = d, c\n"
                     "[f, g] = [7, 8]\n"
                     "h: tl.int32 = 9\n"
                     "a += b\n"
                     "e *= 5\n"
                     "g -= 1; g //= 2; f %= 4; h <<= 1; b |= 4; d ^= 3; h >>= 2; h &= 6\n"
                     "for v in (a, b, c, d, e, f, g, h):\n"
                     "    tl.store(o, v)")
                .written_values(),
            (Values{6, 7, 2, 2, 15, 3, 3, 4}));
  EXPECT_EQ(error_of_body("a, b = (1, 2, 3)"),
            "k.py:5:5: (a run-time value, a run-time value, a run-time value) cannot be unpacked "
            "into 2 names\n  try: give as many names as there are values");
  EXPECT_THAT(error_of_body("x = (1, 2)\nx[0] = 3"),
              HasSubstr("only names and tuples of names can be assigned to"));
}

TEST(Statement, KnownConditionsTakeOneBranch) {
  // The other branch may hold anything.
  EXPECT_EQ(run_body("if FLAG:\n"
                     "    tl.store(o, 1)\n"
                     "else:\n"
                     "    tl.store(o, undefined + tl.nonsense(3))\n"
                     "if S == 'a':\n"
                     "    x = undefined\n"
                     "elif S == 'b':\n"
                     "    x = 7\n"
                     "else:\n"
                     "    x = undefined\n"
                     "tl.store(o, x)\n"
                     "if n > 3:\n"
                     "    tl.store(o, 2)\n"
                     "if p is None:\n"
                     "    tl.store(o, 3)",
                     {"FLAG := True", "S := 'b'", "n = 5", "p = None"})
                .written_values(),
            (Values{1, 7, 2, 3}));
}

TEST(Statement, RunTimeBranchesMergeTheirValues) {
  const std::string body =
      "p = tl.program_id(0)\n"
      "x = 10\n"
      "y = p\n"
      "if p == 1:\n"
      "    x = 20\n"
      "    z = 1\n"
      "elif p == 2:\n"
      "    x, y = y + 100, x\n"
      "    z = 2\n"
      "else:\n"
      "    z = 3\n"
      "for v in (x, y, z):\n"
      "    tl.store(o, v)";
  EXPECT_EQ(run_body(body, {}, {0, 0, 0}).written_values(), (Values{10, 0, 3}));
  EXPECT_EQ(run_body(body, {}, {1, 0, 0}).written_values(), (Values{20, 1, 1}));
  EXPECT_EQ(run_body(body, {}, {2, 0, 0}).written_values(), (Values{102, 10, 2}));
}

TEST(Statement, BranchesMergeTuplesPointersAndBlockPointers) {
  const std::string body =
      "p = tl.program_id(0)\n"
      "t = (1, 2)\n"
      "q = o\n"
      "b = tl.make_block_ptr(o, (8, 8), (8, 1), (0, 0), (2, 2), (1, 0))\n"
      "if p > 0:\n"
      "    t = (t[1] + p, t[0])\n"
      "    q = o + 5\n"
      "    b = tl.advance(b, (2, 4))\n"
      "tl.store(q, t[0])\n"
      "tl.store(q + 1, t[1])\n"
      "tl.store(b, 9)";
  EXPECT_EQ(run_body(body, {}, {0, 0, 0}).written_elements(), (Integers{0, 1, 0, 1, 8, 9}));
  EXPECT_EQ(run_body(body, {}, {3, 0, 0}).written_elements(), (Integers{5, 6, 20, 21, 28, 29}));
  EXPECT_EQ(run_body(body, {}, {3, 0, 0}).written_values(), (Values{5, 1, 9, 9, 9, 9}));
}

TEST(Statement, BranchesPromoteWhatTheyMerge) {
  // Triton insists on equal types; heddle takes the wider one.
  EXPECT_EQ(run_body("p = tl.program_id(0)\n"
                     "if p > 0:\n"
                     "    x = tl.arange(0, 2) + 5\n"
                     "else:\n"
                     "    x = p.to(tl.int64)\n"
                     "tl.store(o + tl.arange(0, 2), x)",
                     {}, {1, 0, 0})
                .written_values(),
            (Values{5, 6}));
  EXPECT_THAT(error_of_body("p = tl.program_id(0)\n"
                            "if p > 0:\n"
                            "    x = o\n"
                            "else:\n"
                            "    x = p\n",
                            {"o: fp16[4]"}),
              HasSubstr("one branch gives a pointer, the other a number"));
  EXPECT_THAT(error_of_body("p = tl.program_id(0)\n"
                            "if p > 0:\n"
                            "    x = (1, 2)\n"
                            "else:\n"
                            "    x = p\n"),
              HasSubstr("the branches give"));
}

TEST(Statement, WhatWasNoValueBeforeStaysThat) {
  // As in Triton: a branch cannot turn None into a value, two branches can.
  EXPECT_EQ(run_body("p = tl.program_id(0)\n"
                     "x = None\n"
                     "y = None\n"
                     "if p > 0:\n"
                     "    x = 3\n"
                     "    y = 4\n"
                     "else:\n"
                     "    y = 5\n"
                     "tl.store(o, y)\n"
                     "if x is None:\n"
                     "    tl.store(o, 1)",
                     {}, {2, 0, 0})
                .written_values(),
            (Values{4, 1}));
  EXPECT_THAT(error_of_body("p = tl.program_id(0)\n"
                            "if p > 0:\n"
                            "    t = tl.float16\n"
                            "else:\n"
                            "    t = tl.float32\n"),
              HasSubstr("the branches make 't' fp16 and fp32"));
}

TEST(Statement, ABlockCannotDecide) {
  EXPECT_EQ(error_of_body("if tl.arange(0, 4) > 2:\n    pass"),
            "k.py:5:5: a block cannot decide a branch\n"
            "  try: reduce it to a scalar, e.g. with tl.max");
  // One element is a scalar to a branch.
  EXPECT_EQ(run_body("if tl.zeros([1, 1], tl.int32) + tl.program_id(0) > 0:\n    tl.store(o, 1)",
                     {}, {1, 0, 0})
                .written_values(),
            (Values{1}));
}

TEST(Statement, EarlyReturnOfTheKernel) {
  const std::string body =
      "p = tl.program_id(0)\n"
      "tl.store(o, 1)\n"
      "if p > 2:\n"
      "    return\n"
      "tl.store(o, 2)\n"
      "if p == 1:\n"
      "    tl.store(o, 3)\n"
      "    if tl.program_id(1) == 0:\n"
      "        return\n"
      "    tl.store(o, 4)\n"
      "elif p == 2:\n"
      "    return\n"
      "tl.store(o, 5)\n"
      "return\n"
      "tl.store(o, 6)";
  EXPECT_EQ(run_body(body, {}, {3, 0, 0}).written_values(), (Values{1}));
  EXPECT_EQ(run_body(body, {}, {0, 0, 0}).written_values(), (Values{1, 2, 5}));
  EXPECT_EQ(run_body(body, {}, {1, 0, 0}).written_values(), (Values{1, 2, 3}));
  EXPECT_EQ(run_body(body, {}, {1, 1, 0}).written_values(), (Values{1, 2, 3, 4, 5}));
  EXPECT_EQ(run_body(body, {}, {2, 0, 0}).written_values(), (Values{1, 2}));
}

TEST(Statement, KnownReturnEndsTheReading) {
  EXPECT_EQ(run_body("if B == 0:\n"
                     "    tl.store(o, 1)\n"
                     "    return\n"
                     "tl.store(o, undefined)",
                     {"B := 0"})
                .written_values(),
            (Values{1}));
}

TEST(Statement, HarmlessStatements) {
  EXPECT_EQ(run_body("\"\"\"A text.\"\"\"\n"
                     "pass\n"
                     "assert B == 4, 'no'\n"
                     "import math\n"
                     "tl.static_assert(B == 4, f'B is {B}')\n"
                     "tl.device_assert(tl.arange(0, 4) < 4, 'x')\n"
                     "tl.static_print('B', B, sep='')\n"
                     "tl.device_print('B', tl.arange(0, 4), hex=True)\n"
                     "print('B')\n"
                     "tl.debug_barrier()\n"
                     "tl.assume(tl.program_id(0) >= 0)\n"
                     "x = tl.max_contiguous(tl.multiple_of(tl.arange(0, 4), 4), 4)\n"
                     "tl.store(o + tl.max_constancy(x, 1), 7)",
                     {"B := 4"})
                .written_elements(),
            (Integers{0, 1, 2, 3}));
}

TEST(Statement, AssertsOfWhatIsKnown) {
  EXPECT_EQ(error_of_body("assert B > 4", {"B := 4"}),
            "k.py:5:5: the kernel's assert does not hold\n"
            "  try: check the arguments in the job");
  EXPECT_EQ(error_of_body("tl.static_assert(B > 4, 'B is too small')", {"B := 4"}),
            "k.py:5:5: tl.static_assert does not hold: B is too small\n"
            "  try: check the constexprs in the job");
  EXPECT_THAT(error_of_body("if B == 4:\n    raise ValueError('no')", {"B := 4"}),
              HasSubstr("k.py:6:9: the kernel raises an error here"));
}

TEST(Statement, WhatIsNotSupportedIsNamed) {
  EXPECT_EQ(error_of_body("for i in range(4):\n    break"),
            "k.py:6:9: 'break' is not supported (nor does Triton)\n"
            "  try: put the condition into the loop or a mask");
  EXPECT_THAT(error_of_body("try:\n    x = 1\nexcept E:\n    pass"),
              HasSubstr("k.py:5:5: Try is not supported"));
  EXPECT_THAT(error_of_body("del x"), HasSubstr("k.py:5:5: Delete is not supported"));
  EXPECT_THAT(error_of_body("x = {a: 1 for a in (1, 2)}"),
              HasSubstr("k.py:5:9: DictComp is not supported"));
  EXPECT_THAT(error_of_body("x = yield 3"), HasSubstr("k.py:5:9: Yield is not supported"));
  EXPECT_THAT(error_of_body("x = 3j"), HasSubstr("complex numbers and bytes are not supported"));
  EXPECT_THAT(error_of_body("x = b'a'"), HasSubstr("complex numbers and bytes are not supported"));
  EXPECT_THAT(error_of_body("x = 1 @ 2"), HasSubstr("the operator MatMult is not supported"));
}

}  // namespace
}  // namespace heddle::testing
