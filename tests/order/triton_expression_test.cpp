// Expressions of Triton texts: every operator, and how division rounds.
#include <functional>

#include "order/testing.h"

namespace heddle::testing {
namespace {

constexpr std::int64_t kBlocks = 100;

/// `expression` over p0 must equal `wanted(p0)` at every launch id.
void expect_values(const std::string& expression,
                   const std::function<std::int64_t(std::int64_t)>& wanted) {
  for (std::int64_t p = 0; p < kBlocks; ++p) {
    EXPECT_EQ(value_at(triton("tile = " + expression), p), wanted(p)) << expression << " at " << p;
  }
}

TEST(TritonExpression, Operators) {
  expect_values("p0 + 3 - 1", [](auto p) { return p + 2; });
  expect_values("p0 * 5 // 3", [](auto p) { return p * 5 / 3; });
  expect_values("p0 % 7 * 2", [](auto p) { return p % 7 * 2; });
  expect_values("p0 << 3 >> 1", [](auto p) { return p * 4; });
  expect_values("p0 & 12 | 3 ^ p0", [](auto p) { return (p & 12) | (3 ^ p); });
  expect_values("~p0 + -p0 + +p0", [](auto p) { return ~p; });
  expect_values("min(p0, 8) + max(p0, 3, 5) + abs(5 - p0)", [](auto p) {
    return std::min<std::int64_t>(p, 8) + std::max<std::int64_t>(p, 5) + std::abs(5 - p);
  });
}

TEST(TritonExpression, Precedence) {
  expect_values("1 + p0 * 2 << 1", [](auto p) { return (1 + p * 2) << 1; });
  expect_values("p0 | 1 & 3 == 1", [](auto p) {
    return (p | (1 & 3)) == 1 ? 1 : 0;
  });  // Python: | binds tighter than ==
  expect_values("10 - 4 - p0", [](auto p) { return 6 - p; });
  expect_values("not p0 == 3", [](auto p) { return p != 3 ? 1 : 0; });
  expect_values("-p0 % 4", [](auto p) { return -p % 4; });
  expect_values("1 if p0 > 5 else 2 if p0 > 3 else 3", [](auto p) {
    return p > 5 ? 1 : p > 3 ? 2 : 3;
  });
}

TEST(TritonExpression, Comparisons) {
  expect_values("2 <= p0 < 9 != 4", [](auto p) { return 2 <= p && p < 9 ? 1 : 0; });
  expect_values("9 > p0 >= 2 == 2", [](auto p) { return p < 9 && p >= 2 ? 1 : 0; });
  expect_values("p0 > 2 and p0 < 5 or p0 == 50",
                [](auto p) { return (p > 2 && p < 5) || p == 50 ? 1 : 0; });
  expect_values("(p0 > 2) + (p0 > 4)", [](auto p) { return (p > 2 ? 1 : 0) + (p > 4 ? 1 : 0); });
  expect_values("p0 if not (p0 < 3) else 0", [](auto p) { return p < 3 ? 0 : p; });
  expect_values("p0 + True + False", [](auto p) { return p + 1; });
}

TEST(TritonExpression, OnlyTheChosenSideIsEvaluated) {
  EXPECT_EQ(value_at(triton("tile = 8 // p0 if p0 > 0 else 5"), 0), 5);
  EXPECT_EQ(value_at(triton("if p0 > 0:\n    tile = 8 // p0\nelse:\n    tile = 5"), 0), 5);
  EXPECT_EQ(value_at(triton("tile = 8 // p0"), 0), std::nullopt);
}

// Triton computes both values of tl.where, and all parts of `and` and `or` of run-time values.
TEST(TritonExpression, BothSidesAreEvaluated) {
  const std::string share = "def share(x):\n    return 8 // x\n";
  for (const std::string& text :
       {std::string("tile = tl.where(p0 > 0, 8 // p0, 5)"),
        std::string("tile = tl.where(p0 == 0, 5, 8 % p0)"),
        std::string("tile = tl.where(p0 < 9, p0, (p0 + 2147483647) % 7)"),
        std::string("tile = tl.where(p0 < 9, p0, 1 << (32 + p0))"),
        std::string("tile = tl.where(p0 > 0, tl.where(p0 > 1, 8 // p0, 1), 2)"),
        std::string("tile = 1 if p0 == 0 or 8 // p0 > 0 else 2"),
        std::string("tile = 1 if p0 != 0 and 8 // p0 > 0 else 2"),
        std::string("tile = 1 if p0 >= 0 or p0 > 3 or 8 // p0 > 0 else 2"),
        std::string("tile = 1 if p0 != 0 and (p0 > 3 or 8 // p0 > 0) else 2"),
        std::string("if p0 != 0 and 8 // p0 > 0:\n    tile = 1\nelse:\n    tile = 2"),
        share + "tile = 1 if p0 != 0 and share(p0) > 0 else 2\n",
        share + "tile = tl.where(p0 > 0, share(p0), 5)\n"}) {
    const bool overflows = text.find("< 9") != std::string::npos;
    EXPECT_EQ(value_at(triton(text), overflows ? 4 : 0), std::nullopt) << text;
    if (overflows) continue;
    EXPECT_NE(value_at(triton(text), 4), std::nullopt) << text;
  }
}

// What is known before the launch ends `and` and `or` as in Python; C always ends them early.
TEST(TritonExpression, ConstexprsEndAndAndOrEarly) {
  Text text = triton("tile = 1 if C and 8 // p0 > 0 else 2", "C=0");
  text.constexprs = {"C"};
  EXPECT_EQ(value_at(text, 0), 2);
  text.text = "tile = 1 if p0 >= 0 and C and 8 // p0 > 0 else 2";
  EXPECT_EQ(value_at(text, 0), 2);
  text.text = "tile = 1 if not C or 8 // p0 > 0 else 2";
  EXPECT_EQ(value_at(text, 0), 1);
  text.constexprs = {};
  text.text = "tile = 1 if C != 0 and 8 // p0 > 0 else 2";
  EXPECT_EQ(value_at(text, 0), std::nullopt) << "an argument is not known before the launch";
  const std::string share = "int share(int x) { return 8 / x; }\n";
  EXPECT_EQ(value_at(c_like("int p = blockIdx.x; int tile = p != 0 && 8 / p > 0 ? 1 : 2;"), 0), 2);
  EXPECT_EQ(value_at(c_like("int p = blockIdx.x; int tile = p == 0 || 8 / p > 0 ? 1 : 2;"), 0), 1);
  EXPECT_EQ(value_at(c_like(share + "int p = blockIdx.x; int tile = p && share(p) ? 1 : 2;"), 0),
            2);
}

TEST(TritonExpression, Calls) {
  expect_values("tl.cdiv(p0, 8) + triton.cdiv(p0, 3)",
                [](auto p) { return (p + 7) / 8 + (p + 2) / 3; });
  expect_values("tl.where(p0 > 3, p0, 7)", [](auto p) { return p > 3 ? p : 7; });
  expect_values("tl.minimum(p0, 4) + tl.maximum(p0, 9)",
                [](auto p) { return std::min<std::int64_t>(p, 4) + std::max<std::int64_t>(p, 9); });
  expect_values("tl.program_id(0) + tl.program_id(axis=0)", [](auto p) { return 2 * p; });
  expect_values("tl.num_programs(0) - tl.num_programs(axis=0) + g0", [](auto) { return kBlocks; });
  expect_values("p0.to(tl.int64) * 3000000000 // 3000000000", [](auto p) { return p; });
  expect_values("(p0 + 1).to(tl.int64).to(tl.int32)", [](auto p) { return p + 1; });
}

TEST(TritonExpression, AxesAreTheGrids) {
  const Space space = launch({5, 4, 3});
  const Text text = triton(
      "a = tl.program_id(0)\nb = tl.program_id(axis=1)\nc = tl.program_id(2)\n"
      "x = a + 10 * b + 100 * c + 1000 * tl.num_programs(1) + 10000 * tl.num_programs(2)\n"
      "tile = x + 100000 * tl.num_programs(0)");
  Text named = text;
  named.results = {"tile"};
  for (std::int64_t id = 0; id < 60; ++id) {
    EXPECT_EQ(values_at(named, id, space),
              (std::vector<std::int64_t>{id % 5 + 10 * (id / 5 % 4) + 100 * (id / 20) + 534000}));
  }
}

TEST(TritonExpression, Swizzle2d) {
  // The grid of size_i rows walked in groups of size_g rows, as the language reference draws it.
  const Text text = triton("row, col = tl.swizzle2d(p0 // 4, p0 % 4, 4, 4, 2)");
  const std::int64_t drawn[4][4] = {{0, 2, 4, 6}, {1, 3, 5, 7}, {8, 10, 12, 14}, {9, 11, 13, 15}};
  for (std::int64_t id = 0; id < 16; ++id) {
    const auto index = values_at(text, id, tiled({4, 4}));
    ASSERT_EQ(index.size(), 2U);
    EXPECT_EQ(drawn[index[0]][index[1]], id);
  }
}

// ---- rounding ---------------------------------------------------------------------------------

TEST(TritonRounding, ConstantsFloorLikePython) {
  EXPECT_EQ(value_at(triton("tile = -7 // 2")), -4);
  EXPECT_EQ(value_at(triton("tile = -7 % 4")), 1);
  EXPECT_EQ(value_at(triton("x: tl.constexpr = -7\ntile = x // 2")), -4);
  EXPECT_EQ(value_at(triton("tile = 7 // -2 + 7 % -4 * 100")), -104);
}

TEST(TritonRounding, RunTimeValuesTruncateLikeC) {
  EXPECT_EQ(value_at(triton("tile = (p0 - 7) // 2")), -3);
  EXPECT_EQ(value_at(triton("tile = (p0 - 7) % 4")), -3);
  EXPECT_EQ(value_at(triton("tile = (g0 - 107) // 2")), -3);
  EXPECT_EQ(value_at(triton("tile = (tl.num_programs(0) - 107) % 4")), -3);
  EXPECT_EQ(value_at(triton("x = p0 - 7\ny = x\ntile = y // 2")), -3);
  EXPECT_EQ(value_at(triton("x = -7\ntile = x // 2")), -3);  // an assigned name is a run-time value
}

TEST(TritonRounding, BoundNamesAreRunTimeArguments) {
  Text text = triton("tile = N // 2", "N=-7");
  EXPECT_EQ(value_at(text), -3);
  text.constexprs = {"N"};
  EXPECT_EQ(value_at(text), -4);
  text.text = "tile = (N + p0) // 2";  // a constexpr that meets a program id is C's again
  EXPECT_EQ(value_at(text), -3);
  text.text = "tile = N // 2 + p0 * 0";
  EXPECT_EQ(value_at(text), -4);
}

TEST(TritonRounding, ChoosingAtRunTimeMakesARunTimeValue) {
  EXPECT_EQ(value_at(triton("tile = (-7 if p0 == 0 else 7) // 2")), -3);
  EXPECT_EQ(value_at(triton("x = -7\nif p0 > 5:\n    x = 7\ntile = x // 2")), -3);
  EXPECT_EQ(value_at(triton("x = 0\nfor i in range(p0 + 7):\n    x = x - 1\ntile = x // 2")), -3);
}

// The same choice written as a helper with two returns is a run-time value too.
TEST(TritonRounding, ReturningAtRunTimeMakesARunTimeValue) {
  const std::string helper = "def pick(x):\n    if x == 0:\n        return -7\n    return 7\n";
  EXPECT_EQ(value_at(triton(helper + "tile = pick(p0) // 2")), -3);
  EXPECT_EQ(
      value_at(triton("def seven(x):\n    return x\ntile = (seven(-7) if p0 == 0 else 7) // 2")),
      -3);
}

// What a helper returns is a run-time value, a constant too (Triton 3.6);
// @triton.constexpr_function and what stands outside the kernel are Python's.
TEST(TritonRounding, ReturnedConstantsAreRunTimeValues) {
  for (const std::string& mark : {std::string(), std::string("@triton.jit\n")}) {
    EXPECT_EQ(value_at(triton(mark + "def seven():\n    return -7\ntile = seven() // 2 + p0")), -3);
    EXPECT_EQ(value_at(triton(mark + "def seven():\n    return -7\ntile = seven() % 4 + p0")), -3);
    EXPECT_EQ(value_at(triton(mark + "def same(x):\n    return x\ntile = same(-7) // 2 + p0")), -3);
    EXPECT_EQ(value_at(triton(mark + "def two():\n    return -7, -9\na, b = two()\n"
                                     "tile = a // 2 * 100 + b // 2 + p0")),
              -304);
  }
  EXPECT_EQ(value_at(triton("@triton.constexpr_function\ndef seven():\n    return -7\n"
                            "tile = seven() // 2 + p0")),
            -4);
  EXPECT_EQ(values_at(triton("def seven():\n    return -7\nHALF = seven() // 2\n"
                             "def order(pid):\n    return pid + HALF\n"),
                      10, launch({100})),
            (std::vector<std::int64_t>{6}));
}

// A comparison of constexprs is a constexpr: what it chooses stays one.
TEST(TritonRounding, ChoosingByConstexprKeepsAConstexpr) {
  Text text = triton("tile = (-7 if C > 3 else 7) // 2", "C=4");
  text.constexprs = {"C"};
  EXPECT_EQ(value_at(text), -4);
  text.text = "x: tl.constexpr = -7 if C > 3 else 7\ntile = x // 2";
  EXPECT_EQ(value_at(text), -4);
}

// ---- overflow ---------------------------------------------------------------------------------

TEST(TritonOverflow, IsAFailureOfThatLaunchIdOnly) {
  const Space space = launch({8});
  const Map map = triton("x = p0 * 536870912\ntile = x // 536870912").on(space);  // 4 * 2^29 = 2^31
  EXPECT_EQ(map, (Map{0, 1, 2, 3, order::kFailed, order::kFailed, order::kFailed, order::kFailed}));
  EXPECT_EQ(value_at(triton("tile = p0 + 2147483640 - 2147483640"), 7), 7);
  EXPECT_EQ(value_at(triton("tile = p0 + 2147483640 - 2147483640"), 8), std::nullopt);
}

TEST(TritonOverflow, ConstexprsAreWide) {
  EXPECT_EQ(value_at(triton("tile = 5000000000 * 7 // 7000000000 + p0"), 1), 6);
  EXPECT_EQ(value_at(triton("tile = N * N // 1000000 + p0 * 0", "N=100000"), 1), std::nullopt);
  Text text = triton("tile = N * N // 1000000 + p0 * 0", "N=100000");
  text.constexprs = {"N"};
  EXPECT_EQ(value_at(text, 1), 10000);
}

TEST(TritonOverflow, WideNamesAre64Bit) {
  EXPECT_EQ(value_at(triton("tile = N // 1000000000 + p0", "N=5000000000"), 2), 7);
}

// Narrowing is defined: the low bits stay.
TEST(TritonOverflow, NarrowingIsNone) {
  const std::string wide = "x = p0.to(tl.int64) + 4294967296\n";
  EXPECT_EQ(value_at(triton(wide + "tile = x.to(tl.int32)"), 5), 5);
  EXPECT_EQ(value_at(triton("x = p0.to(tl.int64) * 1073741824\ny = x.to(tl.int32)\n"
                            "tile = y // 1073741824"),
                     3),
            -1);
  EXPECT_EQ(value_at(c_like("long x = (long)blockIdx.x + 4294967296L; int tile = (int)x;"), 5), 5);
  EXPECT_EQ(value_at(c_like("long x = (long)blockIdx.x + 4294967296L; int tile = x;"), 7), 7);
  // Arithmetic is not: a sum in 32 bits overflows as before.
  EXPECT_EQ(value_at(triton(wide + "y = x.to(tl.int32) + 2147483647\ntile = y"), 5), std::nullopt);
  EXPECT_EQ(value_at(triton("tile = N * 0 + p0", "N=3000000000*g0"), 1), std::nullopt)
      << "an argument that does not fit is no conversion";
}

TEST(TritonOverflow, BadShiftsFail) {
  EXPECT_EQ(line_map(triton("tile = (1 << p0) * 0 + p0"), 40)[30], 30);
  for (std::size_t id = 31; id < 40; ++id)
    EXPECT_EQ(line_map(triton("tile = (1 << p0) * 0 + p0"), 40)[id], order::kFailed);
  EXPECT_EQ(value_at(triton("tile = 8 >> (p0 - 1)"), 0), std::nullopt);
}

}  // namespace
}  // namespace heddle::testing
