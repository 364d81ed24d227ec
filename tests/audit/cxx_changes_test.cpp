// What changed between two C++ kernels, and how launches compare; nothing is traced here.
#include "audit/cxx_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/audit_cxx.h"
#include "audit/cxx_launch.h"
#include "audit/cxx_statements.h"
#include "audit/cxx_values.h"

namespace heddle::audit_tests {
namespace {

using audit::CxxChanges;
using kernel::cxx::CxxSource;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kHost = "\nint main() { dim3 g(n / 4); k<<<g, 64>>>(x, n); }\n";

std::string kernel_of(const std::string& body, const std::string& before = "") {
  return before + "__global__ void k(float* x, int n) {\n" + body + "}\n" + kHost;
}

struct Judged {
  CxxChanges changes;
  CheckResult code;
  CheckResult launch;

  /// "I" and "O" per change, then the verdicts of code and launch: "II PU".
  std::string text() const {
    std::string letters;
    for (const CodeChange& one : changes.changes)
      letters += one.kind == CodeChange::Kind::index ? 'I' : 'O';
    return letters + " " + std::string(verdict_text(code.verdict)).substr(0, 1) +
           std::string(verdict_text(launch.verdict)).substr(0, 1);
  }
};

Judged judge(const std::string& before, const std::string& after,
             Verdict order = Verdict::unknown) {
  const CxxSource old_source("a.hip", before);
  const CxxSource new_source("b.hip", after);
  audit::CxxPatchSide old_side{"a.hip", {&old_source, &old_source.kernel("k"), {}}, {}, {}, {}};
  audit::CxxPatchSide new_side{"b.hip", {&new_source, &new_source.kernel(""), {}}, {}, {}, {}};
  audit::LaunchGiven given;
  Judged result;
  result.launch = audit::judge_cxx_launch(old_side.code, new_side.code, given).check;
  result.changes = audit::find_cxx_changes(old_side.code, new_side.code);
  result.code = audit::judge_cxx_code(old_side, new_side, result.changes, order);
  return result;
}

const std::string kWork = "  x[blockIdx.x * 64 + threadIdx.x] = n;\n";

TEST(CxxChanges, NothingOrLayout) {
  EXPECT_EQ(judge(kernel_of(kWork), kernel_of(kWork)).code.finding, "the files are the same");
  const Judged judged = judge(kernel_of(kWork), kernel_of("  // a\n\n" + kWork));
  EXPECT_EQ(judged.text(), " PP");
  EXPECT_THAT(judged.code.finding, HasSubstr("nothing but comments"));
}

TEST(CxxChanges, BlockIdxByAnotherValue) {
  const std::string tile = "  x[tile * 64 + threadIdx.x] = n;\n";
  const Judged judged =
      judge(kernel_of(kWork), kernel_of("  const int p = blockIdx.x;\n"
                                        "  const int g = gridDim.x;\n"
                                        "  const unsigned int tile = g - 1 - p;\n" +
                                        tile));
  EXPECT_EQ(judged.text(), "IIII PP");
  EXPECT_TRUE(judged.changes.by_ids);
  EXPECT_EQ(judged.code.finding, "only index lines changed: 1 changed, 3 added");
  // Loops, branches and helpers are index code, too.
  const std::string helper =
      "__device__ int flip(int p, int n) {\n  if (p > n) { int q = p; return q; }\n"
      "  return max(n - 1 - p, 0);\n}\n";
  EXPECT_EQ(judge(kernel_of(kWork), kernel_of("  unsigned tile = 0;\n  int p = blockIdx.x;\n"
                                              "  for (int i = 0; i < 3; ++i) p = p ^ i;\n"
                                              "  if (n > 4) { p += 1; } else p = 2;\n"
                                              "  const unsigned t = flip(p, gridDim.x);\n"
                                              "  x[t * 64 + threadIdx.x] = n;\n",
                                              helper))
                .text(),
            "IIIIIII PP");
}

TEST(CxxChanges, ANameThatKeepsItsUses) {
  const std::string rest = "  x[pid * 64 + threadIdx.x] = n;\n";
  const Judged judged = judge(kernel_of("  const int pid = blockIdx.x;\n" + rest),
                              kernel_of("  const int pid = gridDim.x - 1 - blockIdx.x;\n" + rest));
  EXPECT_EQ(judged.text(), "I PP");
  EXPECT_TRUE(judged.changes.by_ids);
  // Not the only use of that axis: the order decides.
  const std::string twice =
      "  const int row = blockIdx.x / 4;\n  const int column = blockIdx.x % 4;\n"
      "  x[row * n + column + threadIdx.x] = n;\n";
  const std::string changed =
      "  const int p = gridDim.x - 1 - blockIdx.x;\n  const int row = p / 4;\n"
      "  const int column = p % 4;\n  x[row * n + column + threadIdx.x] = n;\n";
  EXPECT_EQ(judge(kernel_of(twice), kernel_of(changed)).text(), "III UP");
  EXPECT_EQ(judge(kernel_of(twice), kernel_of(changed), Verdict::proved).text(), "III PP");
}

TEST(CxxChanges, DoubtsAboutTypesAndPlaces) {
  const Judged judged = judge(kernel_of(kWork),
                              kernel_of("  const int tile = gridDim.x - 1 - blockIdx.x;\n"
                                        "  x[tile * 64 + threadIdx.x] = n;\n"),
                              Verdict::proved);
  EXPECT_EQ(judged.text(), "II UP");
  EXPECT_THAT(judged.code.finding,
              HasSubstr("tile is const int, where blockIdx.x was unsigned int"));
  const std::string two = "  x[blockIdx.x] = threadIdx.x;\n  x[blockIdx.x + n] = threadIdx.x;\n";
  const Judged mixed =
      judge(kernel_of(two),
            kernel_of("  const unsigned t = gridDim.x - 1 - blockIdx.x;\n"
                      "  x[t] = threadIdx.x;\n  x[blockIdx.x + n] = threadIdx.x;\n"),
            Verdict::proved);
  EXPECT_EQ(mixed.text(), "II UP");
  EXPECT_THAT(mixed.code.finding, HasSubstr("blockIdx.x is now blockIdx.x in one place, t in"));
}

TEST(CxxChanges, Others) {
  const auto others = [](const std::string& body, const std::string& before = "") {
    const Judged judged = judge(kernel_of(kWork), kernel_of(body, before), Verdict::proved);
    EXPECT_EQ(judged.code.verdict, Verdict::refuted) << judged.text();
    return judged.code.evidence.empty() ? std::string() : judged.code.evidence.front();
  };
  EXPECT_EQ(others("  x[blockIdx.x * 64 + threadIdx.x] = n + 1;\n"),
            "line 2: a statement: x[blockIdx.x * 64 + threadIdx.x] = n; -> "
            "x[blockIdx.x * 64 + threadIdx.x] = n + 1;");
  EXPECT_THAT(others("  if (blockIdx.x > 6) return;\n" + kWork),
              HasSubstr("line 2, new: a statement: if (blockIdx.x > 6) return;"));
  EXPECT_THAT(others("  n = n / 2;\n" + kWork), HasSubstr("a"));
  EXPECT_THAT(others("  __syncthreads();\n" + kWork), HasSubstr("__syncthreads"));
  EXPECT_THAT(others(kWork, "#define FAST 1\n"), HasSubstr("a directive: #define FAST 1"));
  EXPECT_THAT(others(kWork, "__device__ float f(float* p) { return p[0]; }\n"),
              HasSubstr("a helper function"));
  EXPECT_THAT(others(kWork, "int host() { return 1; }\n"), HasSubstr("host code"));
  EXPECT_THAT(
      judge(kernel_of(kWork), "template <int A>\n" + kernel_of(kWork)).code.evidence.front(),
      HasSubstr("the kernel's head"));
}

TEST(CxxChanges, NumbersThatAreNoIndex) {
  const std::string work = "  x[blockIdx.x * 64 + threadIdx.x] = half;\n";
  const Judged judged = judge(kernel_of("  const int half = n / 2;\n" + work),
                              kernel_of("  const int half = n / 4;\n" + work), Verdict::proved);
  EXPECT_EQ(judged.code.verdict, Verdict::refuted);
  EXPECT_THAT(judged.code.evidence,
              ElementsAre(HasSubstr("a computation: const int half = n / 2")));
  // So are those that it is computed from.
  const std::string more = "  const int half = part + 1;\n" + work;
  EXPECT_EQ(judge(kernel_of("  const int part = n / 2;\n" + more),
                  kernel_of("  const int part = n / 4;\n" + more), Verdict::proved)
                .code.verdict,
            Verdict::refuted);
}

TEST(CxxChanges, HelpersThatWorkCalls) {
  const std::string work = "  x[blockIdx.x * 64 + threadIdx.x] = f(n);\n";
  const Judged judged =
      judge(kernel_of(work, "__device__ int f(int a) { return a; }\n"),
            kernel_of(work, "__device__ int f(int a) { return a + 1; }\n"), Verdict::proved);
  EXPECT_EQ(judged.code.verdict, Verdict::refuted) << judged.text();
}

/// What the values of the index code leave open, on 12 blocks of 64 threads with n = 5.
std::string doubts(const std::string& before, const std::string& after,
                   const std::string& head = "") {
  const Judged judged = judge(kernel_of(before, head), kernel_of(after, head), Verdict::proved);
  EXPECT_FALSE(judged.changes.has_other()) << judged.text();
  if (!judged.changes.doubt.empty()) return judged.changes.doubt;
  config::Launch launch;
  launch.grid = Grid({12});
  launch.threads = {64, 1, 1};
  config::Argument n;
  n.name = "n";
  n.value.data = std::int64_t{5};
  launch.arguments.push_back(n);
  return audit::doubt_of_values(judged.changes, launch, launch);
}

TEST(CxxValues, OfATileTogether) {
  const std::string work = "  x[row * 64 + threadIdx.x] = blockIdx.x;\n";
  const std::string before = "  const int row = blockIdx.x;\n" + work;
  // The tile is reversed, and the data is not.
  EXPECT_THAT(doubts(before,
                     "  const unsigned b = blockIdx.x;\n"
                     "  const int row = gridDim.x - 1 - b;\n"
                     "  x[row * 64 + threadIdx.x] = b;\n"),
              HasSubstr("not those of the original"));
  EXPECT_EQ(doubts(before,
                   "  const unsigned b = gridDim.x - 1 - blockIdx.x;\n"
                   "  const int row = b;\n"
                   "  x[row * 64 + threadIdx.x] = b;\n"),
            "");
}

TEST(CxxValues, MustBeThoseOfTheOriginal) {
  const std::string work = "  x[row % 12 * 64 + threadIdx.x] = row;\n";
  const std::string before = "  const int row = blockIdx.x;\n" + work;
  EXPECT_THAT(doubts(before, "  const int row = blockIdx.x + 12;\n" + work),
              HasSubstr("not those of the original"));
  EXPECT_THAT(doubts(before, "  const int row = blockIdx.x / 2 * 2;\n" + work),
              HasSubstr("not those of the original"));
  // Arguments, threads, loops and 64 bits.
  EXPECT_EQ(doubts(before, "  const int row = (blockIdx.x + n) % gridDim.x;\n" + work), "");
  EXPECT_EQ(doubts(before, "  const int row = (blockIdx.x + blockDim.x) % gridDim.x;\n" + work),
            "");
  EXPECT_EQ(doubts(before,
                   "  int row = blockIdx.x;\n"
                   "  for (int i = 0; i < 3; ++i) row = (row + 1) % (int)gridDim.x;\n" +
                       work),
            "");
  EXPECT_THAT(doubts(before, "  const int row = (unsigned char)(blockIdx.x);\n" + work),
              HasSubstr("cannot be evaluated"));
}

TEST(CxxValues, CallsOfHelpers) {
  const std::string head =
      "__device__ unsigned flip(unsigned p, unsigned n) { return n - 1 - p; }\n";
  const std::string work = "  x[blockIdx.x * 64 + threadIdx.x] = n;\n";
  const std::string flipped = "  x[flip(blockIdx.x, gridDim.x) * 64 + threadIdx.x] = n;\n";
  EXPECT_EQ(doubts(work, flipped, head), "");
  EXPECT_THAT(doubts(work, "  x[flip(blockIdx.x, n) * 64 + threadIdx.x] = n;\n", head),
              HasSubstr("not those of the original"));
  // A helper that comes with the change.
  EXPECT_FALSE(judge(kernel_of(work), kernel_of(flipped, head)).changes.has_other());
}

TEST(CxxValues, TheWholeBlock) {
  for (const std::string seen :
       {"  dim3 b = blockIdx;\n", "  const uint3& b = (const uint3&)blockIdx;\n",
        "  const unsigned* b = (&blockIdx.y);\n"}) {
    const std::string work = seen + "  x[row * 64 + threadIdx.x] = n;\n";
    EXPECT_NE(doubts("  const int row = blockIdx.x;\n" + work,
                     "  const int row = gridDim.x - 1 - blockIdx.x;\n" + work),
              "")
        << seen;
  }
}

TEST(CxxValues, NumbersOfTheFile) {
  const std::string work = "  x[row * 64 + threadIdx.x] = n;\n";
  const std::string before = kernel_of("  const int row = blockIdx.x;\n" + work);
  const std::string index = "  const int row = LAST - blockIdx.x;\n" + work;
  for (const std::string line :
       {"#define LAST 11\n", "constexpr int LAST = 11;\n", "static const int LAST = 11;\n"})
    EXPECT_FALSE(judge(before, kernel_of(index, line)).changes.has_other()) << line;
  for (const std::string line :
       {"#define LAST 11\n#define n 3\n", "#define LAST 11\n#define threadIdx 3\n",
        "int LAST = 11;\n", "#define LAST f(11)\n", "#define LAST 11\n#include <a.h>\n",
        "#define LAST 11\n#define FAST 1\n"})
    EXPECT_TRUE(judge(before, kernel_of(index, line)).changes.has_other()) << line;
}

TEST(CxxValues, SumsInBrackets) {
  const std::string work = "  x[blockIdx.x * 64 + threadIdx.x] = n;\n";
  const auto use = [](const std::string& value) {
    return "  x[" + value + " * 64 + threadIdx.x] = n;\n";
  };
  EXPECT_EQ(doubts(work, use("(gridDim.x - 1 - blockIdx.x)")), "");
  EXPECT_THAT(doubts(work, use("(gridDim.x - blockIdx.x)")),
              HasSubstr("not those of the original"));
  for (const std::string other :
       {"(blockIdx.x + threadIdx.x)", "(n - blockIdx.x)", "(blockIdx.x << 1)", "(int)(blockIdx.x)",
        "(blockIdx.x + 1.0)", "(1 + 2)"})
    EXPECT_TRUE(judge(kernel_of(work), kernel_of(use(other))).changes.has_other()) << other;
}

/// The block, seen by something that no change of the kernel's text reaches.
TEST(CxxValues, HiddenUses) {
  const auto reversed = [](const std::string& work) {
    return "  const int row = gridDim.x - 1 - blockIdx.x;\n" + work;
  };
  const std::string before = "  const int row = blockIdx.x;\n";
  const std::string called = "  x[row * 64 + threadIdx.x] = weight();\n";
  for (const std::string head : {"__device__ float weight() { return blockIdx.x * 2.0f; }\n",
                                 "__device__ int weight() { return blockIdx.x; }\n",
                                 "__device__ int own() { return blockIdx.x; }\n"
                                 "__device__ float weight() { return own() * 2.0f; }\n"})
    EXPECT_THAT(doubts(before + called, reversed(called), head), HasSubstr("weight")) << head;
  const std::string macro = "  x[row * 64 + threadIdx.x] = WEIGHT;\n";
  EXPECT_THAT(doubts(before + macro, reversed(macro), "#define WEIGHT (2 * row)\n"),
              HasSubstr("WEIGHT"));
  EXPECT_EQ(doubts(before + macro, reversed(macro), "#define WEIGHT (2 * n)\n"), "");
}

TEST(CxxChanges, LinesAsCompilersEndThem) {
  const std::string work = kWork + "  x[0] = 1;\n";
  // A carriage return ends a comment; a backslash joins lines with blanks behind it, too.
  EXPECT_EQ(judge(kernel_of(kWork), kernel_of("  // a\r  x[0] = 1;\n" + kWork)).text(), "O RP");
  EXPECT_EQ(judge(kernel_of(work), kernel_of(kWork + "  // a \\  \n  x[0] = 1;\n")).text(), "O RP");
  EXPECT_EQ(judge(kernel_of(work), kernel_of(kWork + "  // a\r\n  x[0] = 1;\n")).text(), " PP");
}

TEST(CxxChanges, Statements) {
  const CxxSource source("a.hip", kernel_of("  int a = blockIdx.x, b = 2;\n  b += a;\n"
                                            "  float c = a;\n  int d = threadIdx.x;\n"
                                            "  int e = a; x[e] = 0; f(&e);\n  a;\n"
                                            "  int g = a * TILE + WIDE; int h = a + OTHER;\n",
                                            "#define WIDE 8\n#define OTHER y\n"));
  const audit::CxxStatements statements(source, source.kernel(""), {"TILE"});
  std::string index;
  for (const auto& one : statements.all()) index += one.is_index ? 'I' : '.';
  EXPECT_EQ(index, "II......I.");
  EXPECT_TRUE(statements.names().at("b").from_block);
  EXPECT_EQ(statements.names().count("d") + statements.names().count("e"), 0u);
}

TEST(CxxLaunches, AreCompared) {
  const auto finding = [](const std::string& before, const std::string& after) {
    const std::string kernel = "__global__ void k(int n) { f(blockIdx.x); }\n";
    const Judged judged = judge(kernel + before, kernel + after);
    return judged.text() + " " + judged.launch.finding;
  };
  const std::string host = "void h() { k<<<dim3(n / 4, 1), 64>>>(n); }";
  EXPECT_EQ(finding("", ""),
            " PP neither file launches the kernel; the job's grid 1 is that of both");
  EXPECT_EQ(finding(host, host), " PP the same launch expression: dim3(n / 4, 1)");
  EXPECT_EQ(finding(host, "void h() { k<<<dim3(n / 8, 1), 64>>>(n); }"),
            " PU the launch expression is another (line 2: dim3(n / 8, 1))");
  EXPECT_THAT(finding(host, "void h() { k<<<dim3(n / 4, 1), 32>>>(n); }"),
              HasSubstr("threads, shared memory or stream of the launch are others (line 2)"));
  EXPECT_THAT(finding("void h() { dim3 g(4); k<<<g, 64>>>(n); }",
                      "void h() { dim3 g(8); k<<<g, 64>>>(n); }"),
              HasSubstr("PU the launch expression is another (line 2: (8))"));
  EXPECT_THAT(finding("void h() { hipLaunchKernelGGL(k, g, 64, 0, 0, n); }",
                      "void h() { hipLaunchKernelGGL(k, g, 64, 0, 0, n); }"),
              HasSubstr("the same launch expression: g"));
  EXPECT_THAT(finding(host, ""), HasSubstr("the new file does not"));
  EXPECT_THAT(finding(host, host + host), HasSubstr("1 times, the new file 2 times"));
}

}  // namespace
}  // namespace heddle::audit_tests
