// Honest changes of C++ kernels beside cheats that use the same construct: the first are never
// REFUTED, the second never PROVED.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/cxx_comparing.h"

namespace heddle::audit_tests {
namespace {

using testing::HasSubstr;

const std::string kBefore = kernel_of(kRow + kStore);

void expect(Verdict verdict, const std::string& before, const std::string& after,
            const Settings& settings = {}) {
  const Judged judged = judge(before, after, settings);
  EXPECT_EQ(judged.code.verdict, verdict) << after << judged.why();
}
void expect_proved(const std::string& index, const std::string& head = "") {
  expect(Verdict::proved, kBefore, kernel_of(index + kStore, head));
}
void expect_unknown(const std::string& index, const std::string& head = "") {
  expect(Verdict::unknown, kBefore, kernel_of(index + kStore, head));
}

TEST(CxxHonest, VariablesThatAConditionChooses) {
  expect_proved(
      "  const unsigned a = blockIdx.x & 1u;\n  const unsigned b = gridDim.x >> 1;\n"
      "  const int row = (a < b ? a : b) * b + blockIdx.x / 2;\n");
  // As a target, it is no read.
  expect_cheat(kBefore, kernel_of("  int row = blockIdx.x;\n  int other = row;\n"
                                  "  (n > 4 ? row : other) = 0;\n" +
                                  kStore));
  expect_cheat(kBefore, kernel_of("  int row = 11 - blockIdx.x;\n  int other = row;\n"
                                  "  int& alias = n > 4 ? row : other;\n  alias = 3;\n" +
                                  kStore));
}

TEST(CxxHonest, Braces) {
  expect_proved("  const int id{(int)blockIdx.x};\n  const int row{11 - id};\n");
  expect_proved("  const int none{};\n  const int row = int{none} + 11 - blockIdx.x;\n");
  // Numbers that other blocks get.
  expect_cheat(kBefore, kernel_of("  const int row{(signed char)(blockIdx.x * 100)};\n" + kStore));
  expect_cheat(kBefore, kernel_of("  const int row{};\n" + kStore));
}

TEST(CxxHonest, Enumerators) {
  const std::string index = "  const int row = kLast - (int)blockIdx.x;\n";
  expect_proved(index, "enum { kLast = 11 };\n");
  expect_proved(index, "enum Size : unsigned char { kLast = 11, kOther = 2 };\n");
  expect_proved("  const int row = static_cast<int>(Size::kLast) - (int)blockIdx.x;\n",
                "enum class Size : long { kLast = 11 };\n");
  expect_unknown(index, "enum { kFirst = 10, kLast };\n");
  expect_unknown(index, "enum { kLast = sizeof(int) + 7 };\n");
  // One that work, or host code, has too.
  const std::string work = "  x[row * 64 + threadIdx.x] = kLast * n;\n";
  expect_cheat(kernel_of(kRow + work, "enum { kLast = 11 };\n"),
               kernel_of(kRow + work, "enum { kLast = 12 };\n"));
  const std::string host = "int rows() { return kLast; }\n";
  expect_cheat(kernel_of(kRow + kStore, "enum { kLast = 11 };\n") + host,
               kernel_of(kRow + kStore, "enum { kLast = 12 };\n") + host);
  const std::string of_type = "int size = sizeof(Size);\n";
  expect_cheat(kernel_of(kRow + kStore, "enum Size : int { kLast = 11 };\n") + of_type,
               kernel_of(kRow + kStore, "enum Size : char { kLast = 11 };\n") + of_type);
  expect_cheat(kBefore, kernel_of("  const int row = Size::kLast - blockIdx.x;\n" + kStore,
                                  "enum Size { kLast = 11 };\n"
                                  "__device__ int operator-(Size, unsigned) { return 0; }\n"));
}

TEST(CxxHonest, Switches) {
  const auto body = [](const std::string& cases) {
    return "  const int id = blockIdx.x;\n  int row = 0;\n  switch (id % 3) {\n" + cases + "  }\n";
  };
  expect_proved(
      body("    case 0:\n      row = id + 2;\n      break;\n"
           "    case 1: row = id; break;\n    default: row = id - 2;\n"));
  expect_proved(
      body("    case 2:\n      row = -2;\n    default:\n      row += id;\n      break;\n"
           "    case 0: row = id + 2;\n"));
  // Without a break, the next one runs, too.
  expect_cheat(kBefore, kernel_of(body("    case 0:\n      row = id + 2;\n    case 1: row = id; "
                                       "break;\n    default: row = id - 2;\n") +
                                  kStore));
  // No case is met.
  expect_cheat(kBefore, kernel_of(body("    case 0: row = id; break;\n") + kStore));
  expect_cheat(kBefore, kernel_of(body("    case 0: { x[0] = 1; row = id; break; }\n"
                                       "    default: row = id;\n") +
                                  kStore));
  // A break in a switch is not the loop's.
  expect_proved(
      "  int row = blockIdx.x;\n  for (int i = 0; i < 2; ++i) {\n    switch (i) {\n"
      "      case 0: row = 11 - row; break;\n      default: break;\n    }\n  }\n");
  expect_unknown("  int row = blockIdx.x;\n  switch (n) { case 4 ... 6: row = 11 - row; }\n");
}

TEST(CxxHonest, ResultsByReference) {
  const std::string split =
      "__device__ void split(int id, int n, int& a, int& b) {\n  a = id % n;\n  b = id / n;\n}\n";
  expect_proved("  int a, b;\n  split(blockIdx.x, 3, a, b);\n  const int row = a * 4 + b;\n",
                split);
  expect_proved("  int b;\n  const int a = split(blockIdx.x, b);\n  const int row = a * 4 + b;\n",
                "__device__ int split(int id, int& b) {\n  b = id / 3;\n  return id % 3;\n}\n");
  expect_proved("  int row = 3;\n  turn(row);\n",
                "__device__ void swap_of(int& p, int q) { p = 11 - q; }\n"
                "__device__ void turn(int& p) { swap_of(p, blockIdx.x); return; }\n");
  // Two references to one variable: the last write stays.
  const std::string twice = "  int a = 0, row = 0;\n  split(blockIdx.x, 3, row, row);\n";
  expect_cheat(kBefore, kernel_of(twice + kStore, split));
  expect_proved("  int row;\n  both(blockIdx.x, row, row);\n",
                "__device__ void both(int id, int& a, int& b) { a = 5; b = 11 - id; }\n");
  // A variable that was never set, one that work writes so, and writes within an expression.
  expect_cheat(kBefore,
               kernel_of("  int row, a;\n  keep(blockIdx.x, row);\n" + kStore,
                         "__device__ void keep(int id, int& a) { if (id > 3) a = id; }\n"));
  const std::string step = "__device__ int step(int& a) { a = a + 1; return a; }\n";
  expect_cheat(kernel_of("  int row = blockIdx.x;\n" + kStore, step),
               kernel_of("  int row = blockIdx.x;\n  x[step(row)] = n;\n" + kStore, step));
  expect_cheat(kernel_of("  int row = blockIdx.x;\n  if (x[0] > 1) step(row);\n" + kStore, step),
               kernel_of("  int row = blockIdx.x;\n  if (x[0] > 1) step(row);\n"
                         "  row = blockIdx.x;\n" +
                             kStore,
                         step));
  expect_cheat(
      kernel_of("  step(n);\n" + kRow + kStore, step),
      kernel_of("  step(n);\n  const int row = n == 5 ? blockIdx.x : 0;\n" + kStore, step));
  expect_unknown("  int a = blockIdx.x;\n  const int row = 0 * step(a) + a - 1;\n", step);
  // It writes more than that.
  expect_cheat(kBefore, kernel_of("  int row;\n  split(blockIdx.x, row, x);\n" + kStore,
                                  "__device__ void split(int id, int& a, float* x) {\n"
                                  "  a = id;\n  x[0] = 1;\n}\n"));
  expect_cheat(kBefore, kernel_of("  int row;\n  split(blockIdx.x, row, n);\n" + kStore,
                                  "__device__ void split(int id, int& a, int& n) {\n"
                                  "  a = id;\n  n = 3;\n}\n"));
  expect_cheat(kBefore,
               kernel_of("  int row;\n  split(blockIdx.x, row);\n" + kStore,
                         "__device__ int last;\n"
                         "__device__ void split(int id, int& a) {\n  a = id;\n  last = id;\n}\n"));
}

TEST(CxxHonest, Namespaces) {
  const std::string space =
      "namespace swizzle {\nconstexpr int last = 11;\n"
      "__device__ int turn(int p) { return last - p; }\n}\n";
  expect_proved("  const int row = swizzle::turn(blockIdx.x);\n", space);
  // Names that unchanged code has, too.
  const std::string host = "int rows() { return swizzle::last; }\n";
  expect_cheat(kBefore + host,
               kernel_of("  const int row = swizzle::turn(blockIdx.x);\n" + kStore, space) + host);
  expect_cheat(
      kernel_of(kRow + "  x[row * 64 + threadIdx.x] = w::scale(n);\n",
                "namespace w { __device__ int scale(int a) { return a; } }\n"
                "namespace k2 {\n") +
          "}\n",
      kernel_of(kRow + "  x[row * 64 + threadIdx.x] = w::scale(n);\n",
                "namespace w { __device__ int scale(int a) { return a; } }\n"
                "namespace k2 {\nnamespace w { __device__ int scale(int a) { return 0; } }\n") +
          "}\n");
  expect_unknown("  const int row = 11 - blockIdx.x;\n", "namespace w { int g; }\n");
  expect_cheat(kBefore, kernel_of("  const int row = 11 - blockIdx.x;\n" + kStore,
                                  "namespace {\n__device__ int n = 3;\n}\n"));
}

TEST(CxxHonest, Macros) {
  expect_proved("  const int row = LAST(1) - blockIdx.x;\n", "#define LAST(a) ((a) * 10 + 1)\n");
  expect_proved("  const int row = LAST - blockIdx.x;\n", "#define LAST (12u - 1)\n");
  expect_unknown("  const int row = LAST - blockIdx.x;\n",
                 "#ifndef LAST\n#define LAST 11\n#endif\n");
  // Between two uses, it becomes another; it writes; it hides a name that others use.
  expect_cheat(kBefore, kernel_of("  const int a = LAST;\n#undef LAST\n#define LAST 11\n"
                                  "  const int row = LAST - blockIdx.x;\n" +
                                      kStore,
                                  "#define LAST 3\n"));
  expect_cheat(kBefore, kernel_of("  const int row = LAST(n) - blockIdx.x;\n" + kStore,
                                  "#define LAST(a) ((a)++ + 6)\n"));
  expect_cheat(kBefore, kernel_of("  const int row = LAST(11) - blockIdx.x;\n" + kStore,
                                  "#define LAST(a) (a * a / a + x[0] * 0)\n"));
  expect_cheat(kBefore,
               kernel_of("  const int row = 11 - blockIdx.x;\n" + kStore, "#define n(a) 3\n"));
  const std::string host = "int rows() { return LAST; }\n";
  expect_cheat(
      kernel_of("  const int row = LAST - blockIdx.x;\n" + kStore, "#define LAST 11\n") + host,
      kernel_of("  const int row = 22 - LAST - blockIdx.x;\n" + kStore, "#define LAST 12\n") +
          host);
}

TEST(CxxHonest, Includes) {
  expect_proved("  const uint32_t id = blockIdx.x;\n  const int row = 11u - id;\n");
  expect_proved("  const uint32_t id = blockIdx.x;\n  const int row = 11u - id;\n",
                "#include <cstdint>\n");
  expect_unknown("  const int row = 11 - blockIdx.x;\n", "#include <algorithm>\n");
  expect(Verdict::proved, kernel_of(kRow + "  __syncthreads();\n" + kStore),
         kernel_of("  const uint32_t id = blockIdx.x;\n  const int row = 11u - id;\n"
                   "  __syncthreads();\n" +
                       kStore,
                   "#include <cstdint>\n"));
  // Host code that knows a name of the header.
  const std::string host = "#ifdef INT32_MAX\nint rows() { return 1; }\n#endif\n";
  expect_cheat(
      kBefore + host,
      kernel_of("  const int row = 11 - blockIdx.x;\n" + kStore, "#include <cstdint>\n") + host);
  // A file beside the kernel that has the header's name.
  const fs::path work = work_folder(std::to_string(::getpid()));
  write_file(work / "shadow/cstdint", "#define x y\n");
  Settings folders;
  folders.folder_before = "plain";
  folders.folder_after = "shadow";
  expect_cheat(
      kBefore,
      kernel_of("  const int row = 11 - blockIdx.x;\n" + kStore, "#include <cstdint>\n#undef x\n"),
      folders);
}

TEST(CxxHonest, NewHeaders) {
  const fs::path work = work_folder(std::to_string(::getpid()));
  Settings folders;
  folders.folder_before = "old";
  folders.folder_after = "new";
  const std::string after =
      kernel_of("  const int row = turn(blockIdx.x);\n" + kStore, "#include \"turn.h\"\n");
  fs::create_directories(work / "old");
  const std::string helper = "__device__ int turn(int p) { return 11 - p; }\n";
  write_file(work / "new/turn.h", "#pragma once\n" + helper);
  expect(Verdict::proved, kBefore, after, folders);
  for (const std::string more : {"#define y 3\n", "__device__ int y;\n", "#include <algorithm>\n",
                                 "struct S { float a; };\n", "#pragma clang fp contract(off)\n"}) {
    write_file(work / "new/turn.h", more + helper);
    expect_cheat(kBefore, after, folders);
  }
  write_file(work / "new/turn.h", helper);
  const std::string asks = "#if __has_include(\"turn.h\")\nint rows() { return 1; }\n#endif\n";
  expect_cheat(kBefore + asks, after + asks, folders);
  // A name that host code has, too; a header that was there, with another helper.
  write_file(work / "new/turn.h", helper);
  const std::string host = "int turn(float p) { return 3; }\nint rows() { return turn(3); }\n";
  expect_cheat(kBefore + host, after + host, folders);
  write_file(work / "old/turn.h", "__device__ int turn(int p) { return p; }\n");
  expect(Verdict::proved, after, after, folders);
  write_file(work / "new/turn.h", helper + "__device__ float weight() { return 1; }\n");
  expect_cheat(after, after, folders);
}

TEST(CxxHonest, WhatIsNewAndNotRead) {
  const std::string last = "  const int row = 11 - blockIdx.x;\n";
  for (const std::string head :
       {"struct Tile { int x; float y; };\n", "int host() { return 1; }\n", "#define FAST 1\n",
        "__device__ float f(float* p) { return p[0]; }\n", "using Index = int;\n",
        "template <class T> __device__ T least(T a, T b) { return a < b ? a : b; }\n"})
    expect_unknown(last, head);
  const std::string tile = "struct Tile { int x; int y = 3; };\n";
  expect_unknown("  const Tile t = tile_of(blockIdx.x);\n  const int row = t.x;\n",
                 tile +
                     "__device__ Tile tile_of(int p) {\n  Tile t;\n  t.x = 11 - p;\n  t.y = 0;\n"
                     "  return t;\n}\n");
  expect_unknown("  const dim3 block = blockIdx;\n  const int row = 11 - block.x;\n");
  // Work that is new is certain to be another program.
  expect(Verdict::refuted, kBefore, kernel_of(last + "  x[0] = 1;\n" + kStore));
  expect(Verdict::refuted, kBefore, kernel_of(last + "  __syncthreads();\n" + kStore));
  // Operators and conversions of a struct.
  expect_cheat(kBefore,
               kernel_of("  const Tile t = Tile{(int)blockIdx.x};\n  const int row = t;\n" + kStore,
                         "struct Tile { int x; __device__ operator int() const { return 0; }"
                         " };\n"));
}

TEST(CxxHonest, OtherTypes) {
  const std::string loop =
      "  for (int r = threadIdx.y; r < 4; ++r) {\n    const int i = ROW * 4 + r;\n    x[i] = n;\n"
      "  }\n";
  const auto with = [&](const std::string& row) {
    return std::string(loop).replace(loop.find("ROW"), 3, row);
  };
  const std::string last = "  const int b = 11 - blockIdx.x;\n";
  expect(Verdict::proved, kernel_of(with("blockIdx.x")), kernel_of(last + with("b")));
  // The same bits, and the same number in brackets.
  const auto store = [](const std::string& row, const std::string& place) {
    return kernel_of(
        "  const unsigned u = blockIdx.x;\n  const int b = 11 - blockIdx.x;\n"
        "  const int t = threadIdx.x;\n  const int i = " +
        row + " * 64 + t;\n  x[i] = n;\n  x[" + place + "] = n;\n");
  };
  expect(Verdict::proved, store("u", "u"), store("b", "b"));
  expect_cheat(store("u", "u"), store("b", "b / 2"));
  expect_cheat(store("u", "u"), store("b", "u"));
  // Where the sign matters: quotients, wider numbers, comparisons.
  for (const std::string use : {"const long i = b * 64 + t;", "const int i = (b * 64 + t) / 3;",
                                "const float i = b * 64 + t;", "const int i = b * 64 + t < n;"}) {
    const auto body = [&](const std::string& row) {
      return kernel_of("  const int t = threadIdx.x;\n" + row + "  " + use + "\n  x[t] = i;\n");
    };
    const Judged judged = judge(body("  const unsigned b = blockIdx.x;\n"), body(last));
    EXPECT_EQ(judged.code.verdict, Verdict::unknown) << judged.why();
    EXPECT_THAT(judged.why(), HasSubstr("computes in other integer types"));
  }
}

TEST(CxxHonest, ResultsThroughPointers) {
  const std::string turn =
      "__device__ void turn(int p, int* __restrict__ row) { *row = 11 - p; }\n";
  expect_proved("  int row;\n  turn(blockIdx.x, &row);\n", turn);
  expect_proved("  int row;\n  turn(blockIdx.x, &row);\n",
                "__device__ void turn(int p, int* row) {\n  *row = p;\n  *row = 11 - *row;\n}\n");
  expect_cheat(kBefore,
               kernel_of("  int row;\n  turn(blockIdx.x, &row);\n" + kStore,
                         "__device__ void turn(int p, int* row) { *row = 11 - p / 2; }\n"));
  // Another place than the variable; one variable for both; work that hands it on.
  for (const std::string body : {"row[0] = 11 - p;", "*(row + 0) = 11 - p;", "row = nullptr;"})
    expect_cheat(kBefore, kernel_of("  int row;\n  turn(blockIdx.x, &row);\n" + kStore,
                                    "__device__ void turn(int p, int* row) { " + body + " }\n"));
  expect_cheat(kBefore, kernel_of("  int row;\n  turn(blockIdx.x, &row, &row);\n" + kStore,
                                  "__device__ void turn(int p, int* row, int* other) {\n"
                                  "  *row = 11 - p;\n  *other = 0;\n}\n"));
  const auto work = [&](const std::string& row) {
    return kernel_of("  int row = " + row + ";\n  x[threadIdx.x] = bump(&row);\n" + kStore,
                     "__device__ float bump(int* p) { *p += 1; return 0.5f; }\n");
  };
  expect_cheat(work("blockIdx.x"), work("0"));
}

TEST(CxxHonest, Guards) {
  expect_proved("  if (blockIdx.x >= 12) return;\n" + kRow);
  const std::string idle = "  __shared__ float part[64];\n  const int lane = threadIdx.x;\n" + kRow;
  expect(Verdict::proved, kernel_of(idle + kStore),
         kernel_of(idle + "  if (row > 11) {\n    return;\n  }\n" + kStore));
  const auto around = [](const std::string& condition) {
    return kernel_of(kRow + "  if (" + condition + ") {\n" + kStore + "  }\n");
  };
  expect(Verdict::proved, kBefore, around("row < 12"));
  // A tile that no block does then, threads that return, and what happens before.
  expect_cheat(kBefore, kernel_of(kRow + "  if (row >= 11) return;\n" + kStore));
  expect_cheat(kBefore, around("row < 11"));
  expect_cheat(kBefore, around("row < 12 && threadIdx.x < 63"));
  expect_cheat(kBefore, kernel_of(kRow + "  if (threadIdx.x > 62) return;\n" + kStore));
  expect_cheat(kBefore, kernel_of(kRow + kStore + "  if (row >= 11) return;\n" + kStore));
  expect_cheat(kernel_of(kRow + kStore + kStore),
               kernel_of(kRow + kStore + "  if (row >= 11) return;\n" + kStore));
}

TEST(CxxHonest, Groups) {
  const std::string pair = "struct Pair {\n  int a, b;\n};\n";
  const std::string turn = pair + "__device__ Pair turn(int i, int n) { return {n - 1 - i, i}; }\n";
  expect_proved("  const int row = turn(blockIdx.x, 12).a;\n", turn);
  expect_proved("  const auto [row, other] = turn(blockIdx.x, 12);\n", turn);
  expect_proved("  Pair at;\n  at.a = 11 - (int)blockIdx.x;\n  const int row = at.a;\n", pair);
  expect_proved("  const int2 at = make_int2(3, 11 - blockIdx.x);\n  const int row = at.y;\n");
  expect_proved("  const dim3 at(11 - blockIdx.x);\n  const int row = at.x * at.y;\n");
  // Numbers that other blocks get.
  expect_cheat(kBefore,
               kernel_of("  const int row = turn(blockIdx.x, 12).a / 2;\n" + kStore, turn));
  expect_cheat(kBefore,
               kernel_of("  Pair at;\n  at.a = 4;\n  const int row = at.b;\n" + kStore, pair));
  expect_cheat(
      kBefore,
      kernel_of("  const dim3 at(3, 11 - blockIdx.x);\n  const int row = at.z;\n" + kStore));
  // A group that work takes as a whole.
  const std::string sum = pair + "__device__ int sum(Pair p) { return p.a + p.b; }\n";
  const auto use = [&](const std::string& b) {
    return kernel_of(kRow + "  const Pair p = {(int)blockIdx.x, " + b + "};\n" + kStore +
                         "  x[row * 64 + threadIdx.x] += sum(p);\n",
                     sum);
  };
  expect_cheat(use("1"), use("2"));
}

TEST(CxxHonest, Lambdas) {
  expect_proved(
      "  const auto turn = [](int i, int n) { return n - 1 - i; };\n"
      "  const int row = turn(blockIdx.x, gridDim.x);\n");
  expect_cheat(kBefore, kernel_of("  const auto turn = [](int i, int n) { return n - i; };\n"
                                  "  const int row = turn(blockIdx.x, gridDim.x);\n" +
                                  kStore));
  // What it captures, by value when it is made and by reference when it is called.
  const std::string call = "  const int row = turn(blockIdx.x);\n";
  const std::string turn = "  const auto turn = [=](int p) { return last - p; };\n";
  expect_proved("  const int last = gridDim.x - 1;\n" + turn + call);
  expect_proved("  int last = gridDim.x - 1;\n" + turn + "  last = 0;\n" + call);
  expect_proved(
      "  int last = 0;\n  const auto turn = [&](int p) { return last - p; };\n"
      "  last = gridDim.x - 1;\n" +
      call);
  expect_proved(
      "  const int last = 6 + n;\n  const auto turn = [last, n](int p) {\n"
      "    return last + n - 5 - p;\n  };\n" +
      call);
  for (const std::string& index :
       {"  int last = 0;\n" + turn + "  last = gridDim.x - 1;\n",
        std::string("  int last = gridDim.x - 1;\n"
                    "  const auto turn = [&](int p) { return last - p; };\n  last = 12;\n"),
        std::string("  int last = gridDim.x;\n"
                    "  auto turn = [&](int p) { last = 11; return last - p; };\n"),
        std::string("  int last = 11;\n"
                    "  auto turn = [=](int p) mutable { return last-- - p; };\n"),
        std::string("  int last = 11;\n  const auto turn = [&](int p) {\n"
                    "    int& alias = last;\n    alias = 10;\n    return last - p;\n  };\n")})
    expect_cheat(kBefore, kernel_of(index + call + kStore));
  // One that work calls, too.
  const auto use = [](const std::string& value) {
    return kernel_of(kRow + "  const auto more = [](int i) { return i + " + value + "; };\n" +
                     "  const int other = more(blockIdx.x);\n" + kStore +
                     "  x[row * 64 + threadIdx.x] += more(threadIdx.x);\n");
  };
  expect_cheat(use("1"), use("2"));
}

}  // namespace
}  // namespace heddle::audit_tests
