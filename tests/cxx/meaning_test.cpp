// What is left out of a kernel's files never changes what the rest means: either it is named by
// nothing that is left, or the kernel is refused. Results are compared with plain loops.
#include "subject.h"
#include "trace/independence.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kMeaningJob =
    "grid = [1]\n[tensors.x]\ndtype = \"fp32\"\nshape = [32]\ncontents = \"range\"\n"
    "[launch]\nthreads = 32\n";

/// Every header of a library that is not there.
constexpr const char* kLibrary = "#include <cublas_v2.h>\n";

class Meaning : public testing::Test {
 protected:
  void SetUp() override {
    HEDDLE_NEED_CLANG();
    for (const char* const folder : {"/project/src", "/project/include", "/project/.git"})
      fs::create_directories(folder_.path() + folder);
  }
  void write(const std::string& name, const std::string& text) {
    fs::create_directories(fs::path(folder_.path() + "/project/" + name).parent_path());
    folder_.write("project/" + name, text);
  }
  Subject load(const std::string& before, const std::string& value, const std::string& keys = "",
               const std::string& file = "k.cu") {
    write("src/" + file, before + "__global__ void k(float* x) { int i = threadIdx.x;\n  x[i] = " +
                             value + "; }\n");
    return test::load(
        folder_.write("project/src/job.toml",
                      "kernel = \"" + file + "\"\nfunction = \"k\"\n" + keys + kMeaningJob),
        {});
  }
  /// `value` is what the kernel makes of x[i], f what it has to be.
  void expect(const std::string& before, const std::string& value,
              const std::function<double(double)>& f, const std::string& keys = "") {
    const auto results = load(before, value, keys).run();
    for (int i = 0; i < 32; ++i)
      ASSERT_EQ(results.at("x").at(static_cast<std::size_t>(i)), f(i)) << value << ' ' << i;
  }
  std::string refused(const std::string& before, const std::string& value,
                      const std::string& keys = "") {
    return error_of([&] { load(before, value, keys); }).full_text();
  }

  Folder folder_;
};

/// Each of these used to lose to something else of the same name, or to a primary template.
TEST_F(Meaning, WhatIsNamedStays) {
  write("src/body.inc", "value *= from_fragment(1.0f);\n");
  write("src/modes.def", "kOff, kFive = 5,\n");
  expect(std::string(kLibrary) +
             "template <class T> constexpr int bits = 1;\n"
             "template <> constexpr int bits<float> = 2;\n"
             "static const float w = 1;\ntypedef double real;\nconstexpr int kFive = 1;\n"
             "__device__ float from_fragment(double) { return 1; }\n"
             "namespace in {\n"
             "const float w __attribute__((aligned(16))) = 3;\n"
             "typedef float real, *preal;\n"
             "enum Modes {\n#include \"modes.def\"\n};\n"
             "__device__ float from_fragment(float) { return 7; }\n"
             "__device__ float part(float x) { float value = x * w * sizeof(real) * kFive;\n"
             "#include \"body.inc\"\n  return value; }\n}\n",
         "in::part(x[i]) * bits<float>", [](double x) { return x * 3 * 4 * 5 * 7 * 2; });
}

TEST_F(Meaning, WhatMacrosMakeStays) {
  const std::string text =
      "template <class T> struct Traits { enum { by = 1 }; };\n"
      "#define SPEC(T, N) template <> struct Traits<T> { enum { by = N }; };\n"
      "#define MORE template <> struct Traits<int> { enum { by = 3 }; };\n"
      "SPEC(float, 2)\nMORE\nvoid host() { Traits<int> t; }\n"
      "#define NAME(a, b) a##b\n#define ALL(X) X(kOne) X(kTwo)\n#define ONE(n) n,\n"
      "__device__ float f_5(double) { return 1; }\n"
      "enum List { ALL(ONE) };\n"
      "namespace in { __device__ float f_5(float) { return 5; }\n"
      "__device__ float five() { return NAME(f_, 5)(1.0f) + kTwo; } }\n";
  const char* const value = "x[i] * Traits<float>::by * Traits<int>::by * in::five()";
  const auto six = [](double x) { return x * 2 * 3 * 6; };
  expect(text, value, six);
  expect(kLibrary + text, value, six);
}

