// What is left of a C++ file for the device, and that any file is read or refused in time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "kernel/cxx/source.h"
#include "kernel/cxx_sample.h"
#include "support/text.h"

namespace heddle::testing {
namespace {

using kernel::cxx::CxxSource;
using ::testing::HasSubstr;
using ::testing::Not;

std::string device_text(const std::string& text) {
  return CxxSource("k.hip", text).device_text();
}

/// With each run of white space as one space.
std::string squeezed(const std::string& text) {
  std::string result;
  for (const char c : device_text(text)) {
    const bool is_space = c == ' ' || c == '\n';
    if (!is_space) result += c;
    if (is_space && !result.empty() && result.back() != ' ') result += ' ';
  }
  return std::string(trim(result));
}

TEST(CxxDeviceText, OfTheSample) {
  const std::string text = device_text(kCxxSample);
  for (const char* gone : {"main()", "argc", "sizes", "counter", "make(", "helper", "hipMalloc(&d",
                           "hipFree", "<<<", "hipLaunch", "pair_of_host", "run(T t)"})
    EXPECT_THAT(text, Not(HasSubstr(gone))) << gone;
  for (const char* kept : {"#include <vector>",
                           "#define CHECK(x)",
                           "} while (0)",
                           "using namespace std;",
                           "__constant__ float weights[64];",
                           "static __device__ float table[4] = {1, 2, 3, 4};",
                           "const int kTile = 1'000;",
                           "T* data = nullptr;",
                           "explicit Buffer(int n) ;",
                           "~Buffer() ;",
                           "operator[](int i) const { return data[i]; }",
                           "int width() { return 4; }",
                           "struct alignas(16) Pair { int a, b; }",
                           "enum class Mode",
                           "scale(float x, float by",
                           "constexpr int round_up(int n) { return",
                           "template <int B, typename T",
                           "__extern_shared__ T parts[] HEDDLE_DYNAMIC_NAME;",
                           "         __shared__ T other[B];",
                           "if constexpr (B > 4) { parts",
                           "extern \"C\" __global__ void fill",
                           "#ifdef FANCY\n",
                           "#else\n",
                           "#endif\n"})
    EXPECT_THAT(text, HasSubstr(kept)) << kept;
}

TEST(CxxDeviceText, KeepsLinesAndColumns) {
  const auto before = split_lines(kCxxSample);
  const std::string text = device_text(kCxxSample);
  const auto after = split_lines(text);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (after[i].find("HEDDLE_DYNAMIC_NAME") != std::string_view::npos) continue;
    ASSERT_EQ(before[i].size(), after[i].size()) << before[i];
    for (std::size_t k = 0; k < before[i].size(); ++k)
      EXPECT_TRUE(after[i][k] == before[i][k] || after[i][k] == ' ' || after[i][k] == ';');
  }
}

TEST(CxxDeviceText, Functions) {
  EXPECT_EQ(squeezed("void f(); int g(int); __device__ int h(int);"), "__device__ int h(int);");
  EXPECT_EQ(squeezed("template <class T> T f(T a) { return a; } struct A { A(); };"),
            "struct A { A(); };");
  EXPECT_EQ(squeezed("A::A(int n) : a{n}, b(n) { } A::~A() { } bool operator==(A a, A b) { }"), "");
  EXPECT_EQ(squeezed("__device__ bool operator()(A a, A b) { } struct A f(int n) { }"),
            "__device__ bool operator()(A a, A b) { }");
  EXPECT_EQ(squeezed("int f() try { } catch (...) { } catch (int) { } using A = int;"),
            "using A = int;");
  EXPECT_EQ(squeezed("template void f<float>(float); template __global__ void k<float>(float);"),
            "template __global__ void k<float>(float);");
  EXPECT_EQ(squeezed("MY_HOST_DEVICE int f() { } MY_API int g() { }"),
            "MY_HOST_DEVICE int f() { }");
  EXPECT_EQ(squeezed("#define FN __device__ inline\nFN int f() { } "),
            "#define FN __device__ inline FN int f() { }");
}

TEST(CxxDeviceText, VariablesAndTypes) {
  EXPECT_EQ(squeezed("int a; const int b = 2; __managed__ int c; auto f = [] { k<<<1, 1>>>(); };"),
            "const int b = 2; __managed__ int c;");
  EXPECT_EQ(squeezed("const auto f = [] { k<<<1, 1>>>(); }; typedef struct { int a; } A;"),
            "typedef struct { int a; } A;");
  EXPECT_EQ(squeezed("struct A { int a; } __attribute__((packed)); struct B { } b, c;"),
            "struct A { int a; } __attribute__((packed)); struct B { } ;");
  EXPECT_EQ(squeezed("template <class T> concept C = true; static_assert(sizeof(int) == 4);"),
            "template <class T> concept C = true; static_assert(sizeof(int) == 4);");
  EXPECT_EQ(squeezed("namespace fs = std::filesystem; std::vector<int> v{1, 2}; struct A;"),
            "namespace fs = std::filesystem; struct A;");
}

TEST(CxxDeviceText, Members) {
  EXPECT_EQ(squeezed("struct A : B<f(1)> { int a{1}; A(int n) : a(n), b{n} { x(); } "
                     "friend int f(A a) { return 1; } void (*p)(int); int b : 3; };"),
            "struct A : B<f(1)> { int a{1}; A(int n) ; friend int f(A a) ; void (*p)(int); "
            "int b : 3; };");
  EXPECT_EQ(squeezed("class A { public: __device__ int f() { return 1; } private: "
                     "template <class T> void g(T t) const noexcept(true) { k<<<1, 1>>>(t); } };"),
            "class A { public: __device__ int f() { return 1; } private: "
            "template <class T> void g(T t) const noexcept(true) ; };");
}

TEST(CxxDeviceText, Macros) {
  EXPECT_EQ(squeezed("BENCHMARK(a);\nTEST(a, b) { k<<<1, 1>>>(); }\nREGISTER(x)\nstruct A { };"),
            "struct A { };");
  EXPECT_EQ(squeezed("#define F(n) __device__ int n() { return 1; }\nF(a)\nF(b);"),
            "#define F(n) __device__ int n() { return 1; } F(a) F(b);");
}

TEST(CxxDeviceText, Branches) {
  // Both branches are whole: both lose their host function.
  EXPECT_EQ(squeezed("#if A\nint f() { }\n#else\nint f(int) { }\n#endif\n"), "#if A #else #endif");
  EXPECT_EQ(squeezed("int f() {\n#pragma omp parallel\n#define X 1\n#include \"a.inc\"\n}"),
            "#define X 1");
  EXPECT_EQ(squeezed("__global__ void k() {\n#if A\n if (x) {\n#else\n if (y) {\n#endif\n }\n}"),
            "__global__ void k() { #if A if (x) { #else if (y) { #endif } }");
}

TEST(CxxDeviceText, SharedMemory) {
  const std::string name = " HEDDLE_DYNAMIC_NAME";
  EXPECT_EQ(squeezed("__device__ void f() { extern __shared__ __align__(16) char a[]; }"),
            "__device__ void f() { __extern_shared__ __align__(16) char a[]" + name + "; }");
  EXPECT_EQ(squeezed("extern __shared__ float a[][4] __attribute__((aligned(16)));"),
            "__extern_shared__ float a[][4]" + name + " __attribute__((aligned(16)));");
  EXPECT_EQ(squeezed("__device__ void f() { __shared__ static int a[2], b; static int c; }"),
            "__device__ void f() { __shared__ int a[2], b; static int c; }");
}

/// Reads a text that may be anything; an Error must have a place.
void read_anything(const std::string& text) {
  try {
    const CxxSource source("k.hip", text);
    const std::string device = source.device_text();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'),
              std::count(device.begin(), device.end(), '\n'));
    for (const auto& one : source.kernels()) EXPECT_LT(one.body_begin, one.body_end);
  } catch (const Error& error) {
    EXPECT_EQ(error.source(), "k.hip");
    EXPECT_GT(error.position().line, 0);
    EXPECT_FALSE(error.hint().empty());
  }
}

