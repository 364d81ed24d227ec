// Kernels that cannot be compiled say where, what and what to try; those that can need no SDK.
#include "kernel/cxx/compile.h"

#include "subject.h"

namespace heddle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kCompiledJob =
    "grid = [1]\n[tensors.x]\ndtype = \"fp32\"\nshape = [64]\n[launch]\nthreads = 64\n";

class Compile : public testing::Test {
 protected:
  void SetUp() override { HEDDLE_NEED_CLANG(); }

  Error refusal(const std::string& source, const std::string& job = kCompiledJob) {
    return error_of([&] { folder_.load("k.hip", source, job); });
  }
  static std::string place(const Error& error) {
    return error.source().substr(error.source().rfind('/') + 1) + ":" +
           std::to_string(error.position().line) + ":" + std::to_string(error.position().column);
  }

  Folder folder_;
};

TEST_F(Compile, ErrorsOfTheSourceHaveTheirPlace) {
  const Error syntax =
      refusal("int main() { return 0; }\n\n__global__ void k(float* x) {\n  x[0] = ;\n}\n");
  EXPECT_EQ(place(syntax), "k.hip:4:10");
  EXPECT_THAT(syntax.message(), HasSubstr("expected expression"));
  EXPECT_EQ(syntax.code(), ExitCode::usage);

  const Error unknown = refusal("__global__ void k(float* x) {\n  x[0] = nobody;\n}\n");
  EXPECT_EQ(place(unknown), "k.hip:2:10");
  EXPECT_THAT(unknown.message(), HasSubstr("undeclared identifier 'nobody'"));
  EXPECT_THAT(unknown.hint(), HasSubstr("docs/cxx.md"));
  const Error several =
      refusal("__global__ void k(float* x) {\n  x[0] = A + B * A;\n  Cell c;\n}\n");
  EXPECT_THAT(several.message(), HasSubstr("identifier 'A'; also unknown: B Cell"));

  const std::pair<const char*, const char*> unread[] = {
      {R"(asm volatile("s_nop 0\n v_mov_b32 v0, 0"))", "v_mov_b32"},
      {R"(unsigned v; asm volatile("mov.u32 %0, %%smid;" : "=r"(v)))", "mov.u32"},
      {R"(unsigned v; asm("{ .reg .pred p; setp.eq.u32 p, %0, 0; @p bra DONE; }" :: "r"(v)))",
       "bra"},
      {R"(asm volatile("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%0}, {%0}, {%0}, {%0};" :: "r"(0)))",
       "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32"},
      {R"(asm volatile("wgmma.fence.sync.aligned;" ::: "memory"))", "wgmma.fence.sync.aligned"}};
  for (const auto& [assembly, name] : unread) {
    const Error error = refusal(std::string("__global__ void k(float* x) {\n  ") + assembly +
                                ";\n  x[0] = 1;\n}\n");
    EXPECT_THAT(error.message(), HasSubstr(name)) << assembly;
    EXPECT_THAT(error.hint(), HasSubstr("inline assembly")) << assembly;
    EXPECT_THAT(place(error), HasSubstr("k.hip:2:")) << assembly;
  }

  const Error open = refusal("__global__ void k(float* x) {\n  x[0] = 1;\n");
  EXPECT_THAT(place(open), HasSubstr("k.hip:1:"));
}

/// What assembly reads and writes is seen at its place, also in macros and in a header.
TEST_F(Compile, AssemblyThatIsReadIsObserved) {
  folder_.write("copy.h",
                "#define STORE(to, v) \\\n"
                "  asm volatile(\"st.global.f32 [%0 + 4], %1;\" \\\n"
                "               :: \"l\"(to), \"f\"(v) : \"memory\")\n"
                "__device__ inline float twice(const float* from) {\n"
                "  float v;\n"
                "  asm(\"ld.global.nc.L1::no_allocate.f32 %0, [%1];\" : \"=f\"(v) : \"l\"(from));\n"
                "  return v + v;\n"
                "}\n");
  const Subject subject = folder_.load("k.cu",
                                       "#include \"copy.h\"\n"
                                       "__global__ void k(float* x) {\n"
                                       "  STORE(x, twice(x + 8));\n"
                                       "}\n",
                                       kCompiledJob);
  const auto accesses = subject.trace({0, 0, 0});
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_EQ(accesses[0].kind, kernel::MemoryKind::read);
  EXPECT_EQ(accesses[0].at.at(0), 32);
  EXPECT_EQ(accesses[1].kind, kernel::MemoryKind::write);
  EXPECT_EQ(accesses[1].at.at(0), 4);
  EXPECT_EQ(accesses[1].line, 3);
}

