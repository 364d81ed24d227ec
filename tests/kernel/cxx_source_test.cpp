// Tokens, kernels and parameters of C++ files.
#include "kernel/cxx/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "kernel/cxx_sample.h"

namespace heddle::testing {
namespace {

using kernel::cxx::CxxFunction;
using kernel::cxx::CxxSource;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Strings = std::vector<std::string>;

Strings tokens_of(const std::string& text) {
  const CxxSource source("k.hip", text);
  Strings result;
  for (const auto& token : source.tokens()) result.emplace_back(token.text);
  return result;
}

std::string error_of(const std::string& text) {
  try {
    CxxSource("k.hip", text).device_text();
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

/// "name: type" of each parameter of the only kernel.
Strings parameters_of(const std::string& parameters) {
  const CxxSource source("k.hip", "__global__ void k(" + parameters + ") { }");
  Strings result;
  for (const auto& one : source.kernel("").parameters) result.push_back(one.name + ": " + one.type);
  return result;
}

TEST(CxxTokens, Words) {
  EXPECT_THAT(tokens_of("a<<<g,b>>>(1'000u, .5e-3f, 'x', '\\'', L\"s\", u8R\"x()\" )x\");"),
              ElementsAre("a", "<<<", "g", ",", "b", ">>>", "(", "1'000u", ",", ".5e-3f", ",",
                          "'x'", ",", "'\\''", ",", "L\"s\"", ",", "u8R\"x()\" )x\"", ")", ";"));
  EXPECT_THAT(tokens_of("a->b::c<=>d ... 0x1p+3"),
              ElementsAre("a", "->", "b", "::", "c", "<=>", "d", "...", "0x1p+3"));
  EXPECT_THAT(tokens_of("\xEF\xBB\xBF"
                        "a // b \\\n c\n /* d \n */ e \\\n f"),
              ElementsAre("a", "e", "f"));
}

TEST(CxxTokens, Directives) {
  EXPECT_THAT(tokens_of("  # define A(x) \\\n  x '{' // it's\nb #c"),
              ElementsAre("# define A(x) \\\n  x '{' // it's", "b", "#", "c"));
  EXPECT_THAT(tokens_of("/* a */ #if 0\n don't \"\n#if 1\n{\n#endif\n#else\nx\n#endif\ny"),
              ElementsAre("#if 0", "#else", "x", "#endif", "y"));
  EXPECT_THAT(tokens_of("#error don't\n#define S \"/*\"\nx"),
              ElementsAre("#error don't", "#define S \"/*\"", "x"));
}

TEST(CxxTokens, Places) {
  const CxxSource source("k.hip", "a\n  /* \n */ b\n\"x\\\ny\" c");
  ASSERT_EQ(source.tokens().size(), 4u);
  EXPECT_EQ(source.tokens()[1].position.line, 3);
  EXPECT_EQ(source.tokens()[1].position.column, 5);
  EXPECT_EQ(source.tokens()[1].offset, 12u);
  EXPECT_EQ(source.tokens()[3].position.line, 5);
  EXPECT_EQ(source.tokens()[3].position.column, 4);
}

TEST(CxxTokens, WhatIsNotClosedHasAPlace) {
  EXPECT_THAT(error_of("int a;\n  /* x"), HasSubstr("k.hip:2:3: the comment is not closed"));
  EXPECT_THAT(error_of("x = \"abc\ny"), HasSubstr("k.hip:1:5: the string is not closed"));
  EXPECT_THAT(error_of("'"), HasSubstr("k.hip:1:1: the character is not closed"));
  EXPECT_THAT(error_of("R\"x(abc)y\""), HasSubstr("k.hip:1:1: the raw string is not closed"));
  EXPECT_THAT(error_of("R\"abc"), HasSubstr("k.hip:1:1: the raw string has no '('"));
  EXPECT_THAT(error_of("void f() {\n"), HasSubstr("k.hip:1:10: '{' is not closed"));
  EXPECT_THAT(error_of("void f() { ( }\n"), HasSubstr("close the '(' of line 1 first"));
  EXPECT_THAT(error_of("}\n"), HasSubstr("k.hip:1:1: '}' closes nothing"));
  EXPECT_THAT(error_of("template <int A\nvoid f();"), HasSubstr("'<' is not closed"));
}

TEST(CxxKernels, OfTheSample) {
  const CxxSource source("sample.hip", kCxxSample);
  ASSERT_EQ(source.kernels().size(), 2u);
  const CxxFunction& scan = source.kernel("kernels::scan<4, float>");
  EXPECT_EQ(scan.name, "scan");
  EXPECT_EQ(scan.scope, "kernels::");
  EXPECT_THAT(scan.template_parameters, ElementsAre("int B", "typename T"));
  ASSERT_EQ(scan.parameters.size(), 3u);
  EXPECT_EQ(scan.parameters[0].type, "const T* __restrict__");
  EXPECT_EQ(scan.parameters[1].name, "n");
  EXPECT_EQ(scan.parameters[2].name, "f");
  EXPECT_EQ(source.tokens()[scan.begin].text, "template");
  EXPECT_EQ(source.tokens()[scan.body_begin].text, "{");
  EXPECT_EQ(source.tokens()[scan.body_end].text, "}");
  EXPECT_EQ(&source.kernel("scan"), &scan);
  EXPECT_EQ(&source.kernel("::kernels::scan"), &scan);
  EXPECT_EQ(source.kernel("fill").scope, "");
  EXPECT_THAT(source.kernel("fill").template_parameters, IsEmpty());
}

TEST(CxxKernels, Parameters) {
  EXPECT_THAT(parameters_of(""), IsEmpty());
  EXPECT_THAT(parameters_of("void"), IsEmpty());
  EXPECT_THAT(parameters_of("const float *a, unsigned n, long long int, const T"),
              ElementsAre("a: const float *", "n: unsigned", ": long long int", ": const T"));
  EXPECT_THAT(parameters_of("std::pair<int, float> p, float (&a)[4], float b[], int n = f(1, 2)"),
              ElementsAre("p: std::pair<int, float>", "a: float (&)[4]", "b: float[]", "n: int"));
  EXPECT_THAT(parameters_of("[[maybe_unused]] int n, struct P p, typename T::type, Args... rest"),
              ElementsAre("n: int", "p: struct P", ": typename T::type", "rest: Args..."));
  EXPECT_THAT(parameters_of("\n#ifdef A\n float* a,\n#else\n double* a,\n#endif\n int /* x */ n"),
              ElementsAre("a: float*", "n: int"));
}

TEST(CxxKernels, Forms) {
  const auto names = [](const std::string& text) {
    const CxxSource source("k.cu", text);
    Strings result;
    for (const CxxFunction& one : source.kernels()) result.push_back(one.scope + one.name);
    return result;
  };
  EXPECT_THAT(names("__global__ void a(int); __global__ void b() {}"), ElementsAre("b"));
  EXPECT_THAT(names("static inline __launch_bounds__(64) __global__ void b() {}"),
              ElementsAre("b"));
  EXPECT_THAT(names("extern \"C\" { namespace a::b { [[gnu::used]] __global__ void c() {} } }"),
              ElementsAre("a::b::c"));
  EXPECT_THAT(names("#define KERNEL extern \"C\" __global__ void\nKERNEL k(int n) { }"),
              ElementsAre("k"));
  EXPECT_THAT(names("template <int N> __global__ void k() {} "
                    "template <> __global__ void k<4>() {} "
                    "template __global__ void k<8>();"),
              ElementsAre("k", "k<4>"));
  EXPECT_THAT(names("__global__ auto k() -> void {} __attribute__((x(1))) __global__ void "
                    "__attribute__((y(2))) l(int a) {}"),
              ElementsAre("k", "l"));
  EXPECT_THAT(names("#define MAKE(name, op) __global__ void name##_all(int* x) { *x op 1; }\n"
                    "#define HEAD(name) template <int N> __global__ void name(int* x)\n"
                    "#define ONLY(name) __global__ void name\nONLY(one)(int* x) { *x = 1; }\n"
                    "namespace a { MAKE(add, +=)\nMAKE(sub, -=);\nHEAD(fill) { *x = N; } }\n"),
              ElementsAre("one", "a::add_all", "a::sub_all", "a::fill"));
  EXPECT_THAT(names("namespace a { template <class T> struct V { static __global__ void k(T) {} };"
                    " class W { __global__ static void k(int) {} void h() {} }; }"),
              ElementsAre("a::V<>::k", "a::W::k"));
  EXPECT_THAT(
      names("#ifdef A\nextern \"C\" {\n#endif\n__global__ void k() {}\n#ifdef A\n}\n#endif"),
      ElementsAre("k"));
  EXPECT_THAT(names("#if 0\n__global__ void a() {\n#else\n__global__ void b() {\n#endif\n}"),
              ElementsAre("b"));
}

TEST(CxxKernels, WhatIsAskedForAndNotThere) {
  const auto error = [](const std::string& text, const std::string& asked) -> std::string {
    const CxxSource source("k.hip", text);
    try {
      source.kernel(asked);
    } catch (const Error& thrown) {
      return thrown.full_text();
    }
    return "no error";
  };
  const std::string two = "namespace a { __global__ void k() {} } __global__ void l() {}";
  EXPECT_EQ(
      error("int a;", ""),
      "k.hip: the file has no __global__ function\n  try: name the file that holds the kernel");
  EXPECT_EQ(error(two, ""), "k.hip: the file has several kernels\n  try: name one of: a::k l");
  EXPECT_EQ(error(two, "m"), "k.hip: the file has no kernel 'm'\n  try: use one of: a::k l");
  EXPECT_EQ(error(two, "k"), "no error");
  EXPECT_THAT(error("__global__ void k(int) {} __global__ void k(float) {}", "k"),
              HasSubstr("'k' could be any of 2 kernels\n  try: name one of: k(int), k(float)"));
  EXPECT_EQ(error("__global__ void k(int) {} __global__ void k(float) {}", "k( float )"),
            "no error");
  EXPECT_THAT(error("__global__ void k(int) {} __global__ void k(float) {}", "k(double)"),
              HasSubstr("no kernel 'k(double)'"));
  // Not told apart by a call: one, and a specialisation of the other.
  EXPECT_EQ(
      error("#ifdef A\n__global__ void k(const float* __restrict__ x, const int n) {}\n#else\n"
            "__global__ void k(const float*, int) {}\n#endif",
            "k"),
      "no error");
  EXPECT_EQ(error("template <class T> __global__ void k(T*) {}\n"
                  "template <> __global__ void k(char*) {}\n",
                  "k<int>"),
            "no error");
  EXPECT_EQ(error("template <class T> struct V { static __global__ void k(T*) {} };", "V<int>::k"),
            "no error");
  EXPECT_EQ(
      error("#ifdef A\n__global__ void k(int) {}\n#else\n__global__ void k(int) {}\n#endif", "k"),
      "no error");
}

TEST(CxxKernels, Paths) {
  for (const char* path : {"a.hip", "a.cu", "b/a.CPP", "a.cuh", "a.hpp", "a.cc"})
    EXPECT_TRUE(kernel::cxx::is_cxx_path(path)) << path;
  for (const char* path : {"a.py", "a", "hip", ".cu", "a.cu.py"})
    EXPECT_FALSE(kernel::cxx::is_cxx_path(path)) << path;
}

}  // namespace
}  // namespace heddle::testing
