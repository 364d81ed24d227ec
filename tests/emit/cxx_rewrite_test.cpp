// The text of rewritten C++ kernels: what changes, that nothing else does, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rewriting.h"

namespace heddle::emit_tests {
namespace {

using testing::HasSubstr;

constexpr const char* kComments =
    "  // reverse: proved a permutation for every grid under 2^31 blocks\n"
    "  // tiles: assumed independent, not traced\n";
constexpr const char* kReverse =
    "  const int p0 = blockIdx.x;\n"
    "  const int g0 = gridDim.x;\n"
    "  const unsigned int tile = g0 - 1 - p0;\n";

std::string rewritten_cxx(const std::string& text, const proof::ProvenOrder& proven,
                          const std::string& function = {}) {
  return emit::KernelRewriter(kernel::Source::open("k.hip", text), function, {})
      .rewrite(proven, emit::AssumedIndependent{}, {});
}

std::string reversed(const std::string& text, int axes = 1) {
  return rewritten_cxx(text, proven_family("reverse", axes));
}

std::string refusal_cxx(const std::string& text) {
  return refusal_of(
      [&] { emit::KernelRewriter(kernel::Source::open("k.hip", text), "k", {}).refuse_unseen(); });
}

std::string kernel_with(const std::string& body) {
  return "__global__ void k(float* x, int n) {" + body + "}";
}

TEST(CxxRewrite, UsesTakeTheTile) {
  EXPECT_EQ(reversed("// a\n__global__ void k(float* x) {  // b\n  x[blockIdx.x] = blockIdx . x;\n"
                     "  x[hipBlockIdx_x] = gridDim.x;  // blockIdx.x\n}\nint main() { }\n"),
            std::string("// a\n__global__ void k(float* x) {  // b\n") + kComments + kReverse +
                "  x[tile] = tile;\n  x[tile] = gridDim.x;  // blockIdx.x\n}\nint main() { }\n");
}

TEST(CxxRewrite, OnOneLine) {
  EXPECT_EQ(
      reversed("__global__ void k(float* x) { x[blockIdx.x] = 0; }"),
      std::string("__global__ void k(float* x) {\n") + kComments + kReverse + "  x[tile] = 0; }");
}

TEST(CxxRewrite, KeepsMarginsAndLineEnds) {
  EXPECT_THAT(reversed("namespace a {\r\n\t__global__ void k(float* x)\r\n\t{\r\n\t\tx[blockIdx.x] "
                       "= 0;\r\n\t}\r\n}\r\n"),
              HasSubstr("\t{\r\n\t\t// reverse: proved a permutation for every grid under 2^31 "
                        "blocks\r\n\t\t// tiles: assumed independent, not traced\r\n\t\tconst int "
                        "p0 = blockIdx.x;\r\n"));
}

TEST(CxxRewrite, NamesAreNew) {
  const std::string text = reversed(
      "#define g0 7\n__device__ int p0;\n__global__ void k(float* tile) { tile[blockIdx.x] = 0; }");
  EXPECT_THAT(text, HasSubstr("const int p0_ = blockIdx.x;\n  const int g0_ = gridDim.x;\n"));
  EXPECT_THAT(text, HasSubstr("const unsigned int tile2 = g0_ - 1 - p0_;\n"));
  EXPECT_THAT(text, HasSubstr("tile[tile2] = 0;"));
}

TEST(CxxRewrite, BranchesAndAxes) {
  const std::string text = reversed(
      "__global__ void k(float* x) {\n#if A\n  x[blockIdx.y] = 0;\n#else\n  x[blockIdx.x +\n"
      "#if B\n 1\n#endif\n ] = 0;\n#endif\n}\n",
      2);
  EXPECT_THAT(text, HasSubstr("  x[tile_y] = 0;\n#else\n  x[tile_x +\n"));
  EXPECT_THAT(text, HasSubstr("const unsigned int tile_x = "));
  // What is not used has no name.
  EXPECT_THAT(reversed("__global__ void k(float* x) { x[blockIdx.y] = 0; }", 2),
              testing::Not(HasSubstr("tile_x")));
}

TEST(CxxRewrite, NamesOfTheOrder) {
  const auto proven = proven_formula("N - 1 - p0", "8", {"N=8"});
  EXPECT_THAT(rewritten_cxx("__global__ void k(float* x, int N) { x[blockIdx.x] = 0; }", proven),
              HasSubstr("const unsigned int tile = N - 1 - p0;"));
  EXPECT_THAT(
      rewritten_cxx("#define N 8\n__global__ void k(float* x) { x[blockIdx.x] = 0; }", proven),
      HasSubstr("tile = N - 1 - p0;"));
  for (const char* type : {"unsigned", "float", "int*", "T"})
    EXPECT_THAT(refusal_of([&] {
                  rewritten_cxx("__global__ void k(float* x, " + std::string(type) +
                                    " N) { x[blockIdx.x] = 0; }",
                                proven);
                }),
                HasSubstr("the order uses 'N', which is not an int"))
        << type;
}

TEST(CxxRewrite, ATitleCannotContinueItsComment) {
  const auto proven = proven_formula("p0 + 0 * 1  # a \\", "8");
  const std::string text =
      rewritten_cxx("__global__ void k(float* x) { x[blockIdx.x] = 0; }", proven);
  EXPECT_EQ(text.find('\\'), std::string::npos) << text;
}

TEST(CxxRewriteRefusal, BlocksAsAWhole) {
  EXPECT_EQ(refusal_cxx(kernel_with("auto b = blockIdx;")), "1:46: blockIdx is used as a whole");
  EXPECT_EQ(refusal_cxx(kernel_with("f(&blockIdx.x, blockIdx);")),
            "1:52: blockIdx is used as a whole");
  EXPECT_EQ(refusal_cxx(kernel_with("x[n] = ::blockIdx.x;")), "1:46: blockIdx is used as a whole");
  EXPECT_EQ(refusal_cxx(kernel_with("x[n] = 0;")), "1:17: the kernel k does not use blockIdx");
}

TEST(CxxRewriteRefusal, FunctionsAndMacros) {
  EXPECT_EQ(refusal_cxx("__device__ int f() { return blockIdx.x; }\n"
                        "__device__ int g() { return f(); }\n" +
                        kernel_with("x[blockIdx.x] = g();")),
            "1:29: f, which the kernel can call, uses the block's index");
  EXPECT_EQ(
      refusal_cxx("#define B blockIdx.x\n#define C (B + 1)\n" + kernel_with("x[blockIdx.x] = C;")),
      "3:53: the macro B holds the block's index");
  EXPECT_EQ(refusal_cxx("struct A { __device__ int operator()() { return blockIdx.x; } };\n" +
                        kernel_with("x[blockIdx.x] = A()();")),
            "1:49: an operator, which the kernel can call, uses the block's index");
  // Nothing of it is reached.
  EXPECT_EQ(refusal_cxx("#define B blockIdx.x\n__global__ void l(float* x) { x[B] = 0; }\n" +
                        kernel_with("x[blockIdx.x] = n;")),
            "nothing was refused");
}

TEST(CxxRewriteRefusal, OutOfReach) {
  EXPECT_EQ(refusal_cxx(kernel_with("auto f = [n](int i) { return blockIdx.x; }; x[f(1)] = 0;")),
            "1:66: the lambda does not capture the tile's index");
  EXPECT_EQ(refusal_cxx(kernel_with("auto f = [&](int i) { return blockIdx.x; }; x[f(1)] = 0;")),
            "nothing was refused");
  EXPECT_EQ(refusal_cxx(kernel_with("struct A { __device__ int f() { return blockIdx.x; } };")),
            "1:76: a local class cannot see the tile's index");
  EXPECT_EQ(refusal_cxx(kernel_with("x[cg::this_grid().block_rank()] = blockIdx.x;")),
            "1:43: this_grid gives the block's index by other means than blockIdx");
  EXPECT_EQ(refusal_cxx(kernel_with("asm(\"mov %0, %ctaid.x;\" : : : ); x[blockIdx.x] = 0;")),
            "1:41: this code gives the block's index by other means than blockIdx");
}

TEST(CxxRewriteRefusal, HeadsAndFiles) {
  EXPECT_THAT(refusal_cxx("#if A\n__global__ void k(float* x) {\n#else\n__global__ void k(int* x) "
                          "{\n#endif\n x[blockIdx.x] = 0; }"),
              HasSubstr("the kernel has several heads"));
  EXPECT_EQ(refusal_cxx("#include <vector>\n#include \"a.h\"\n" + kernel_with("x[blockIdx.x];")),
            "2:1: a file that is included is not read, and could use the block's index");
}

}  // namespace
}  // namespace heddle::emit_tests