TEST_F(Compile, KernelsThatAreNotThereOrNotNamed) {
  const Error missing = refusal("__global__ void k(float* x) { x[0] = 1; }\n",
                                std::string("function = \"other\"\n") + kCompiledJob);
  EXPECT_THAT(missing.full_text(), AllOf(HasSubstr("other"), HasSubstr("k")));
  const Error none = refusal("void k(float* x) { x[0] = 1; }\n");
  EXPECT_THAT(none.message(), HasSubstr("__global__"));
  const Error pattern =
      refusal("template <int T, class V>\n__global__ void k(V* x) { x[0] = T; }\n");
  EXPECT_THAT(pattern.message(), HasSubstr("'k' is a template of int T, class V"));
  EXPECT_THAT(pattern.hint(), HasSubstr("k<...>"));
  EXPECT_EQ(place(pattern), "k.hip:2:17");
}

TEST_F(Compile, ArgumentsThatDoNotFit) {
  const Error type = refusal("__global__ void k(double* x) { x[0] = 1; }\n");
  EXPECT_THAT(type.message(),
              HasSubstr("parameter 'x' points to double, and the job's tensor holds fp32"));
  const Error lacking = refusal("__global__ void k(float* x, int n) { x[n] = 1; }\n");
  EXPECT_THAT(lacking.message(), HasSubstr("says nothing about parameter 'n', int"));
  EXPECT_THAT(lacking.hint(), HasSubstr("[scalars]"));
  const Error pointer = refusal("__global__ void k(float* x, float* y) { x[0] = y[0]; }\n");
  EXPECT_THAT(pointer.hint(), HasSubstr("[tensors.y]"));
  const Error extra = refusal("__global__ void k(float* x) { x[0] = 1; }\n",
                              std::string(kCompiledJob) + "[scalars]\nn = 4\n");
  EXPECT_THAT(extra.message(), HasSubstr("gives 'n', and the kernel has no such parameter"));
  const Error tensor = refusal("__global__ void k(int x) {}\n");
  EXPECT_THAT(tensor.message(),
              HasSubstr("parameter 'x' is a number, int, and the job gives it a tensor"));
  const Error number = refusal("__global__ void k(float* x, float* y) { x[0] = y[0]; }\n",
                               std::string(kCompiledJob) + "[scalars]\ny = 4\n");
  EXPECT_THAT(number.message(),
              HasSubstr("parameter 'y' is a pointer, float*, and the job gives it 4"));
  const Error structure =
      refusal("struct P { int a, b; };\n__global__ void k(float* x, P p) { x[p.a] = 1; }\n",
              std::string(kCompiledJob) + "[scalars]\np = 1\n");
  EXPECT_THAT(structure.message(), HasSubstr("no structs"));
}

TEST_F(Compile, HeadersMacrosAndNamesOfManyKinds) {
  folder_.write("twice.h",
                "#pragma once\n\n__device__ inline float twice(const float* at) {\n"
                "  return 2 * at[0];\n}\n");
  const Subject subject = folder_.load(
      "k.hip",
      "#include <hip/hip_runtime.h>\n#include <cublas_v2.h>\n#include \"twice.h\"\n"
      "#ifndef FACTOR\n#error no FACTOR\n#endif\n"
      "namespace kernels {\ntemplate <int STEP>\n"
      "__global__ void scale(float* x) {\n"
      "  x[threadIdx.x * STEP] = twice(x + threadIdx.x) * FACTOR;\n}\n}\n"
      "int main() { std::vector<int> not_even_included; }\n",
      "function = \"kernels::scale<2>\"\n"
      "grid = [1]\n[tensors.x]\ndtype = \"fp32\"\nshape = [256]\n[constexprs]\nFACTOR = 3\n"
      "[launch]\nthreads = 64\n");
  const auto stream = subject.trace({0, 0, 0});
  ASSERT_EQ(stream.size(), 2U);
  EXPECT_EQ(stream[1].line, 10);
  EXPECT_EQ(stream[1].at.at(5), 40);
  const auto& read = subject.program->sites[0];
  EXPECT_EQ(subject.program->places[static_cast<std::size_t>(read.place)].function, "twice.h:4");
}

