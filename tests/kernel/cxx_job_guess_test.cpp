// What of a file a kernel reaches, and what a first job for it says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "config/skeleton.h"
#include "kernel/cxx/host_values.h"
#include "kernel/cxx/reach.h"
#include "kernel/cxx/type_book.h"
#include "kernel/source.h"
#include "support/error.h"

namespace heddle::testing {
namespace {

using kernel::cxx::CxxSource;
using kernel::cxx::HostValues;
using kernel::cxx::Reach;
using kernel::cxx::TypeBook;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string reached(const std::string& text, const std::string& header = "") {
  const CxxSource source("k.cu", text);
  const CxxSource other("h.h", header);
  Reach reach({&source, &other});
  reach.follow(source.kernel("k"), {});
  return source.device_text(reach.cuts(0), reach.directives()) + "|" +
         other.device_text(reach.cuts(1), reach.directives());
}

TEST(CxxReach, FollowsNamesThroughFilesAndMacros) {
  const std::string text = reached(
      "#define SCALE(x) helper_a(x)\n"
      "struct Unused { Missing m; };\nstruct Used { int n; };\n"
      "using Alias = Used;\ntypedef Missing Other;\nenum { kFirst, kSecond };\n"
      "static_assert(sizeof(Missing) == 4);\n"
      "template __global__ void k2<int>(Missing);\n"
      "__global__ void k(Alias a, float* x) { x[kSecond] = SCALE(a.n); }\n"
      "__global__ void neighbour(Missing m) { m(); }\n",
      "__device__ float helper_a(float x) { return helper_b(x) + kTable[0]; }\n"
      "__device__ float helper_b(float x) { return x; }\n"
      "__device__ float helper_c(float x) { return missing(x); }\n"
      "__constant__ float kTable[4];\n__constant__ Missing kOther;\n"
      "__device__ Used operator+(Used a, Used b) { return a; }\n"
      "__device__ Unused operator-(Unused a, Unused b) { return a; }\n");
  for (const char* const kept : {"struct Used", "using Alias", "kFirst", "helper_a(float",
                                 "helper_b", "kTable[4]", "operator+", "void k("})
    EXPECT_THAT(text, HasSubstr(kept));
  for (const char* const gone : {"struct Unused", "Other", "neighbour", "helper_c", "kOther",
                                 "operator-", "static_assert", "k2<int>"})
    EXPECT_THAT(text, Not(HasSubstr(gone)));
}

TEST(CxxReach, KeepsOverloadsAndSpecialisationsTogether) {
  const std::string text = reached(
      "template <class T> struct Traits { };\ntemplate <> struct Traits<half> { int a; };\n"
      "namespace other { __device__ int f(double); }\n__device__ int f(float) { return 1; }\n"
      "__global__ void k(Traits<float> t, int* x) { x[0] = f(1.f); }\n");
  EXPECT_THAT(text,
              AllOf(HasSubstr("Traits<half>"), HasSubstr("f(double)"), HasSubstr("f(float)")));
}

TEST(CxxReach, MacrosOfHostFunctionsGo) {
  const std::string text = reached(
      "#define BIND(name) void run_##name(library::Tensor x) { const int n = x.size(); \\\n"
      "  name<<<1, n>>>(x.data()); }\n"
      "#define TWICE(name) __device__ int name##_twice(int x) { const int n = x; return 2 * n; }\n"
      "#define TABLE(name) const int name##_table[1] = {4};\n"
      "BIND(first)\nTWICE(one)\nTABLE(one)\nBIND(second)\n"
      "__global__ void k(int* x) { x[0] = one_twice(one_table[0]); }\n");
  EXPECT_THAT(text, AllOf(HasSubstr("TWICE(one)\n"), HasSubstr("TABLE(one)\n"),
                          Not(HasSubstr("BIND(first)")), Not(HasSubstr("BIND(second)"))));
}

/// Words of a macro's text are no names of what it declares: those are vSqr and its relatives.
TEST(CxxReach, MacrosOfFunctionsWithOtherMacrosGo) {
  const std::string text = reached(
      "#define UNARY(name, operation) template <class T> void v##name(int n, const T* a, T* y) { "
      "CHECK_GT(n, 0); for (int i = 0; i < n; ++i) { operation; } } \\\n"
      "  inline void vs##name(int n, const float* a, float* y) { v##name<float>(n, a, y); }\n"
      "#define CONSTANT(name) template <class T> struct name { int n; };\n"
      "UNARY(Sqr, y[i] = a[i] * a[i])\nUNARY(Exp, y[i] = exp(a[i]))\nCONSTANT(Four)\n"
      "__global__ void k(const int* a, int* y) { int i = 0, n = 1; Four<int> f{4};\n"
      "  y[i] = a[i] * n + f.n; }\n");
  EXPECT_THAT(text, AllOf(Not(HasSubstr("UNARY(Sqr")), Not(HasSubstr("UNARY(Exp")),
                          HasSubstr("CONSTANT(Four)")));
}

TEST(CxxReach, EveryPrefixOfAFileIsReadOrRefused) {
  const std::string text =
      "template <class T> struct A { T t; } a, *b;\ntypedef struct { int n; } B;\n"
      "enum class E : int { x, y };\nusing F = void (*)(int);\n"
      "__device__ int operator,(B, B);\n__global__ void k(B b, E e) { }\n";
  for (std::size_t end = 0; end < text.size(); ++end) {
    try {
      const CxxSource source("k.cu", text.substr(0, end));
      Reach reach({&source});
      if (!source.kernels().empty()) reach.follow(source.kernels().front(), {"A"});
      source.device_text(reach.cuts(0));
    } catch (const Error&) {
      continue;
    }
  }
}

/// The value of the last expression of a file, which stands between @ signs' places: `R(...);`.
std::string host_value(const std::string& before, const std::string& expression) {
  const CxxSource source("h.cu", before + "\nint r = " + expression + ";");
  const auto& tokens = source.tokens();
  std::size_t begin = tokens.size() - 1;
  while (tokens[begin].text != "=" || tokens[begin - 1].text != "r") --begin;
  HostValues values(source, {"n"});
  const auto value = values.value({begin + 1, tokens.size() - 2}, begin);
  if (!value) return "nothing";
  std::string text = value->text + " = " + std::to_string(static_cast<std::int64_t>(value->number));
  for (const auto& [name, guess] : values.sizes())
    text += ", " + name + " " + std::to_string(guess);
  return text;
}

TEST(CxxHostValues, Arithmetic) {
  EXPECT_EQ(host_value("", "(4 + 3) / 2 * 2"), "((4 + 3) // 2) * 2 = 6");
  EXPECT_EQ(host_value("#define TILE (32)\n", "CEIL_DIV(N, TILE)"), "cdiv(N, 32) = 8, N 256");
  EXPECT_EQ(host_value("const int b = 1 << 7;", "(M + b - 1) / b"),
            "((M + (1 << 7)) - 1) // (1 << 7) = 2, M 256");
  EXPECT_EQ(host_value("int rows = 1000000;", "static_cast<int>(rows) * sizeof(double)"),
            "rows * 8 = 8192, rows 1024");
  EXPECT_EQ(host_value("", "std::min((int)n, 7)"), "min(host_n, 7) = 7, host_n 256");
  EXPECT_EQ(host_value("", "2 * library::WARP_THREADS"), "2 * WARP_THREADS = 64, WARP_THREADS 32");
  EXPECT_EQ(host_value("int per = w / (64 / 2);", "(n + per - 1) / per"),
            "((host_n + (w // (64 // 2))) - 1) // (w // (64 // 2)) = 32, host_n 256, w 256");
  EXPECT_EQ(host_value("", "8 * -(3 - 5)"), "8 * -(3 - 5) = 16");
  EXPECT_EQ(host_value("", "f(x)"), "nothing");
  EXPECT_EQ(host_value("", "x.size()"), "nothing");
  EXPECT_EQ(host_value("", "1 / 0"), "nothing");
}

TEST(CxxHostValues, CirclesAndTowersEnd) {
  EXPECT_EQ(host_value("int a = b + b; int b = a + a;", "a + b").substr(0, 1) != "", true);
  std::string tower = "int a0 = 1;";
  for (int i = 1; i < 60; ++i)
    tower += " int a" + std::to_string(i) + " = a" + std::to_string(i - 1) + " + a" +
             std::to_string(i - 1) + ";";
  EXPECT_LT(host_value(tower, "a59").size(), 100'000U);
  std::string endless;
  for (int i = 0; i < 20'000; ++i) endless += "int n = 1 + m + ";
  EXPECT_EQ(host_value(endless + "1;", "n + k"), "((1 + m) + 1) + k = 514, m 256, k 256");
}

TEST(CxxTypeBook, MembersOfStructs) {
  const CxxSource source("k.cu",
                         "typedef unsigned short bits_t;\nenum Mode { a, b };\n"
                         "struct Inner { bits_t *p, q; Pair<float, int> no; float2 v; };\n"
                         "using Alias = Inner;\n"
                         "template <class T> struct P { Alias in; static int s; T* t; T u;\n"
                         "  int ne[2]; Mode m; void f(); struct Nested { int no; }; };\n"
                         "__global__ void k(P<float> p, dim3 d, Mode m) {}\n");
  const TypeBook types(source);
  std::string text;
  const std::function<void(const std::vector<config::SkeletonParameter>&, const std::string&)> add =
      [&](const auto& members, const std::string& of) {
        for (const auto& one : members) {
          if (one.members.empty()) text += of + one.name + ":" + one.dtype + " ";
          add(one.members, of + one.name + ".");
        }
      };
  add(types.members("const P<float>"), "");
  EXPECT_EQ(text,
            "in.p:uint16 in.q:uint16 in.v.x:fp32 in.v.y:fp32 t:fp32 ne[0]:int32 ne[1]:int32 m: ");
  EXPECT_TRUE(types.is_enum("const Mode"));
  EXPECT_EQ(types.members("dim3").size(), 3U);
  EXPECT_TRUE(types.members("Nobody").empty());
}

std::string job_of(const std::string& text, const std::string& function) {
  config::SkeletonInput input =
      kernel::Source::open("folder-that-is-not-there/k.cu", text)->signature(function);
  return config::job_skeleton(input);
}

TEST(CxxJobGuess, TakesTheLaunchOfTheHostCode) {
  const std::string job = job_of(
      "#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))\n"
      "template <int TILE, typename T> __global__ void gemm(int M, int N, const T* A, T* C,\n"
      "    const int* index, float alpha, unsigned* done) {}\n"
      "void run(float* dA, float* dC, int* di, int m, int n) {\n"
      "  cudaMalloc((void**)&dC, sizeof(float) * m * n);\n"
      "  dim3 grid(CEIL_DIV(n, 32), CEIL_DIV(m, 32));\n  dim3 block = dim3(32, 8);\n"
      "  gemm<32, double><<<grid, block, 4 * 32 * sizeof(float)>>>(m, n, dA, dC, di, 0.5f, "
      "0);\n}\n",
      "gemm");
  for (const char* const line :
       {"function = \"gemm<32, double>\"",
        "grid = [\"cdiv(N, 32)\", \"cdiv(M, 32)\"]  # k.cu, line 8", "threads = [32, 8]",
        "shared_bytes = \"(4 * 32) * 4\"", "M = 256", "N = 256", "alpha = 0.5",
        "shape = [\"M * N\"]", "contents = \"uniform(0, 64)\"", "contents = \"zeros\""})
    EXPECT_THAT(job, HasSubstr(line));
}

TEST(CxxJobGuess, WithoutALaunchTheAxesCount) {
  EXPECT_THAT(job_of("__global__ void k(int* x) { x[threadIdx.y] = blockIdx.z; }", "k"),
              AllOf(HasSubstr("grid = [8, 8, 4]  # guess"), HasSubstr("threads = [16, 16]")));
}

TEST(CxxJobGuess, FunctorsAreGiven) {
  EXPECT_THAT(
      job_of("template <int N, class F> __global__ void k(float* x, F op) { op(x[0]); }", "k"),
      AllOf(HasSubstr("k<64, heddle_device::Plus>"), HasSubstr("op = {}")));
}

TEST(CxxJobGuess, TemplateArgumentsComeThroughTheTemplatesThatLaunch) {
  EXPECT_THAT(
      job_of(
          "enum Mode { kAdd, kTimes };\ntypedef float (*Op)(float);\n"
          "__device__ float half_of(float x) { return x / 2; }\n"
          "template <Op op, int N, class T, Mode mode, bool fast = false>\n"
          "__global__ void k(T* x) { x[0] = op(N); }\n"
          "template <Op f, int M, class T> void inner(T* x) { k<f, M, T, kTimes><<<4, 32>>>(x); }\n"
          "template <class T, int M> void outer(T* x) { inner<half_of, M, T>(x); }\n"
          "void host(double* x) { outer<double, 1 << 4>(x); }\n",
          "k"),
      AllOf(HasSubstr("k<half_of, 16, double, kTimes, false>"), HasSubstr("grid = [4]")));
  EXPECT_THAT(
      job_of("enum class Mode { add, times };\ntemplate <Mode mode> __global__ void k(int* x) {}",
             "k"),
      HasSubstr("k<Mode::add>"));
  EXPECT_THAT(
      job_of("template <class T, int DATA_TYPE, class U = T> __global__ void k(U* x) {}", "k"),
      HasSubstr("k<float, 1, float>"));
}

/// A struct that knows its launch, templates of members, and members that have a value.
TEST(CxxJobGuess, StructsThatKnowTheirLaunch) {
  EXPECT_THAT(
      job_of(
          "#define WAVES 2\n#define THREADS (WAVES * 32)\n"
          "struct Extent { size_t v; };\n"
          "template <class T, int n> struct Layout { using U = T; U* raw; Extent rows_batch; };\n"
          "struct G { using In = Layout<__hip_bfloat16, -1>; In in; const int per = 4;\n"
          "  dim3 grid() { return dim3(8, 2); }\n  dim3 block() const { return dim3(THREADS); } "
          "};\n"
          "__global__ void k(const G g) {}\n"
          "void host(G g) { k<<<g.grid(), g.block(), g.bytes()>>>(g); }\n",
          "k"),
      AllOf(HasSubstr("grid = [8, 2]"), HasSubstr("g.per = 4"), HasSubstr("dtype = \"bf16\""),
            HasSubstr("[tensors.g.in.raw]"), HasSubstr("g.in.rows_batch.v = 4"),
            HasSubstr("threads = [\"2 * 32\"]")));
}

/// `extern __shared__` needs bytes.
TEST(CxxJobGuess, DynamicSharedMemory) {
  EXPECT_THAT(
      job_of("__global__ void k(int* x) { extern __shared__ int parts[]; parts[0] = *x; }", "k"),
      HasSubstr("shared_bytes = \"49152\""));
}

TEST(CxxJobGuess, StructsAreMembers) {
  EXPECT_THAT(job_of("struct P { int n; float* x; int ne[2]; };\n"
                     "struct Plus {};\n__global__ void k(P p, uint3 d, Plus op) {}",
                     "k"),
              AllOf(HasSubstr("[tensors.p.x]"), HasSubstr("p.n = 256"), HasSubstr("p.\"ne[1]\" = "),
                    HasSubstr("d.z = 1"), HasSubstr("op = {}")));
}

}  // namespace
}  // namespace heddle::testing
