// Changes of C++ kernels that look like index code and are more, each beside an honest twin.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/cxx_comparing.h"

namespace heddle::audit_tests {
namespace {

using testing::HasSubstr;

TEST(CxxCheats, SplicesInComments) {
  const std::string before = kernel_of(kRow + kStore);
  for (const std::string hidden :
       {"  /* the tile *\\\n/ x[0] = 2; /* is row */\n",
        "  // the tile \\\n  is row\n  x[0] = 2;\n", "  /\\\n* the tile *\\\n/ x[0] = 2;\n"})
    expect_cheat(before, kernel_of(kLast + hidden + kStore));
  // In host code the compiler of the kernel does not see it.
  const std::string host = "int host() {\n  int a = 1;\n  return a;\n}\n";
  const std::string changed =
      "int host() {\n  int a = 1;\n  /* one *\\\n/ a = 2; /* or two */\n  "
      "return a;\n}\n";
  expect_cheat(before + host, kernel_of(kLast + kStore) + changed);
  expect_cheat(before + host, before +
                                  "int host() {\n  int a = 1;\n  // \?\?/\n  a = 1;\n"
                                  "  return a;\n}\n");
  expect_honest(before + host, kernel_of(kLast + "  /* the tile */\n" + kStore) +
                                   "int host() {\n  int a = 1;\n  /* one */\n  return a;\n}\n");
  // Lines of a macro that go on are no splices of that kind.
  const std::string macro = "#define TWICE(a) \\\n  ((a) + (a))\n";
  expect_honest(macro + before, macro + kernel_of(kLast + kStore));
}

TEST(CxxCheats, QualifiedNames) {
  const std::string head =
      "struct Config { static constexpr int row = 3, col = 4; };\n"
      "namespace sizes { constexpr int row = 5; constexpr int col = 6; }\n";
  const auto body = [](const std::string& a, const std::string& b, const std::string& factor) {
    return "  const int " + a + " = blockIdx.x / 4;\n  const int " + b +
           " = blockIdx.x % 4;\n  x[" + a + " * n + " + b + " + threadIdx.x] = " + factor + ";\n";
  };
  for (const std::string scope : {"Config::", "sizes::"}) {
    const std::string before = kernel_of(body("row", "col", scope + "row"), head);
    expect_cheat(before, kernel_of(body("col", "row", scope + "col"), head));
    expect_cheat(before, kernel_of(body("col", "row", "row"), head));
    expect_honest(before, kernel_of(body("col", "row", scope + "row"), head));
  }
  expect_cheat(kernel_of(body("row", "col", "Config::row"), head),
               kernel_of(body("col", "row", "sizes::row"), head));
  // A member that has the name of an index variable.
  const std::string point = "struct Point { float row; float col; };\n";
  const auto member = [](const std::string& a, const std::string& b, const std::string& name) {
    return "  Point p{1.0f, 2.0f};\n  const int " + a + " = blockIdx.x;\n  x[" + a +
           " * 64 + threadIdx.x] = p." + name + ";\n  const int " + b + " = 0;\n";
  };
  expect_cheat(kernel_of(member("row", "col", "row"), point),
               kernel_of(member("col", "row", "col"), point));
  expect_honest(kernel_of(member("row", "col", "row"), point),
                kernel_of(member("col", "row", "row"), point));
}

TEST(CxxCheats, AConstantWithTheNameOfTheIndex) {
  const std::string head = "namespace sizes { constexpr int row = 5; }\n";
  const std::string work = "  x[row * 64 + threadIdx.x] = sizes::row;\n";
  expect_honest(kernel_of(kRow + work, head), kernel_of(kLast + work, head));
}

TEST(CxxCheats, LinesAndCounters) {
  const std::string line = "  x[row * 64 + threadIdx.x] = __LINE__;\n";
  expect_cheat(kernel_of(kRow + line), kernel_of("\n" + kLast + line));
  const std::string counter = "  x[row * 64 + threadIdx.x] = __COUNTER__;\n";
  expect_cheat(kernel_of(kRow + counter),
               kernel_of("  const int zero = __COUNTER__ * 0;\n" + kLast + counter));
  const std::string host = "int host() { return __LINE__ % 2; }\n";
  expect_cheat(kernel_of(kRow + kStore) + host, kernel_of("\n" + kLast + kStore) + host);
  const std::string macro = "#define SIZE (__LINE__ * 4)\n";
  expect_cheat(macro + kernel_of(kRow + kStore), macro + kernel_of(kLast + kStore));
  // Messages may say another line.
  const std::string check =
      "#define CHECK(a) if (a) fprintf(stderr, \"%s:%d\", __FILE__, __LINE__)\n";
  expect_honest(check + kernel_of(kRow + kStore), check + kernel_of("\n" + kLast + kStore));
  const std::string assertion = "#include <cassert>\n";
  const std::string asserted = "  assert(row < n);\n" + kStore;
  expect_honest(assertion + kernel_of(kRow + asserted),
                assertion + kernel_of("\n" + kLast + asserted));
}

TEST(CxxCheats, Headers) {
  const fs::path work = work_folder(std::to_string(::getpid()));
  const Settings folders{"k", "k", "h1", "h2"};
  const std::string include = "#include \"util.h\"\n";
  const std::string before = include + kernel_of(kRow + "  x[row * 64 + threadIdx.x] = SCALE;\n");
  const std::string after = include + kernel_of(kLast + "  x[row * 64 + threadIdx.x] = SCALE;\n");
  const auto headers = [&](const std::string& old_text, const std::string& new_text) {
    write_file(work / "h1/util.h", old_text);
    write_file(work / "h2/util.h", new_text);
  };
  const std::string plain = "#pragma once\n#define SCALE 2.0f\n";
  headers(plain, plain);
  expect_honest(before, after, folders);
  headers(plain, "// the scale\n#pragma once\n#define SCALE 2.0f  \n");
  expect_honest(before, after, folders);
  for (const std::string other :
       {"#pragma once\n#define SCALE 1.0f\n", "#pragma once\n#define SCALE 2.0f\nint host(int);\n",
        "#pragma once\n#define SCALE 2.0f\n#ifdef __AMDGCN__\n#undef SCALE\n#endif\n",
        "#pragma once\n#include \"more.h\"\n"}) {
    write_file(work / "h2/more.h", "#define SCALE 2.0f\n");
    headers(plain, other);
    expect_cheat(before, after, folders);
    EXPECT_THAT(judge(before, after, folders).why(), HasSubstr("util.h differs"));
  }
  // A header of a header, and one that host code alone includes.
  headers("#include \"more.h\"\n", "#include \"more.h\"\n");
  write_file(work / "h1/more.h", "#define SCALE 2.0f\n");
  write_file(work / "h2/more.h", "#define SCALE 3.0f\n");
  EXPECT_THAT(judge(before, after, folders).why(), HasSubstr("more.h differs"));
  write_file(work / "h2/more.h", "#define SCALE 2.0f\n");
  expect_honest(before, after, folders);
  const std::string host = "int host() {\n#include \"body.inc\"\n}\n";
  write_file(work / "h1/body.inc", "return 1;\n");
  write_file(work / "h2/body.inc", "return 2;\n");
  EXPECT_THAT(judge(before + host, after + host, folders).why(), HasSubstr("body.inc differs"));
  write_file(work / "h2/body.inc", "return 1;\n");
  expect_honest(before + host, after + host, folders);
}

TEST(CxxCheats, NewNames) {
  // An overload, a specialisation and a variable that the work takes now.
  const std::string head = "__device__ float scale(float a) { return a * 2; }\n";
  const std::string work = "  x[row * 64 + threadIdx.x] = scale(n);\n";
  const std::string before = kernel_of(kRow + work, head);
  expect_cheat(before,
               kernel_of(kLast + work, head + "__device__ int scale(int a) { return a; }\n"));
  expect_cheat(before, kernel_of(kLast + "  auto scale = [](int a) { return a; };\n" + work, head));
  for (const std::string type : {"float", "int"}) {
    const std::string scale = "__device__ " + type + " scale(" + type + " a) { return a";
    const std::string space = scale + " * 2; }\nnamespace w {\n";
    expect_cheat(kernel_of(kRow + work, space) + "}\n",
                 kernel_of(kLast + work, space + scale + "; }\n") + "}\n");
  }
  expect_cheat(kernel_of(kRow + "  x[row * 64 + threadIdx.x] = sqrtf(n);\n"),
               kernel_of(kLast + "  x[row * 64 + threadIdx.x] = sqrtf(n);\n",
                         "__device__ int sqrtf(int a) { return a; }\n"));
  // Helpers and constants with names of their own.
  expect_honest(before, kernel_of("  const int row = turn(blockIdx.x);\n" + work,
                                  head + "constexpr int kLast = 11;\n"
                                         "__device__ int turn(int p) { return kLast - p; }\n"));
  expect_honest(
      before, kernel_of("  const int row = turn<11>(blockIdx.x);\n" + work,
                        head + "template <int L> __device__ int turn(int p) { return L - p; }\n"));
  // A helper that the host calls, too.
  const std::string both =
      "__host__ __device__ int cdiv(int a, int b) { return (a + b - 1) / b; }\n";
  const std::string other = "__host__ __device__ int cdiv(int a, int b) { return a / b; }\n";
  const std::string host = "int blocks(int n) { return cdiv(n, 4); }\n";
  const std::string tile = "  const int row = blockIdx.x / 3 * 3 + cdiv(blockIdx.x % 3, 1);\n";
  expect_cheat(kernel_of(tile + kStore, both) + host, kernel_of(tile + kStore, other) + host);
  expect_honest(kernel_of(tile + kStore, both), kernel_of(tile + kStore, other));
  // Attributes that do more.
  expect_cheat(before, kernel_of("  const int row = turn(blockIdx.x);\n" + work,
                                 head + "__attribute__((constructor)) static void f() {}\n"
                                        "__device__ int turn(int p) { return 11 - p; }\n"));
  expect_cheat(before, kernel_of("  const int row = turn(blockIdx.x);\n" + work,
                                 head + "__device__ int turn(int p) asm(\"scale\");\n"
                                        "__device__ int turn(int p) { return 11 - p; }\n"));
}

TEST(CxxCheats, SideEffectsInIndexCode) {
  const std::string before = kernel_of(kRow + kStore);
  const std::string helper =
      "__device__ int counted = 0;\n"
      "__device__ int turn(int p) { counted += 1; return 11 - p; }\n";
  expect_cheat(before, kernel_of("  const int row = turn(blockIdx.x);\n" + kStore, helper));
  for (const std::string index :
       {"  const int row = 11 - blockIdx.x + 0 * (n = 3);\n",
        "  const int row = 11 - blockIdx.x + 0 * n++;\n",
        "  const int row = (x[0] = 1, 11 - blockIdx.x);\n",
        "  const int row = 11 - blockIdx.x + 0 * (int)x[0];\n",
        "  const int row = [&] { n = 2; return 11 - (int)blockIdx.x; }();\n",
        "  int row = 11 - blockIdx.x;\n  asm volatile(\"\" : \"+r\"(row));\n",
        "  const int row = ({ n = 4; 11 - blockIdx.x; });\n",
        "  const int& alias = n;\n  const_cast<int&>(alias) = 3;\n  const int row = blockIdx.x;\n"})
    expect_cheat(before, kernel_of(index + kStore));
  // A variable that the work changes through an address is no index.
  const std::string work = "  int* p = &row;\n  *p += threadIdx.x;\n  x[row] = n;\n";
  expect_cheat(kernel_of("  int row = blockIdx.x;\n" + work), kernel_of("  int row = 0;\n" + work));
  expect_honest(kernel_of("  int row = blockIdx.x;\n" + work),
                kernel_of("  int row = gridDim.x - 1 - blockIdx.x;\n" + work));
}

TEST(CxxCheats, NumbersWhereNoValueStands) {
  const std::string head = "template <int N> __device__ float get(float a) { return a * N; }\n";
  const std::string work = "  x[row * 64 + threadIdx.x] = get<WIDE>(n);\n";
  const auto file = [&](int wide) {
    return head + "constexpr int WIDE = " + std::to_string(wide) + ";\n";
  };
  expect_cheat(kernel_of(kRow + work, file(16)), kernel_of(kLast + work, file(32)));
  expect_honest(kernel_of(kRow + work, file(16)), kernel_of(kLast + work, file(16)));
  const auto local = [&](int wide) {
    return "  constexpr int WIDE = " + std::to_string(wide) + ";\n" + work;
  };
  expect_cheat(kernel_of(kRow + local(16), head), kernel_of(kRow + local(32), head));
  expect_honest(kernel_of(kRow + local(16), head), kernel_of(kLast + local(16), head));
  const std::string array = "  __shared__ float a[WIDE];\n  a[threadIdx.x] = n;\n" + kStore;
  expect_cheat(kernel_of(kRow + array, file(64)), kernel_of(kLast + array, file(128)));
}

TEST(CxxCheats, Jumps) {
  const auto body = [](const std::string& step) {
    return "  int row = blockIdx.x;\n  int i = 0;\nagain:\n  x[row * 64 + threadIdx.x] = n;\n  " +
           step + "\n  if (++i < 3) goto again;\n";
  };
  expect_cheat(kernel_of(body("row = row + 0;")), kernel_of(body("row = (row + 1) % 12;")));
}

TEST(CxxCheats, LineDirectives) {
  const std::string line = "#line 1 \"heddle_footer\"\n";
  expect_cheat(line + kernel_of(kRow + kStore), line + kernel_of(kLast + kStore));
}

TEST(CxxCheats, TheBlockSeenByOthers) {
  const std::string called = "  x[row * 64 + threadIdx.x] = weight();\n";
  for (const std::string head :
       {"__device__ float weight() { return blockIdx.x * 2.0f; }\n",
        "__device__ int own() { return blockIdx.x; }\n"
        "__device__ float weight() { return own() * 2.0f; }\n",
        "struct W { float v; __device__ W() : v(blockIdx.x) {} };\n"
        "__device__ float weight() { W w; return w.v; }\n",
        "#define BLOCK blockIdx\n__device__ float weight() { return 2.0f * BLOCK.x; }\n"}) {
    const Judged judged = judge(kernel_of(kRow + called, head), kernel_of(kLast + called, head));
    EXPECT_EQ(judged.code.verdict, Verdict::unknown) << head << judged.why();
    EXPECT_THAT(judged.why(), HasSubstr("takes the block's own index")) << head;
    // Where blocks keep their index, nothing is seen that was not seen before.
    expect_honest(kernel_of(kRow + called, head),
                  kernel_of("  const int row = 2 * blockIdx.x - blockIdx.x;\n" + called, head));
  }
  for (const std::string seen :
       {"  dim3 b = blockIdx;\n  x[0] = b.x;\n", "  const uint3& b = (const uint3&)blockIdx;\n",
        "  auto f = [] { return blockIdx.x; };\n  x[0] = f();\n"}) {
    const std::string work = seen + kStore;
    const Judged judged = judge(kernel_of(kRow + work), kernel_of(kLast + work));
    EXPECT_EQ(judged.code.verdict, Verdict::unknown) << seen << judged.why();
  }
  // Of another kernel nobody asks.
  const std::string other = "__global__ void j(float* x) { x[blockIdx.x] = 0; }\n";
  expect_honest(kernel_of(kRow + kStore, other), kernel_of(kLast + kStore, other));
}

TEST(CxxCheats, Macros) {
  // The same text after expansion here, another one elsewhere.
  const std::string head =
      "#ifdef __AMDGCN__\n#define FACTOR 3\n#else\n#define FACTOR 2\n#endif\n#define TWO 2\n";
  const std::string two = "  x[row * 64 + threadIdx.x] = TWO;\n";
  const std::string factor = "  x[row * 64 + threadIdx.x] = FACTOR;\n";
  expect_cheat(kernel_of(kRow + two, head), kernel_of(kLast + factor, head));
  expect_honest(kernel_of(kRow + factor, head), kernel_of(kLast + factor, head));
  expect_cheat(kernel_of(kRow + two, head),
               kernel_of("  const int row = 11 - blockIdx.x * (FACTOR - 1);\n" + two, head));
  // Branches that this launch does not take.
  const std::string branch = "#ifdef FAST\n  x[0] = 1;\n#endif\n";
  expect_cheat(kernel_of(kRow + branch + kStore),
               kernel_of(kLast + "#ifdef FAST\n  x[0] = 2;\n#endif\n" + kStore));
  expect_honest(kernel_of(kRow + branch + kStore), kernel_of(kLast + branch + kStore));
  // Numbers of the file.
  const std::string index = "  const int row = LAST - blockIdx.x;\n" + kStore;
  for (const std::string line :
       {"#define LAST 11\n", "constexpr int LAST = 11;\n", "static const int LAST = 11;\n"})
    expect_honest(kernel_of(kRow + kStore), kernel_of(index, line));
  for (const std::string line : {"#define LAST 11\n#define FAST 1\n", "__device__ int LAST = 11;\n",
                                 "#define LAST (11 + 0 * (n = 3))\n"})
    expect_cheat(kernel_of(kRow + kStore), kernel_of(index, line));
  // A number of the job in work.
  const Settings job{"k", "k", "a", "a", {"WIDE=64"}};
  expect_honest(kernel_of(kRow + "  x[row * WIDE + threadIdx.x] = n;\n"),
                kernel_of(kLast + "  x[row * WIDE + threadIdx.x] = n;\n"), job);
  expect_cheat(kernel_of(kRow + "  x[row * 64 + threadIdx.x] = WIDE;\n"),
               kernel_of(kLast + "  x[row * 64 + threadIdx.x] = 64;\n"), job);
}

TEST(CxxCheats, LinesAsCompilersEndThem) {
  const std::string work = kStore + "  x[0] = 1;\n";
  // A carriage return ends a comment; a backslash joins lines with blanks behind it, too.
  expect_cheat(kernel_of(kRow + kStore), kernel_of(kRow + "  // a\r  x[0] = 1;\n" + kStore));
  expect_cheat(kernel_of(kRow + work), kernel_of(kRow + kStore + "  // a \\  \n  x[0] = 1;\n"));
  expect_honest(kernel_of(kRow + work), kernel_of(kRow + kStore + "  // a\r\n  x[0] = 1;\n"));
}

TEST(CxxCheats, Pragmas) {
  const std::string loop = "  for (int i = 0; i < 4; ++i) x[row * 64 + i] = n;\n";
  expect_cheat(kernel_of(kRow + loop), kernel_of(kLast + "#pragma unroll\n" + loop));
  expect_cheat(kernel_of(kRow + "{\n" + loop + "}\n"),
               kernel_of(kLast + "{\n#pragma clang fp contract(off)\n" + loop + "}\n"));
  expect_honest(kernel_of(kRow + "#pragma unroll\n" + loop),
                kernel_of(kLast + "#pragma unroll\n" + loop));
}

TEST(CxxCheats, LaunchesOfAnotherShape) {
  // gridDim is data here; 12 blocks in a row, or 4 x 3 of them.
  const std::string work = "  x[row * 64 + threadIdx.x] = gridDim.x;\n";
  const std::string plane = "  const int row = blockIdx.y * gridDim.x + blockIdx.x;\n";
  Settings shape;
  shape.after_grid = Grid({4, 3});
  expect_cheat(kernel_of(kRow + work), kernel_of(plane + work), shape);
  expect_honest(kernel_of(kRow + kStore), kernel_of(plane + kStore), shape);
  shape.after_grid = Grid({24});
  expect_cheat(kernel_of(kRow + kStore), kernel_of(kLast + kStore), shape);
}

}  // namespace
}  // namespace heddle::audit_tests
