// What changed between two C++ kernels, and how launches compare.
#include "kernel/cxx/patch/changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/cxx_comparing.h"

namespace heddle::audit_tests {
namespace {

using testing::HasSubstr;

TEST(CxxChanges, NothingOrLayout) {
  EXPECT_EQ(judge(kernel_of(kWork), kernel_of(kWork)).code.finding, "the files are the same");
  const Judged judged = judge(kernel_of(kWork), kernel_of("  // a\n\n" + kWork));
  EXPECT_EQ(judged.text(), " PP");
  EXPECT_THAT(judged.code.finding, HasSubstr("nothing but comments"));
}

std::string with_text(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

/// A grid-stride loop over tiles.
std::string loop_of(const std::string& index, const std::string& work) {
  return kernel_of("  for (int t = blockIdx.x; t < n; t += gridDim.x) {\n" + index + work +
                   "  }\n");
}

TEST(CxxChanges, IndexCodeInALoopOverTilesIsNotCompared) {
  const std::string work = "    x[tile * 64 + threadIdx.x] = n;\n";
  const std::string before = loop_of("    const int tile = t;\n", work);
  const std::string back = "    const int last = n - 1;\n    const int tile = last - t;\n";
  const Judged judged = judge(before, loop_of(back, work));
  EXPECT_EQ(judged.text(), "I UP") << judged.why();
  EXPECT_THAT(judged.why(), HasSubstr("index code inside the loop in line"));
  // Other work in it is another program, with or without another index.
  for (const char* other : {
           "    x[tile * 64 + threadIdx.x] = n + 1;\n",
           "    x[tile * 32 + threadIdx.x] = n;\n",
           "    x[tile * 64 + threadIdx.x] = tile;\n",
           "    if (tile > 3) x[tile * 64 + threadIdx.x] = n;\n",
           "",
       })
    EXPECT_EQ(judge(before, loop_of(back, other)).code.verdict, Verdict::refuted) << other;
  // So is a loop that does less.
  const std::string shorter = with_text(loop_of(back, work), "t < n", "t < n / 2");
  EXPECT_EQ(judge(before, shorter).text(), "O RP");
}

TEST(CxxChanges, BlockIdxByAnotherValue) {
  const std::string tile = "  x[tile * 64 + threadIdx.x] = n;\n";
  const Judged judged =
      judge(kernel_of(kWork), kernel_of("  const int p = blockIdx.x;\n"
                                        "  const int g = gridDim.x;\n"
                                        "  const unsigned int tile = g - 1 - p;\n" +
                                        tile));
  EXPECT_EQ(judged.text(), "IIII PP") << judged.why();
  EXPECT_EQ(judged.code.finding, "only index lines changed: 1 changed, 3 added");
  // Loops, branches and helpers are index code, too. A tile may have a signed type.
  const std::string helper =
      "__device__ int flip(int p, int n) {\n  if (p > n) { int q = p; return q; }\n"
      "  return max(n - 1 - p, 0);\n}\n";
  const Judged more =
      judge(kernel_of(kWork), kernel_of("  int p = blockIdx.x;\n"
                                        "  for (int i = 0; i < 3; ++i) p = (p + i) % 12;\n"
                                        "  if (n > 4) { p += 1; } else p = 2;\n"
                                        "  const int t = flip(p % 12, gridDim.x);\n"
                                        "  x[t * 64 + threadIdx.x] = n;\n",
                                        helper));
  EXPECT_EQ(more.text(), "IIIIII PP") << more.why();
}

/// Honest rewrites of one kernel.
TEST(CxxChanges, Honest) {
  const std::string old_work =
      "  const int row = blockIdx.x;\n  x[row * 64 + threadIdx.x] = row + n;\n";
  const std::string rest = "  x[row * 64 + threadIdx.x] = row + n;\n";
  for (const std::string index :
       {"  const int row = gridDim.x - 1 - blockIdx.x;\n", "  int row;\n  row = 11 - blockIdx.x;\n",
        "  const auto row = static_cast<int>((blockIdx.x + n) % gridDim.x);\n",
        "  int row = blockIdx.x;\n  row ^= 1;\n",
        "  const int row = blockIdx.x < 6 ? 2 * blockIdx.x : 2 * blockIdx.x - 11;\n",
        "  int row = 0;\n  for (unsigned i = 0; i < blockIdx.x; i++) { row += 1; }\n",
        "  int row = blockIdx.x;\n  while (row > 5) row -= 6;\n  row = 2 * row + (blockIdx.x > "
        "5);\n",
        "  const int row = (blockIdx.x + blockDim.x) % gridDim.x;\n",
        "  const long wide = 11l - blockIdx.x;\n  const int row = wide;\n"}) {
    const Judged judged = judge(kernel_of(old_work), kernel_of(index + rest));
    EXPECT_EQ(judged.code.verdict, Verdict::proved) << index << judged.why();
  }
  // Variables that exchange their names; a variable that is no more.
  const std::string two =
      "  const int row = blockIdx.x / 4;\n  const int col = blockIdx.x % 4;\n"
      "  x[row * n + col + threadIdx.x] = row;\n";
  const std::string turned =
      "  const int col = blockIdx.x / 4;\n  const int row = blockIdx.x % 4;\n"
      "  x[col * n + row + threadIdx.x] = col;\n";
  EXPECT_EQ(judge(kernel_of(two), kernel_of(turned)).code.verdict, Verdict::proved);
  EXPECT_THAT(judge(kernel_of(two), kernel_of("  x[blockIdx.x / 4 * n + blockIdx.x % 4 + "
                                              "threadIdx.x] = blockIdx.x / 4;\n"))
                  .why(),
              HasSubstr("an index value in line 2 has type unsigned int, not int"));
}

TEST(CxxChanges, TheTileOrTheData) {
  const std::string work = "  x[row * 64 + threadIdx.x] = blockIdx.x;\n";
  const std::string before = kernel_of("  const int row = blockIdx.x;\n" + work);
  const Judged cheat = judge(before, kernel_of("  const unsigned b = blockIdx.x;\n"
                                               "  const int row = gridDim.x - 1 - b;\n"
                                               "  x[row * 64 + threadIdx.x] = b;\n"));
  EXPECT_THAT(cheat.why(), HasSubstr("UNKNOWN"));
  EXPECT_THAT(cheat.why(), HasSubstr("no tile of the original has"));
  EXPECT_EQ(judge(before, kernel_of("  const unsigned b = gridDim.x - 1 - blockIdx.x;\n"
                                    "  const int row = b;\n"
                                    "  x[row * 64 + threadIdx.x] = b;\n"))
                .code.verdict,
            Verdict::proved);
  // One axis in two forms.
  const std::string two = "  x[blockIdx.x] = threadIdx.x;\n  x[blockIdx.x + n] = threadIdx.x;\n";
  EXPECT_EQ(judge(kernel_of(two), kernel_of("  const unsigned t = gridDim.x - 1 - blockIdx.x;\n"
                                            "  x[t] = threadIdx.x;\n"
                                            "  x[blockIdx.x + n] = threadIdx.x;\n"))
                .code.verdict,
            Verdict::unknown);
}

TEST(CxxChanges, ValuesOfTheOriginal) {
  const std::string work = "  x[row % 12 * 64 + threadIdx.x] = row;\n";
  const std::string before = kernel_of("  const int row = blockIdx.x;\n" + work);
  for (const std::string index :
       {"blockIdx.x + 12", "blockIdx.x / 2 * 2", "blockIdx.x * 0", "blockIdx.x | 1u",
        "2147483647 + (int)blockIdx.x", "blockIdx.x / (n - 5)", "blockIdx.x << (n + 40)",
        "(int)blockIdx.x - 12 % (n - 5)"}) {
    const Judged judged = judge(before, kernel_of("  const int row = " + index + ";\n" + work));
    EXPECT_EQ(judged.code.verdict, Verdict::unknown) << index << judged.why();
  }
  // Casts have the meaning of C++.
  EXPECT_EQ(
      judge(before, kernel_of("  const int row = (unsigned char)(267 - blockIdx.x);\n" + work))
          .code.verdict,
      Verdict::proved);
  // Without a value, and without an end.
  EXPECT_THAT(judge(before, kernel_of("  int row;\n  if (blockIdx.x > 0) row = 3;\n" + work)).why(),
              HasSubstr("was never set"));
  EXPECT_THAT(judge(before, kernel_of("  int row = 1;\n  while (row > 0) row = 1;\n" + work)).why(),
              HasSubstr("too many steps"));
}

TEST(CxxChanges, Others) {
  const auto others = [](const std::string& body, const std::string& before = "") {
    const Judged judged = judge(kernel_of(kWork), kernel_of(body, before));
    EXPECT_EQ(judged.code.verdict, Verdict::refuted) << body << judged.why();
    return judged.code.evidence.empty() ? std::string() : judged.code.evidence.front();
  };
  EXPECT_EQ(others("  x[blockIdx.x * 64 + threadIdx.x] = n + 1;\n"),
            "line 2: a statement: x[blockIdx.x * 64 + threadIdx.x] = n; -> "
            "x[blockIdx.x * 64 + threadIdx.x] = n + 1;");
  EXPECT_THAT(others("  if (threadIdx.x > 6) return;\n" + kWork),
              HasSubstr("line 2, new: a statement: if (threadIdx.x > 6) return;"));
  // Blocks that return leave out tiles, which `order` refutes; the line itself is index code.
  const Judged skipped =
      judge(kernel_of(kWork), kernel_of("  if (blockIdx.x > 6) return;\n" + kWork));
  EXPECT_EQ(skipped.code.verdict, Verdict::unknown) << skipped.why();
  EXPECT_THAT(skipped.why(), HasSubstr("block 7 works with index values that no tile"));
  others("  n = n / 2;\n" + kWork);
  EXPECT_THAT(others("  __syncthreads();\n" + kWork), HasSubstr("__syncthreads"));
  // What is new and unused is a doubt (CxxHonest); what is another is not.
  const auto changed = [](const std::string& old_head, const std::string& new_head) {
    return judge(kernel_of(kWork, old_head), kernel_of(kWork, new_head)).why();
  };
  EXPECT_THAT(changed("__device__ float f(float* p) { return p[0]; }\n",
                      "__device__ float f(float* p) { return p[1]; }\n"),
              HasSubstr("a helper function"));
  EXPECT_THAT(changed("int host() { return 1; }\n", "int host() { return 2; }\n"),
              HasSubstr("host code"));
  EXPECT_THAT(changed("#define FAST 1\nint host() { return FAST; }\n",
                      "#define FAST 2\nint host() { return FAST; }\n"),
              HasSubstr("a directive: #define FAST 1"));
  others("  x[blockIdx.x * 64 + threadIdx.x] = n;\n  x[0] = 1;\n");
  others("  x[blockIdx.x * 64 + threadIdx.y] = n;\n");
  others("  x[blockIdx.x * 64 - threadIdx.x] = n;\n");
  others("  x[blockIdx.x * 64 + threadIdx.x] = (char)n;\n");
  others("  x[blockIdx.x * 64 + threadIdx.x] += n;\n");
  others("  int x2 = n;\n  { float* y = x; y[blockIdx.x * 64 + threadIdx.x] = n; }\n");
  EXPECT_THAT(
      judge(kernel_of(kWork), "template <int A>\n" + kernel_of(kWork), Settings{"k", "k<3>"})
          .code.evidence.front(),
      HasSubstr("the kernel's head"));
}

TEST(CxxChanges, NumbersThatAreNoIndex) {
  const std::string work = "  x[blockIdx.x * 64 + threadIdx.x] = half;\n";
  const Judged judged = judge(kernel_of("  const int half = n / 2;\n" + work),
                              kernel_of("  const int half = n / 4;\n" + work));
  EXPECT_EQ(judged.code.verdict, Verdict::refuted);
  EXPECT_THAT(judged.why(), HasSubstr("a computation: const int half = n / 2"));
  // So are those that it is computed from, and equal numbers of this launch.
  const std::string more = "  const int half = part + 1;\n" + work;
  EXPECT_EQ(judge(kernel_of("  const int part = n / 2;\n" + more),
                  kernel_of("  const int part = n / 4;\n" + more))
                .code.verdict,
            Verdict::refuted);
  EXPECT_EQ(judge(kernel_of("  const int half = n / 2;\n" + work),
                  kernel_of("  const int half = 2;\n" + work))
                .code.verdict,
            Verdict::refuted);
  // The same computation under another name is the same.
  EXPECT_EQ(judge(kernel_of("  const int half = n / 2;\n" + work),
                  kernel_of("  const int part = n / 2;\n"
                            "  x[blockIdx.x * 64 + threadIdx.x] = part;\n"))
                .code.verdict,
            Verdict::proved);
  // It matters where a number is read that is written twice.
  const std::string twice = "  int h = n;\n  x[0] = h;\n  h = h / 2;\n  x[1] = h;\n" + kWork;
  EXPECT_NE(judge(kernel_of(twice),
                  kernel_of("  int h = n;\n  h = h / 2;\n  x[0] = h;\n  x[1] = h;\n" + kWork))
                .code.verdict,
            Verdict::proved);
}

TEST(CxxChanges, Templates) {
  const std::string head = "template <int W> ";
  const std::string work = "  x[blockIdx.x * W + threadIdx.x] = n;\n";
  const Settings wide{"k<64>", "k<64>"};
  const auto launched = [&](const std::string& body) {
    return head + "__global__ void k(float* x, int n) {\n" + body + "}\n";
  };
  EXPECT_EQ(judge(launched(work),
                  launched("  const unsigned t = gridDim.x - 1 - blockIdx.x;\n"
                           "  x[t * W + threadIdx.x] = n;\n"),
                  wide)
                .code.verdict,
            Verdict::proved);
  const std::string width = "  x[blockIdx.x + threadIdx.x] = W;\n";
  EXPECT_NE(
      judge(launched(width), launched("  x[blockIdx.x + threadIdx.x] = 64;\n"), wide).code.verdict,
      Verdict::proved);
}

TEST(CxxChanges, WhatHeddleCannotRead) {
  const std::string rest = "  x[row * 64 + threadIdx.x] = n;\n";
  const std::string before = kernel_of("  const int row = blockIdx.x;\n" + rest);
  const std::string include = "#include <algorithm>\n";
  const auto doubt = [&](const std::string& index, const std::string& named) {
    const Judged judged = judge(include + before, include + kernel_of(index + rest));
    EXPECT_EQ(judged.code.verdict, Verdict::unknown) << judged.why();
    EXPECT_THAT(judged.why(), HasSubstr(named));
  };
  doubt("  const int row = std::min<unsigned>(blockIdx.x, 11);\n", "line 3");
  doubt("  int row = 0;\n  switch (blockIdx.x) { case 0: int a = 1; row = a; }\n",
        "a declaration in a switch in line 4");
  doubt("  const int row = sizeof(int) + blockIdx.x - 4;\n", "sizeof in line 3");
}

TEST(CxxLaunches, AreCompared) {
  const auto finding = [](const std::string& before, const std::string& after) {
    const std::string kernel = "__global__ void k(int n) { float y = blockIdx.x; }\n";
    const Judged judged = judge(kernel + before, kernel + after);
    return judged.text() + " " + judged.launch.finding + judged.why();
  };
  const std::string host = "void h() { k<<<dim3(n / 4, 1), 64>>>(n); }";
  EXPECT_THAT(finding("", ""),
              HasSubstr(" PP neither file launches the kernel; the job's grid 12 is that of both"));
  EXPECT_THAT(finding(host, host), HasSubstr(" PP the same launch expression: dim3(n / 4, 1)"));
  EXPECT_THAT(finding(host, "void h() { k<<<dim3(n / 8, 1), 64>>>(n); }"),
              HasSubstr(" PU the launch expression is another (line 2: dim3(n / 8, 1))"));
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
  // A grid may do nothing but count.
  for (const std::string grid : {"n / 4 + 0 * (n = 3)", "n / 4 + 0 * ++n", "f(n)", "(g(), n / 4)",
                                 "[&] { return n; }()", "n > 9 ? 1 : 2"})
    EXPECT_THAT(finding(host, "void h() { k<<<dim3(" + grid + ", 1), 64>>>(n); }"),
                HasSubstr("the grid of the launch"))
        << grid;
  EXPECT_THAT(finding("void h() { k<<<cdiv(n, 4), 64>>>(n); }",
                      "void h() { k<<<2 * cdiv(n, 4), 64>>>(n); }"),
              HasSubstr("PU the launch expression is another"));
}

}  // namespace
}  // namespace heddle::audit_tests