/// What a macro's call declares may have its name from another macro.
TEST_F(Meaning, NamesThatMacrosHandToMacrosStay) {
  const std::string text =
      "#define PICK tile\n#define ID(x) x\n"
      "#define MAKE(n, T, v) __device__ inline int n(T) { return v; }\n"
      "MAKE(PICK, float, 4)\nMAKE(ID(place), float, 5)\n"
      "__device__ inline int tile(double) { return 1; }\n"
      "__device__ inline int place(double) { return 1; }\n";
  expect(kLibrary + text, "x[i] * tile(1.0f) * place(1.0f)", [](double x) { return x * 20; });
}

TEST_F(Meaning, OperatorsStay) {
  expect(std::string(kLibrary) +
             "struct V { float x; };\ntypedef V W;\n"
             "struct From { float x; __device__ From(V v) : x(v.x) {} };\n"
             "template <class A> __device__ float operator*(A a, float b) { return 1; }\n"
             "__device__ float operator*(W a, float b) { return a.x * b * 2; }\n"
             "__device__ float operator-(From a, From b) { return a.x - b.x; }\n",
         "(V{x[i]} * 3.0f) + (V{1} - V{1})", [](double x) { return x * 6; });
}

/// The project's own headers are not missing, though Clang does not find them by itself.
TEST_F(Meaning, MacrosOfTheProjectsHeaders) {
  write("include/config.h", "#define FACTOR 3\n");
  const std::string text =
      "#include \"config.h\"\n#ifdef FACTOR\n__device__ float by() { return FACTOR; }\n#else\n"
      "__device__ float by() { return 1; }\n#endif\n";
  expect(text, "x[i] * by()", [](double x) { return x * 3; });
  EXPECT_THAT(
      refused("#if __has_include(\"config.h\")\n#define BY 2\n#else\n#define BY 1\n#endif\n",
              "x[i] * BY"),
      AllOf(HasSubstr("config.h"), HasSubstr("include = ")));
}

TEST_F(Meaning, MacrosOfMissingHeaders) {
  const std::string text =
      "#include \"lib/config.h\"\n#if LIB_FAST > 1\n#define BY 2\n#else\n#define BY 1\n#endif\n"
      "#ifdef LIB_LOG\n#define LOG 1\n#endif\n#ifdef LIB_HOST\nvoid host() {}\n#endif\n"
      "#if defined(__GNUC__) && defined(HAVE_IT)\n#endif\n";
  EXPECT_THAT(refused(text, "x[i] * BY"),
              AllOf(HasSubstr("'LIB_FAST'"), HasSubstr("lib/config.h"), HasSubstr("defines")));
  expect(
      text, "x[i] + BY", [](double x) { return x + 2; }, "defines = [\"LIB_FAST=2\"]\n");
  expect(
      text, "x[i] + BY", [](double x) { return x + 1; }, "defines = [\"-ULIB_FAST\"]\n");
  // What is for the host defines macros of its own name.
  const std::string known =
      std::string(kLibrary) + "#ifdef FAST\n#define BY 2\n#else\n#define BY 1\n";
  expect(known + "#endif\n", "x[i] + BY", [](double x) { return x + 1; });
  EXPECT_THAT(
      refused(known + "#if CUBLAS_VERSION\n#undef BY\n#define BY 3\n#endif\n#endif\n", "x[i] * BY"),
      HasSubstr("'CUBLAS_VERSION'"));
}

/// A declaration that cannot be compiled is not replaced by a conversion, a template, an outer name
/// or a primary template.
TEST_F(Meaning, WhatGoesIsMissed) {
  const auto unknown = HasSubstr("'lib'");
  const std::string missing = "#include \"lib.h\"\n";
  EXPECT_THAT(refused(missing + "__device__ float by(lib::real x) { return 2 * x; }\n"
                                "__device__ double by(double x) { return x; }\n",
                      "by(x[i])"),
              AllOf(unknown, HasSubstr("lib.h")));
  EXPECT_THAT(refused(missing + "__device__ float by(lib::real x) { return 2 * x; }\n"
                                "template <class T> __device__ T by(T x) { return x; }\n",
                      "by(x[i])"),
              unknown);
  EXPECT_THAT(refused(missing + "typedef double real;\nnamespace in { typedef lib::real real;\n"
                                "__device__ float size() { return sizeof(real); } }\n",
                      "in::size()"),
              unknown);
  EXPECT_THAT(refused(missing + "template <class T> struct Traits { enum { by = 1 }; };\n"
                                "template <> struct Traits<lib::real> { enum { by = 2 }; };\n",
                      "x[i] * Traits<float>::by"),
              unknown);
}

