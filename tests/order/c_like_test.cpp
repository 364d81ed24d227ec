// C-like texts: HIP, CUDA, OpenCL C, plain C++.
#include "order/testing.h"

namespace heddle::testing {
namespace {

TEST(CLike, LaunchNames) {
  EXPECT_EQ(value_at(c_like("int tile = blockIdx.x + 1;"), 4), 5);
  EXPECT_EQ(value_at(c_like("int tile = gridDim.x - blockIdx.x;"), 4), 96);
  EXPECT_EQ(value_at(c_like("int tile = hipBlockIdx_x + hipGridDim_x;"), 4), 104);
  EXPECT_EQ(value_at(c_like("size_t tile = get_group_id(0) + get_num_groups(0);"), 4), 104);
  EXPECT_EQ(values_at(c_like("int x = blockIdx.z; int y = blockIdx.y; int z = blockIdx.x;"), 23,
                      launch({2, 3, 4})),
            (std::vector<std::int64_t>{3, 2, 1}));
}

TEST(CLike, Operators) {
  EXPECT_EQ(value_at(c_like("int p = blockIdx.x; int tile = (p << 3 | 1) ^ 2 & ~p;"), 5),
            ((5 << 3 | 1) ^ (2 & ~5)));
  EXPECT_EQ(
      value_at(c_like("int p = blockIdx.x; int tile = p > 3 && p < 9 || !p ? p * 2 : p % 4;"), 5),
      10);
  EXPECT_EQ(
      value_at(c_like("int p = blockIdx.x; int tile = p > 3 && p < 9 || !p ? p * 2 : p % 4;"), 11),
      3);
  EXPECT_EQ(value_at(c_like("int p = blockIdx.x; int tile = p & 1 == 1;"), 2),
            0);  // C: == binds tighter than &
  EXPECT_EQ(
      value_at(c_like("int p = blockIdx.x; p += 3; p -= 1; p *= 4; p /= 3; p %= 7; p <<= 2; p >>= "
                      "1; p |= 8; p &= 13; p ^= 1; int tile = p; tile++; ++tile; tile--;"),
               5),
      [] {
        int p = 5;
        p += 3;
        p -= 1;
        p *= 4;
        p /= 3;
        p %= 7;
        p <<= 2;
        p >>= 1;
        p |= 8;
        p &= 13;
        p ^= 1;
        return p + 1;
      }());
  EXPECT_EQ(value_at(c_like("int p = blockIdx.x; int tile = min(p, 3) + max(p, 8) + abs(3 - p) + "
                            "std::min<int>(p, 2);"),
                     5),
            15);
}

TEST(CLike, BlockIdxIsUnsigned) {
  const Space space = launch({100});
  const Text text = c_like("unsigned x = blockIdx.x - 1; int tile = x > 50u ? 1 : 0;");
  EXPECT_EQ(value_at(text, 0), 1);
  EXPECT_EQ(value_at(text, 1), 0);
  EXPECT_EQ(value_at(c_like("int tile = blockIdx.x - 1 < 0;"), 0), 0);
  EXPECT_EQ(value_at(c_like("int p = blockIdx.x; int tile = p - 1 < 0;"), 0), 1);
  const order::Program program = text.program(space);
  order::Evaluator evaluator(program, space, {});
  evaluator.index_of(LaunchId{0});
  EXPECT_TRUE(evaluator.wrapped());
}

TEST(CLike, UsualArithmeticConversions) {
  EXPECT_EQ(value_at(c_like("int tile = -1 < 1u;")), 0);
  EXPECT_EQ(value_at(c_like("int tile = -1 < 1;")), 1);
  EXPECT_EQ(value_at(c_like("int tile = -1 < 1l;")), 1);
  EXPECT_EQ(value_at(c_like("int tile = -1l < 1u;")), 1);  // long holds every unsigned
  EXPECT_EQ(value_at(c_like("int tile = -1 < 1ul;")), 0);
  EXPECT_EQ(value_at(c_like("int tile = -1 < 0x1;")), 1);
  EXPECT_EQ(value_at(c_like("int tile = -1 < 0xffffffff;")), 0);  // does not fit int: unsigned
  EXPECT_EQ(value_at(c_like("int tile = -1 < 4294967295;")), 1);  // decimal: long
  EXPECT_EQ(value_at(c_like("int tile = (-7) / 2 * 10 + (-7) % 4;")), -33);
  EXPECT_EQ(value_at(c_like("long tile = 4000000000u / 2 * 3;")), 1705032704);  // wraps at 2^32
  EXPECT_EQ(value_at(c_like("long tile = 4000000000u / 2 * 3l;")), 6000000000);
  EXPECT_EQ(value_at(c_like("unsigned a = 1; int tile = (a << 31) > 0;")),
            1);  // a shift has its left type
  EXPECT_EQ(value_at(c_like("long one = 1; int n = 31; long tile = one << n;")), 2147483648);
  EXPECT_EQ(value_at(c_like("bool b = 7; int tile = b + b;")), 2);
}

TEST(CLike, TypesAndCasts) {
  EXPECT_EQ(value_at(c_like("int tile = (int)blockIdx.x - 5;"), 2), -3);
  EXPECT_EQ(value_at(c_like("int tile = static_cast<int>(blockIdx.x) - 5;"), 2), -3);
  EXPECT_EQ(value_at(c_like("int tile = int(blockIdx.x) - 5;"), 2), -3);
  EXPECT_EQ(value_at(c_like("const unsigned long long x = blockIdx.x; auto y = x; int64_t tile = y "
                            "* 3000000000;"),
                     2),
            6000000000);
  EXPECT_EQ(value_at(c_like("uint32_t x = -1; int64_t tile = x;")), 4294967295);
  EXPECT_EQ(value_at(c_like("int x{3}, y = 4; int tile = x * y;")), 12);
  EXPECT_EQ(value_at(c_like("int x = 1'000; int tile = x + 0x10 + 0b11;")), 1019);
}

// A type narrower than int cuts its values, or is refused; it is never an int in disguise.
TEST(CLike, NarrowTypesAreCutOrRefused) {
  for (const std::string text :
       {"unsigned char x = blockIdx.x; int tile = x;", "int tile = (unsigned char)blockIdx.x;",
        "char x = blockIdx.x; int tile = x & 0x1ff;"}) {
    try {
      EXPECT_NE(line_map(c_like(text), 512), counting(512)) << text;
    } catch (const Error&) {
    }
  }
  try {
    EXPECT_NE(line_map(c_like("short x = blockIdx.x; int tile = x;"), 40000), counting(40000));
  } catch (const Error&) {
  }
}

// A leading zero is octal in C.
TEST(CLike, OctalNumbers) {
  try {
    EXPECT_EQ(value_at(c_like("int tile = 010;")), 8);
  } catch (const Error&) {
  }
}

TEST(CLike, BranchesAndLoops) {
  const Text branches = c_like(
      "int tile; int p = blockIdx.x; if (p < 3) tile = 1; else if (p < 5) { tile = 2; } else tile "
      "= 3;");
  EXPECT_EQ(value_at(branches, 2), 1);
  EXPECT_EQ(value_at(branches, 4), 2);
  EXPECT_EQ(value_at(branches, 5), 3);
  EXPECT_EQ(
      value_at(c_like("int s = 0; for (int i = 0; i < (int)blockIdx.x; i++) s += i; int tile = s;"),
               5),
      10);
  EXPECT_EQ(value_at(c_like(
                "int s = 0; for (int i = 0, j = 9; i < j; ++i, --j) { s += j; } int tile = s;")),
            35);
  EXPECT_EQ(
      value_at(c_like("int x = blockIdx.x, n = 0; while (x > 1) { x >>= 1; n++; } int tile = n;"),
               37),
      5);
  EXPECT_EQ(line_map(c_like("int tile = blockIdx.x; if (tile >= 2) return; tile = 1 - tile;"), 4),
            (Map{1, 0, order::kIdle, order::kIdle}));
}

TEST(CLike, InnerDeclarationsEndWithTheirBlock) {
  EXPECT_EQ(value_at(c_like("int x = 1; { int x = 5; x = 6; } int tile = x;")), 1);
  EXPECT_EQ(value_at(c_like("int x = 1; if (blockIdx.x > 2) { int x = 5; x++; } int tile = x;"), 9),
            1);
  EXPECT_EQ(value_at(c_like("int x = 1; if (blockIdx.x > 2) { x = 5; } int tile = x;"), 9), 5);
  EXPECT_EQ(
      value_at(c_like("int i = 7; for (int i = 0; i < 3; i++) { int k = i; k++; } int tile = i;")),
      7);
  EXPECT_EQ(value_at(c_like("int x = 2; { x = 3; int x = 9; x = 4; } int tile = x;")), 3);
  EXPECT_TRUE(contains(error_of(c_like("{ int y = 5; } int tile = y;")).message(), "y"));
}

TEST(CLike, Functions) {
  const std::string helpers =
      "__device__ __forceinline__ int half(int x) { return x / 2; }\n"
      "static unsigned wrap(unsigned x, unsigned n = 4) { if (x >= n) return x - n; return x; }\n";
  EXPECT_EQ(value_at(c_like(helpers + "int tile = half(-7) + wrap(blockIdx.x);"), 6), -1);
  EXPECT_EQ(value_at(c_like(helpers + "int tile = wrap(blockIdx.x, 5);"), 6), 1);
  EXPECT_EQ(
      value_at(
          c_like(
              "unsigned less_one(int x) { return x - 1; } long tile = less_one((int)blockIdx.x);"),
          0),
      4294967295);
  EXPECT_EQ(
      value_at(c_like("__global__ void run(float* out, const int n) { int tile = blockIdx.x * n; }",
                      "n=3"),
               5),
      15);
  EXPECT_EQ(value_at(c_like("int remap(int pid) { return pid + 2; }"), 5), 7);
}

// `kernel` opens an OpenCL function, and is the commonest name of a CUDA one.
TEST(CLike, AFunctionMayBeCalledKernel) {
  EXPECT_EQ(
      value_at(c_like("kernel void run(__global int* out) { int tile = get_group_id(0) * 3; }"), 5),
      15);
  EXPECT_EQ(
      value_at(c_like("__global__ void kernel(float* out) { int tile = blockIdx.x * 3; }"), 5), 15);
}

TEST(CLike, OpenClQualifiersHaveNoUnderscores) {
  EXPECT_EQ(
      value_at(
          c_like(
              "kernel void run(global int* out, const uint n) { int tile = get_group_id(0) * 3; }",
              "n=1"),
          5),
      15);
}

// The parameters of the function that is the order have the types they are declared with.
TEST(CLike, EntryParametersKeepTheirTypes) {
  EXPECT_EQ(value_at(c_like("int remap(unsigned t) { return -1 < t ? 1 : 0; }"), 5), 0);
  EXPECT_EQ(value_at(c_like("int remap(int t) { return -1 < t ? 1 : 0; }"), 5), 1);
}

TEST(CLike, PreprocessorAndComments) {
  EXPECT_EQ(value_at(c_like("#include <x.h>\n#pragma once\n#define DIES 8 // dies\n/* a\n b */ int "
                            "tile = blockIdx.x / DIES; // end"),
                     17),
            2);
  EXPECT_EQ(value_at(c_like("#define N (4 * 2)\nint tile = N + 1;")), 9);
}

// A macro is text: 1 + 1 inside a product is not 2, and a switched-off part is not code.
TEST(CLike, MacrosAreTextOrRefused) {
  try {
    EXPECT_EQ(value_at(c_like("#define TWO 1 + 1\nint tile = blockIdx.x * TWO - blockIdx.x;"), 5),
              1);
  } catch (const Error&) {
  }
  try {
    EXPECT_EQ(value_at(c_like("int tile = blockIdx.x;\n#if 0\ntile = 0;\n#endif\n"), 5), 5);
  } catch (const Error&) {
  }
}

TEST(CLike, VectorsGiveAnIndex) {
  EXPECT_EQ(values_at(c_like("dim3 swap(int a, int b) { return dim3(b, a); } int x = 0, y = 0;"), 0,
                      launch({2, 2}))
                .size(),
            2U);
  EXPECT_EQ(
      values_at(c_like("int2 walk(int x, int y) { return make_int2(y, x); }"), 5, launch({3, 3})),
      (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(values_at(c_like("int2 walk(int x, int y) { return {y, x}; }"), 5, launch({3, 3})),
            (std::vector<std::int64_t>{1, 2}));
}

TEST(CLike, SignedOverflowFails) {
  EXPECT_EQ(value_at(c_like("int p = blockIdx.x; int tile = p + 2147483647 - 2147483647;"), 0), 0);
  EXPECT_EQ(value_at(c_like("int p = blockIdx.x; int tile = p + 2147483647 - 2147483647;"), 1),
            std::nullopt);
  EXPECT_EQ(value_at(c_like("unsigned p = blockIdx.x; unsigned tile = p + 4294967295u + 1u;"), 1),
            1);
}

}  // namespace
}  // namespace heddle::testing
