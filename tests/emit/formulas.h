// Formulas as people write them, each a permutation on its range of grids, with the parts that are
// hard to carry over into another language.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "order/operation.h"
#include "order/syntax.h"

namespace heddle::emit_tests {

struct Formula {
  std::string name;
  order::Language language = order::Language::triton;
  std::string text;
  std::string grids;  ///< a range, as --grids takes it
  std::string tiles = {};
  std::vector<std::string> lets = {};
  std::vector<std::string> results = {};
  std::vector<std::string> constexprs = {};

  friend std::ostream& operator<<(std::ostream& out, const Formula& formula) {
    return out << formula.name;
  }
};

inline std::vector<Formula> triton_formulas() {
  const auto triton = order::Language::triton;
  return {
      {"NegativeQuotient", triton, "q = (p0 - g0) // 3\nr = (p0 - g0) % 3\ntile = q * 3 + r + g0",
       "1..40"},
      {"NegativeDivisor", triton, "d = 0 - 3\ntile = p0 if p0 // (d - p0) <= 0 else p0 + 1",
       "1..40"},
      {"NegativeConstexpr", triton, "tile = (p0 - (0 - 7) // 2 - 4) % g0", "1..40"},
      {"ConstexprName",
       triton,
       "shift = (0 - BLOCK) // 2\ntile = (p0 - shift) % g0",
       "1..40",
       "",
       {"BLOCK=7"},
       {},
       {"BLOCK"}},
      {"RuntimeName",
       triton,
       "shift = (0 - BLOCK) // 2\ntile = (p0 - shift) % g0",
       "1..40",
       "",
       {"BLOCK=7"}},
      {"GuardedConditional", triton, "d = p0 - 2\nx = p0 // d if d != 0 else p0\ntile = p0 + x - x",
       "1..20"},
      {"GuardedIf", triton,
       "d = p0 - 2\nx = 0\nif d != 0:\n    x = p0 // d\nelse:\n    x = p0\ntile = g0 - 1 - p0 + x "
       "- x",
       "1..20"},
      {"GuardedAnd", triton,
       "d = p0 % 3\ny = 1 if d != 0 and p0 // max(d, 1) > 1 else 0\ntile = (p0 + y * g0) % g0",
       "1..20"},
      {"GuardedOr", triton,
       "d = p0 % 3\ny = 1 if d == 0 or p0 // max(d, 1) > 1 else 0\ntile = (p0 + y * g0) % g0",
       "1..20"},
      {"GuardedHelper", triton,
       "def part(a, d):\n    if d == 0:\n        return a\n    return a // d\n"
       "d = p0 % 4\ntile = p0 + part(p0, d) - part(p0, d)",
       "1..20"},
      {"GuardedTwice", triton,
       "d = p0 % 3\nif d != 0:\n    q = p0 // d\n    r = p0 % d\n    y = q * d + r\nelse:\n    y = "
       "p0\ntile = y",
       "1..20"},
      {"EarlyReturn",
       triton,
       "if p0 >= COUNT:\n    return\ntile = COUNT - 1 - p0",
       "1..40",
       "COUNT",
       {"COUNT=(g0 + 1) // 2"}},
      {"EarlyReturnLate",
       triton,
       "row = p0 // 4\ncol = p0 % 4\nif row >= 3:\n    return\nif col >= 3:\n    return\nrow = 2 - "
       "row",
       "20",
       "3x3",
       {},
       {"row", "col"}},
      {"Helpers",
       triton,
       "def swap(a, b):\n    return b, a\ndef mirror(x, n):\n    return n - 1 - x\n"
       "x, y = swap(p1, p0)\ny2, x2 = swap(mirror(x, g0), mirror(y, g1))\n",
       "1..6x1..6",
       "",
       {},
       {"x2", "y2"}},
      {"ForLoop", triton, "x = p0\nfor i in range(5):\n    x = (x + i) % g0\ntile = x", "1..20"},
      {"ForLoopDown", triton, "x = p0\nfor i in range(7, 0, -2):\n    x = (x + i) % g0\ntile = x",
       "1..20"},
      {"NestedLoops", triton,
       "x = p0\ni = 0\nwhile i < 3:\n    j = 0\n    while j < i:\n        x = g0 - 1 - x\n        "
       "j = j + 1\n    x = (x + 1) % g0\n"
       "    i = i + 1\ntile = x",
       "1..20"},
      {"LoopWithSwap", triton,
       "a = p0\nb = g0 - 1 - p0\nfor i in range(3):\n    a, b = b, a\ntile = a", "1..20"},
      {"LoopBoundDivides",
       triton,
       "n = g0 // 8\ni = 0\nx = p0\nwhile i < n:\n    x = g0 - 1 - x\n    i = i + 1\ntile = x",
       "1..40",
       "",
       {},
       {"tile"}},
      {"WideProduct", triton,
       "big = p0.to(tl.int64) * 3000000000\ntile = (big // 3000000000).to(tl.int32)", "1..40"},
      {"WideLoop", triton,
       "acc = 0\nfor i in range(3):\n    acc = acc + p0.to(tl.int64) * 1000000000\ntile = acc // "
       "3000000000",
       "1..20"},
      {"WideChoice", triton, "x = 5000000000 if p0 == 0 else p0\ntile = x % 5000000000 + min(x, 0)",
       "1..20"},
      {"WideName", triton, "big = BIG + p0\ntile = big - BIG", "1..20", "", {"BIG=5000000000"}},
      {"WideMinimum", triton, "big = p0.to(tl.int64) * 3000000000\ntile = min(big, 0) + max(p0, 0)",
       "1..20"},
      {"UnsignedWraps", triton,
       "x = p0.to(tl.uint32) * 3000000000\ny = x * 3\ntile = (p0 + (y - y)).to(tl.int32)", "1..40"},
      {"UnsignedHash", triton,
       "h = p0.to(tl.uint32) * 2654435761\nodd = (h >> 31).to(tl.int32)\npair = p0 ^ 1\n"
       "k = ((p0 | 1).to(tl.uint32) * 2654435761 >> 7).to(tl.int32) & 1\nlast = g0 // 2 * 2\n"
       "tile = (pair if k == 1 else p0) if p0 < last else p0 + odd - odd",
       "1..40"},
      {"UnsignedCompare", triton, "x = (p0 - 3).to(tl.uint32)\ntile = p0 if x > 5 else p0",
       "1..20"},
      {"Absolute", triton, "d = abs(p0 - 5)\ntile = p0 + d - d", "1..20"},
      {"AbsoluteBelowZero", triton, "tile = 10 - p0 if abs(p0 - 5) - 3 < 0 else p0", "8..20"},
      {"Bits", triton, "tile = (p0 ^ 1) if p0 < g0 // 2 * 2 else ((p0 & ~0) | 0)", "1..20"},
      {"Shifts", triton, "tile = ((p0 >> 2) << 2) + (p0 & 3)", "1..20"},
      {"Booleans", triton,
       "odd = p0 % 2 == 1\nlast = not (p0 + 1 < g0)\ntile = p0 - odd + (not odd and not last)",
       "1..20"},
      {"ResultCalledP0", triton, "p0 = g0 - 1 - p0", "1..20"},
      {"NamesOfCpp", triton,
       "template = p0 // 3\nnew = template * 3 + p0 % 3 + template - template", "1..20"},
      {"NamesWithNumbers", triton,
       "t = p0 // 2\nt = t * 2 + p0 % 2 + t - t\np = t // 3\np = p * 3 + t % 3 + p - p\ng = p + "
       "1\ng = (g + g - g) - 1\ntile = g + g - g",
       "1..20"},
      {"BothSidesAssign", triton, "if p0 % 2 == 0:\n    y = p0\nelse:\n    y = p0 // 1\ntile = y",
       "1..20"},
      {"GuardedHelperInAnd", triton,
       "def part(a, d):\n    q = a // d\n    return q\n"
       "d = p0 % 3\ntile = p0 if d != 0 and part(p0, max(d, 1)) > 1 else p0",
       "1..20"},
      {"Where", triton, "tile = tl.where(p0 % 2 == 0, p0, p0) + tl.minimum(p0, 0)", "1..20"},
      {"CeilingDivision", triton,
       "n = tl.cdiv(g0, 4)\ntile = p0 % 4 * n + p0 // 4 if g0 % 4 == 0 else p0", "1..40"},
      {"UnusedName", triton, "x = N * 0 + p0\ntile = x", "1..20", "", {"N=5"}},
      {"PlaneOf3d",
       triton,
       "x = g0 - 1 - p0\ny = g1 - 1 - p1",
       "1..4x1..4x1..3",
       "",
       {},
       {"x", "y"}},
  };
}

inline std::vector<Formula> c_formulas() {
  const auto c = order::Language::c_like;
  return {
      {"CNegative", c,
       "int a = (int)blockIdx.x - (int)gridDim.x; int q = a / 3, r = a % 3; int tile = q * 3 + r + "
       "gridDim.x;",
       "1..40"},
      {"CUnsignedWraps", c, "unsigned h = blockIdx.x - gridDim.x; unsigned tile = h + gridDim.x;",
       "1..40"},
      {"CUnsignedQuotient", c,
       "unsigned h = blockIdx.x - gridDim.x; unsigned big = h / 7u; int tile = blockIdx.x + (big > "
       "9u ? 0 : 1);",
       "1..40"},
      {"CWide", c,
       "long long big = (long long)blockIdx.x * 5000000000LL; int tile = (int)(big / "
       "5000000000LL);",
       "1..40"},
      {"CGuarded", c,
       "int d = blockIdx.x % 3; int y = (d != 0 && blockIdx.x / d > 1) ? 1 : 0; int tile = "
       "blockIdx.x + y - y;",
       "1..20"},
      {"CGuardedIf", c,
       "int d = blockIdx.x % 3; int x; if (d != 0) { x = blockIdx.x / d; } else { x = 1; } int "
       "tile = blockIdx.x + x - x;",
       "1..20"},
      {"CEarlyReturn",
       c,
       "int row = blockIdx.x; if (row >= ROWS) return; row = ROWS - 1 - row;",
       "1..30",
       "ROWS",
       {"ROWS=(g0 + 2) // 3"},
       {"row"}},
      {"CForLoop", c,
       "int x = blockIdx.x; for (int i = 0; i < 4; ++i) { x = (x + i) % gridDim.x; } int tile = x;",
       "1..20"},
      {"CHelper", c,
       "int mirror(int x, int n) { return n - 1 - x; }\nint tile = mirror(blockIdx.x, gridDim.x);",
       "1..20"},
      {"CWideHelper", c,
       "long long scale(long long x) { return x * 4000000000LL; }\nint tile = "
       "(int)(scale(blockIdx.x) / 4000000000LL);",
       "1..20"},
      {"CNamesOfPython", c,
       "int from = blockIdx.x / 3; int with = from * 3 + blockIdx.x % 3 + from - from; int tile = "
       "with;",
       "1..20"},
      {"COpenCl", c,
       "size_t x = get_group_id(0); size_t n = get_num_groups(0); size_t tile = n - 1 - x;",
       "1..20"},
      {"COpenClWraps", c,
       "size_t x = get_group_id(0) - get_num_groups(0); size_t tile = x + get_num_groups(0);",
       "1..20"},
      {"CMinimum", c, "int d = min((int)blockIdx.x, 3); int tile = max((int)blockIdx.x, d);",
       "1..20"},
  };
}

inline std::vector<Formula> all_formulas() {
  std::vector<Formula> formulas = triton_formulas();
  for (Formula& formula : c_formulas()) formulas.push_back(std::move(formula));
  return formulas;
}

}  // namespace heddle::emit_tests