TEST_F(Meaning, WhatGoesAndIsNotNeededIsNotMissed) {
  expect(
      "#include \"lib.h\"\n"
      "__device__ float by(lib::real x) { return 2 * x; }\n"
      "__device__ float by(float x) { return 3 * x; }\n"
      "struct Host : lib::Base { lib::T t; };\n__device__ float unused(Host& h) { return h.t; }\n",
      "by(x[i])", [](double x) { return 3 * x; });
}

/// Code that asks whether a class has something must not see a class without a body.
TEST_F(Meaning, QuestionsToClassesThatWent) {
  EXPECT_THAT(
      refused(
          "#include \"lib.h\"\n#include <type_traits>\n"
          "struct Args { static constexpr int fast = 1; lib::T t; };\n"
          "template <class T, class = void> struct By { enum { by = 1 }; };\n"
          "template <class T> struct By<T, std::void_t<decltype(T::fast)>> { enum { by = 2 }; };\n",
          "x[i] * By<Args>::by"),
      HasSubstr("'lib'"));
}

TEST_F(Meaning, AssertionsAndErrorsStay) {
  write("include/checks.h",
        "#pragma once\n#include <nvml.h>\nstruct P { char c[3]; };\n"
        "static_assert(sizeof(P) == 4, \"P is packed\");\n");
  EXPECT_THAT(refused("#include \"checks.h\"\n", "sizeof(P)"), HasSubstr("P is packed"));
  EXPECT_THAT(refused("#include <nvml.h>\n#ifndef READY\n#error not ready\n#endif\n", "x[i]"),
              HasSubstr("not ready"));
  write("include/packed.h",
        "#pragma once\n#include <nvml.h>\n#pragma pack(push, 1)\nstruct Q { char c; int n; };\n"
        "#pragma pack(pop)\nstruct alignas(32) R { char c; };\n");
  expect("#include \"packed.h\"\n", "sizeof(Q) + sizeof(R)", [](double) { return 37; });
}

/// As a compiler looks for headers: beside the file, in the job's folders, and nowhere else first.
TEST_F(Meaning, HeadersOfOneName) {
  write("src/config.h", "#define BY 2\n");
  write("other/config.h", "#define BY 3\n");
  write("other/nested.h", "#include \"config.h\"\n");
  const std::string keys = "include = [\"../other\"]\n";
  expect(
      "#include \"config.h\"\n", "x[i] * BY", [](double x) { return 2 * x; }, keys);
  expect(
      "#include <config.h>\n", "x[i] * BY", [](double x) { return 3 * x; }, keys);
  expect(
      "#include \"nested.h\"\n", "x[i] * BY", [](double x) { return 3 * x; }, keys);
  expect(
      std::string("#include \"nested.h\"\n") + kLibrary, "x[i] * BY",
      [](double x) { return 3 * x; }, keys);
  write("include/pick.h", "#define BY 5\n");
  write("deep/pick.h", "#define BY 6\n");
  EXPECT_THAT(refused("#include \"pick.h\"\n", "x[i] * BY"),
              AllOf(HasSubstr("could be deep/pick.h or include/pick.h"), HasSubstr("include = ")));
}

TEST_F(Meaning, WavesOfHip) {
  const std::string text =
      "#include <hip/hip_runtime.h>\n#if defined(__GFX9__) && __AMDGCN_WAVEFRONT_SIZE == 64\n"
      "constexpr int kWave = 64;\n#else\nconstexpr int kWave = 32;\n#endif\n";
  expect(text, "kWave + warpSize", [](double) { return 128; });
  expect(
      "#ifdef __HIP_PLATFORM_AMD__\n#include <hip/hip_runtime.h>\n#else\n#include "
      "<cuda_runtime.h>\n#endif\n#if __CUDACC_VER_MAJOR__ >= 11\nconstexpr int kBy = 2;\n#else\n"
      "constexpr int kBy = 1;\n#endif\n",
      "kBy * warpSize", [](double) { return 64; });
}