TEST(CxxHostile, Mutations) {
  std::mt19937 random(1);
  const std::string pieces = "{}()[]<>;:,\"'#\\/*=\n \0aR";
  for (int round = 0; round < 3000; ++round) {
    std::string text = kCxxSample;
    for (int change = static_cast<int>(random() % 6); change >= 0; --change) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text.erase(at, 1 + random() % 40);
          break;
        case 1:
          text.insert(at, 1, pieces[random() % pieces.size()]);
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), random() % 60));
          break;
        default:
          text[at] = pieces[random() % pieces.size()];
      }
    }
    read_anything(text);
  }
  for (std::size_t length = 0; length < kCxxSample.size(); ++length)
    read_anything(kCxxSample.substr(0, length));
}

TEST(CxxHostile, RepeatedPieces) {
  const auto begin = std::chrono::steady_clock::now();
  for (const char* piece : {"{",
                            "(",
                            "namespace a {",
                            "#if A\n{\n#else\n",
                            "#if 0\n",
                            "__shared__ ",
                            "a[",
                            "a>(1)",
                            "template<int A>",
                            "template<",
                            "<",
                            ">",
                            "struct A {",
                            "operator ",
                            "A(x)\n",
                            "extern __shared__ a[",
                            "requires requires ",
                            "#define A __device__ A\n",
                            "k<<<",
                            "a:",
                            "A():a{1},",
                            "catch",
                            "void f()\n#if A\n{}\n#endif\n",
                            "\"a\"",
                            "=",
                            "enum "}) {
    std::string text;
    while (text.size() < 200'000) text += piece;
    read_anything(text);
    read_anything("__global__ void k(" + text);
    read_anything("#if A\n" + text + "\n#else\n;\n#endif\n__global__ void k() {}");
  }
  read_anything(std::string(100'000, '\0'));
  read_anything(std::string((2 << 20) - 1, '('));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
  EXPECT_THROW(CxxSource("k.hip", std::string((2 << 20) + 1, ' ')), Error);
}

}  // namespace
}  // namespace heddle::testing