TEST_F(Compile, WhatHostCodeLeavesBehindIsNoMatter) {
  const Subject subject =
      folder_.load("k.hip",
                   "#include <iostream>\n#include <map>\n#include <string>\n"
                   "const std::string name = \"a text that is too long to be held in place\";\n"
                   "const std::map<int, std::string> names = {{1, name}};\n"
                   "__global__ void k(float* x) { x[threadIdx.x] = 1; }\n"
                   "int main() { std::cout << names.at(1) << std::endl; }\n",
                   kCompiledJob);
  EXPECT_EQ(subject.trace({0, 0, 0}).size(), 1U);
}

TEST_F(Compile, AnotherClangMayBeNamed) {
  setenv("HEDDLE_CLANG", "/nowhere/clang-of-nobody", 1);
  const Error error = refusal("__global__ void k(float* x) { x[0] = 1; }\n");
  unsetenv("HEDDLE_CLANG");
  EXPECT_EQ(error.code(), ExitCode::missing);
  EXPECT_THAT(error.message(), HasSubstr("/nowhere/clang-of-nobody"));
  EXPECT_THAT(error.hint(), HasSubstr("clang-19"));
}

TEST_F(Compile, WhatTheGpusCompilerSays) {
  const auto scalar_lines = [](const Subject& subject) {
    const auto facts = subject.program->facts("gfx90a");
    EXPECT_EQ(facts->reason, "");
    EXPECT_GT(facts->registers, 0);
    EXPECT_GT(facts->code_bytes, 0);
    std::map<std::pair<int, int>, bool> scalar;  // by line and column
    for (std::size_t k = 0; k < subject.program->sites.size(); ++k) {
      const auto& site = subject.program->sites[k];
      if (site.kind != kernel::MemoryKind::read) continue;
      const auto position = subject.program->places[static_cast<std::size_t>(site.place)].position;
      scalar[{position.line, position.column}] = facts->scalar[k] != 0;
    }
    return scalar;
  };
  // row += A[j * n + i] * x[j]; sum += y[i] * row
  const Subject slow = load(example("yax_slow"), {"n=200", "m=37"});
  const auto of_slow = scalar_lines(slow);
  ASSERT_EQ(of_slow.size(), 3U);
  auto next = of_slow.begin();
  EXPECT_FALSE((next++)->second) << "A";
  EXPECT_TRUE((next++)->second) << "x[j] is the same for the wave";
  EXPECT_FALSE((next++)->second) << "y";
  // dot += row[j] * x[j]; sum += y[i] * partial[0]
  const Subject fast = load(example("yax_fast"), {"n=9", "m=64"});
  std::vector<bool> of_fast;
  for (const auto& [place, is_scalar] : scalar_lines(fast))
    if (place.first != 20 && place.first != 16 + 6) of_fast.push_back(is_scalar);
  int scalars = 0;
  for (const bool one : of_fast) scalars += one ? 1 : 0;
  EXPECT_EQ(scalars, 1) << "y[i] alone";

  // A tile with rows: m multiply-adds and one more for each lane.
  trace::Tracer tracer(*slow.program, slow.launch, {});
  slow.trace(tracer, {1, 0, 0});
  std::int64_t fused = 0;
  for (const auto& count : tracer.arithmetic())
    if (count.kind == kernel::ArithmeticKind::fused && count.type == config::DType::float64)
      fused += count.count;
  EXPECT_EQ(fused, 64 * (37 + 1));

  const Subject shared = load(example("transpose_shared"), {"rows=64", "columns=64"});
  EXPECT_EQ(shared.program->facts("gfx90a")->shared_bytes, 32 * 33 * 4);
}

}  // namespace
}  // namespace heddle::test