/// A macro that nobody knows may be __device__.
TEST_F(Meaning, FunctionsWithUnknownMacros) {
  const std::string text =
      "LIB_HD float by(float x) { return 2 * x; }\n__device__ double by(double x) { return x; }\n"
      "LIB_HD void unused() {}\n";
  EXPECT_THAT(refused(text, "by(x[i])"), AllOf(HasSubstr("'by'"), HasSubstr("'LIB_HD'")));
  EXPECT_THAT(refused(kLibrary + text, "by(x[i])"), HasSubstr("'LIB_HD'"));
  expect("#define LIB_HD __host__ __device__\n" + text, "by(x[i])", [](double x) { return 2 * x; });
  expect(
      "template <class T> struct Pair { T a; __device__ Pair(T x) : a(x) {} };\n"
      "Pair(double) -> Pair<float>;\n",
      "sizeof(Pair(1.0))", [](double) { return 4; });
}

TEST_F(Meaning, HipByAHeader) {
  write("src/own.h", "#ifndef OWN_H\n#define OWN_H\n#include <hip/hip_runtime.h>\n#endif\n");
  expect("#include \"own.h\"\n", "warpSize", [](double) { return 64; });
}

/// A header that was not found may hold a macro, an overload or a specialisation that the kernel
/// means, and code that is left out may act on what follows: nothing is PROVED then.
TEST_F(Meaning, WhatIsNotThereProvesNothing) {
  const auto judge = [&](const std::string& before, const std::string& value) {
    const Subject subject = load(before, value);
    IndependenceReport report;
    trace::find_independence(*subject.program, subject.launch, {}, report);
    return report.verdict == Verdict::proved ? std::string("PROVED") : report.reason;
  };
  const std::string pick = "__device__ float pick(double v) { return v; }\n";
  for (const std::string& text : {
           "#include \"gone.h\"\n" + pick,                                 // pick(float)
           pick + "#include <deep/gone.h>\n",                              // #define pick(v) 2 * v
           pick + "#include \"cuda_gone.h\"\n",                            // of no library
           "#include \"gone.h\"\n#ifndef N\n#define N 1\n#endif\n" + pick  // #define N 2
       })
    EXPECT_THAT(judge(text, "pick(x[i])"), HasSubstr("was not found, and may change")) << text;
  EXPECT_THAT(
      judge("static int a = __COUNTER__;\nconstexpr int by = __COUNTER__ + 1;\n", "x[i] * by"),
      HasSubstr("__COUNTER__"));
  EXPECT_THAT(judge("void host() {\n#pragma pack(1)\n}\nstruct P { char c; int v; };\n",
                    "x[i] * sizeof(P)"),
              HasSubstr("#pragma"));
  EXPECT_THAT(
      judge("#include <cutlass/cutlass.h>\nusing namespace cutlass;\n" + pick, "pick(x[i])"),
      HasSubstr("was not found"));
  // What is not included, and libraries that keep to their names, cost nothing.
  for (const char* const text : {"", "#include <cublas_v2.h>\n#include <torch/extension.h>\n",
                                 "#ifdef __NO_SUCH_COMPILER__\n#include \"gone.h\"\n#endif\n"})
    EXPECT_EQ(judge(text + pick, "pick(x[i])"), "PROVED") << text;
}

/// Of the project a kernel reads headers, and of compile_commands.json folders and macros.
TEST_F(Meaning, FilesThatMayNotBeRead) {
  folder_.write("secret.h", "zebra_token {\n");
  folder_.write("project/.env", "zebra_token {\n");
  folder_.write("project/.git/config", "zebra_token {\n");
  folder_.write("project/notes.txt", "zebra_token {\n");
  fs::create_symlink(folder_.path() + "/secret.h", folder_.path() + "/project/include/link.h");
  fs::create_directory_symlink(folder_.path(), folder_.path() + "/project/out");
  for (const std::string name : {"../../secret.h", "../.env", "../.git/config", "../notes.txt",
                                 "../include/link.h", "../out/secret.h"})
    EXPECT_THAT(refused("#include \"" + name + "\"\n", "x[i]"),
                AllOf(Not(HasSubstr("zebra")), HasSubstr("outside its folder")))
        << name;
  for (const std::string folder : {"/", "/proc/self", "/etc", "/tmp"})
    EXPECT_THAT(refused("", "x[i]", "include = [\"" + folder + "\"]\n"),
                HasSubstr("holds more than headers"))
        << folder;
}

}  // namespace
}  // namespace heddle::test
