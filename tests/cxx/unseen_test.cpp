// Kernels whose tiles depend on one another by accesses that the tracer does not see: none of them
// is PROVED independent, each says why and where. And honest ones that look like them.
#include "kernel/cxx/unseen.h"

#include "subject.h"
#include "trace/independence.h"

namespace heddle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kTwoTensorsJob = R"(function = "k"
grid = [4]
[tensors.out]
dtype = "fp32"
shape = [4096]
[tensors.in]
dtype = "fp32"
shape = [4096]
[scalars]
n = 3
[launch]
threads = 32
)";

constexpr const char* kHead = R"(#include <hip/hip_runtime.h>
typedef float v8 __attribute__((ext_vector_type(8)));
typedef float v16 __attribute__((vector_size(64)));
typedef double d4 __attribute__((vector_size(32)));
struct Row { float v[7]; };
extern "C" { __device__ char* strcpy(char*, const char*); __device__ void* malloc(unsigned long);
__device__ void free(void*); __device__ long time(long*); __device__ int rand();
__device__ void qsort(void*, unsigned long, unsigned long, int (*)(const void*, const void*)); }
)";

/// A kernel that writes an element of its own and does `body` beside it; `before` stands above it.
std::string busy_kernel(const std::string& body, const std::string& before = "") {
  return kHead + before +
         "__global__ void k(float* out, const float* in, int n) {\n"
         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  out[i] = in[i];\n" +
         body + "\n}\n";
}

class Unseen : public testing::Test {
 protected:
  void SetUp() override { HEDDLE_NEED_CLANG(); }

  IndependenceReport judge(const std::string& source) {
    const Subject subject =
        folder_.load("k" + std::to_string(number_++) + ".hip", source, kTwoTensorsJob);
    IndependenceReport report;
    const auto independent = trace::find_independence(*subject.program, subject.launch, {}, report);
    EXPECT_EQ(independent.has_value(), report.verdict == Verdict::proved);
    return report;
  }

  /// UNKNOWN, for a reason with these words.
  void expect_unknown(const std::string& source, const std::string& words) {
    const IndependenceReport report = judge(source);
    EXPECT_EQ(report.verdict, Verdict::unknown) << source;
    EXPECT_THAT(report.reason, HasSubstr(words)) << source;
  }

  /// Seen or not: another tile's element is written.
  void expect_not_proved(const std::string& source) {
    EXPECT_NE(judge(source).verdict, Verdict::proved) << source;
  }

  Folder folder_;
  int number_ = 0;
};

TEST_F(Unseen, FunctionsWithoutCallbacks) {
  constexpr const char* kCall = "hidden(out + 4000, in);";
  for (
      const char* const before :
      {R"(__device__ __attribute__((no_sanitize("coverage"), noinline)) void hidden(float* p, const float* q) { p[3] += q[3]; }
)",
       R"([[clang::no_sanitize("coverage"), gnu::noinline]] __device__ void hidden(float* p, const float* q) { *p = *q; }
)",
       R"(#pragma clang attribute push(__attribute__((no_sanitize("coverage"), noinline)), apply_to = function)
__device__ void hidden(float* p, const float* q) { p[1] = q[1]; }
#pragma clang attribute pop
)"})
    expect_unknown(busy_kernel(kCall, before), "has no callback");
  // What is inlined into code with callbacks gets them.
  expect_not_proved(
      busy_kernel(kCall, R"(__device__ __attribute__((no_sanitize("coverage"))) inline void
hidden(float* p, const float* q) { p[1] = q[1]; }
)"));
  // Copies of structs report themselves by another sanitizer.
  expect_unknown(
      busy_kernel(
          "hidden((Row*)(out + 4000), (const Row*)in);",
          R"(__device__ __attribute__((no_sanitize("kernel-address"), noinline)) void hidden(Row* p, const Row* q) { *p = *q; }
)"),
      "llvm.memcpy");
}

TEST_F(Unseen, KernelsAreInlinedAndGetTheirCallbacks) {
  const char* const body = "%s\n}\n#pragma clang attribute pop\nnamespace {";
  const char* const head =
      "#pragma clang attribute push(__attribute__((no_sanitize(\"coverage\"))), apply_to = "
      "function)\n";
  const auto judged = [&](const std::string& statement) {
    std::string text = body;
    text.replace(text.find("%s"), 2, statement);
    return judge(busy_kernel(text, head)).verdict;
  };
  EXPECT_EQ(judged(""), Verdict::proved);
  EXPECT_EQ(judged("out[4000] = in[i];"), Verdict::refuted);
}

TEST_F(Unseen, WideVectors) {
  for (const char* const body :
       {"*(v8*)(out + 4000) = v8{1, 2, 3, 4, 5, 6, 7, (float)i};", "*(v16*)(out + 4000) += 1.0f;",
        "if (n > 2) *(volatile d4*)(out + 4000) = *(const d4*)in;",
        "*(_BitInt(256)*)(out + 4000) += i;",
        "float* p = (float*)((unsigned long)out + 16000); *(v8*)p = *(v8*)p + 1.0f;"})
    expect_unknown(busy_kernel(body), " bytes has no callback");
}

TEST_F(Unseen, VectorBuiltins) {
#if defined(__aarch64__)
  constexpr const char* kInclude = "#include <arm_neon.h>\n";
  constexpr const char* kBodies[] = {
      "float32x4x2_t v = vld2q_f32(in); vst2q_f32(out + 4000, v);",
      "float32x4x3_t v = vld3q_f32(in); vst3q_f32(out + 4000, v);",
      "float32x4x2_t v = vld1q_f32_x2(in); vst1q_f32_x2(out + 4000, v);"};
#else
  constexpr const char* kInclude = "typedef char c16 __attribute__((vector_size(16)));\n";
  constexpr const char* kBodies[] = {
      "__builtin_ia32_maskmovdqu(c16{} + (char)i, c16{} - (char)1, (char*)(out + 4000));",
      "__builtin_ia32_fxsave(out + 2000);", "__builtin_ia32_clflush(out + 4000);"};
#endif
  for (const char* const body : kBodies)
    expect_unknown(kInclude + busy_kernel(body), "without a callback");
}

TEST_F(Unseen, FunctionsOfTheLibraryThatWrite) {
  const std::pair<const char*, const char*> kCases[] = {
      {"out[i] = frexpf(in[i], (int*)out + 4000);", "'frexpf'"},
      {"out[i] = modff(in[i], out + 4000);", "'modff'"},
      {"strcpy((char*)(out + 4000), (const char*)in);", "'strcpy'"},
      {"qsort(out + 3990, 64, 4, [](const void* a, const void* b) { return 0; });", "'qsort'"},
      {"out[i] = rand();", "'rand'"},
      {"out[i] = time((long*)(out + 4000));", "'time'"}};
  for (const auto& [body, words] : kCases) expect_unknown(busy_kernel(body), words);
  expect_not_proved(busy_kernel("sincosf(in[i], out + 4000, out + 4001);"));
  expect_not_proved(busy_kernel(R"(strcpy((char*)(out + 4000), "text");)"));
  expect_not_proved(busy_kernel("memcpy(out + 4000, in, 4 * n);"));
  expect_not_proved(busy_kernel("memset(out + 4000, 0, 4 * n);"));
}

TEST_F(Unseen, WhatIsKeptFromTileToTile) {
  expect_unknown(busy_kernel("float* p = new float[4]; p[n & 3] = 1; out[i] = p[0]; delete[] p;"),
                 "may touch memory, or keep something from tile to tile");
  expect_unknown(
      busy_kernel("float* volatile p = (float*)malloc(64); out[i] = p[n]; p[n] = i; free(p);"),
      "'malloc'");
  expect_unknown(busy_kernel("out[i] = ++last;", "__device__ thread_local int last = 0;\n"),
                 "thread_local");
  expect_unknown(busy_kernel("static thread_local int last; out[i] = last++;"), "thread_local");
  expect_unknown(
      busy_kernel("out[i] = opterr; opterr = i;", "extern \"C\" __device__ int opterr;\n"),
      "another library");
  expect_unknown(busy_kernel("out[i] = kept++;",
                             "__device__ __attribute__((section(\"mine\"))) int kept = 1;\n"),
                 "section whose writes are not noticed");
  // Variables that are watched are an Error of the trace, which makes the verdict UNKNOWN.
  expect_unknown(busy_kernel("static int last; out[i] = last++;"), "__device__ variables");
}

TEST_F(Unseen, Clocks) {
  expect_unknown(busy_kernel("if (clock64() % 2) out[4000] = 1;"), "reads a clock");
  expect_unknown(busy_kernel("if (wall_clock64() % 2) out[4000] = 1;"), "reads a clock");
  expect_unknown(busy_kernel("out[i] = __builtin_readcyclecounter();"), "readcyclecounter");
}

TEST_F(Unseen, CallsThroughPointers) {
  expect_unknown(busy_kernel("table[n & 1](out + i);",
                             R"(__device__ void one(float* p) { *p = 1; }
__device__ void two(float* p) { *p = 2; }
typedef void (*Function)(float*);
__device__ Function table[] = {one, two};
)"),
                 "call through a pointer");
  expect_not_proved(
      busy_kernel("((float* (*)(float*, int, int))(unsigned long)in[0])(out, 1, 2);"));
}

TEST_F(Unseen, AssemblyIsRefused) {
  const auto error = [&](const std::string& source) {
    return error_of([&] { judge(source); }).full_text();
  };
  const auto words = HasSubstr("whose accesses cannot be observed");
  folder_.write("hidden.h", "asm(\".text\\nhidden_store: ret\\n\");\n");
  EXPECT_THAT(error(busy_kernel("", "#include \"hidden.h\"\n")), words);
  // In the kernel's own file it belongs to the host: what it defines is not there for the kernel.
  const std::string host =
      "__asm__(\".text\\n.globl hidden\\nhidden: ret\");\n"
      "extern \"C\" __device__ void hidden(float*);\n" +
      busy_kernel("hidden(out + 4000);");
  try {
    EXPECT_NE(judge(host).verdict, Verdict::proved);
  } catch (const Error& refused) {
    EXPECT_FALSE(refused.message().empty());
  }
  EXPECT_THAT(error(busy_kernel("asm volatile(\"nop\");")), AllOf(words, HasSubstr(":12:")));
  EXPECT_THAT(error(busy_kernel("asm volatile(\"nop # heddle\");")), words);
  EXPECT_EQ(judge(busy_kernel("asm volatile(\"\" ::: \"memory\");")).verdict, Verdict::proved);
}

TEST_F(Unseen, NamesOfTheTracerAreRefused) {
  const Error error = error_of([&] {
    judge(
        busy_kernel("", "extern \"C\" __device__ void heddle_store4(const void*, unsigned) {}\n"));
  });
  EXPECT_THAT(error.message(), HasSubstr("'heddle_store4', a name of the tracer"));
}

TEST_F(Unseen, AtomicsThatAreNotAnnounced) {
  const auto refused = [&](const std::string& body) {
    EXPECT_THAT(error_of([&] { judge(busy_kernel(body)); }).message(),
                HasSubstr("atomics of the compiler"))
        << body;
  };
  refused("__atomic_fetch_add((int*)out + 4000, 1, __ATOMIC_RELAXED);");
  refused("__sync_lock_test_and_set((int*)out + 4000, i);");
  refused("int e = 0; __atomic_compare_exchange_n((int*)out + 4000, &e, i, 0, 0, 0);");
  // One that is announced does not speak for another.
  refused("int* p = (int*)out + 4000; atomicAdd(p, 1); __atomic_exchange_n(p, i, 0);");
  refused(
      "int* p = (int*)out + 4000; if (n > 5) atomicAdd(p, 1);\n"
      "__atomic_fetch_add(p, 1, __ATOMIC_RELAXED);");
}

TEST_F(Unseen, HonestKernelsStayProved) {
  for (const char* const body :
       {"float s, c; sincosf(in[i], &s, &c); out[i] = s * c;",
        "int e; float w; out[i] = frexpf(in[i], &e) + e + modff(in[i], &w) + w;",
        "((float4*)out)[i + 100] = ((const float4*)in)[i];",
        "float v[8]; for (int k = 0; k < 8; ++k) v[k] = in[i] * k; out[i] = v[n];",
        "Row* rows = (Row*)(out + 1000) + i; if (i < 128) *rows = *((const Row*)in + i);",
        "atomicAdd(out + 4000, in[i]);", "atomicMax((int*)out + 4001, i);",
        "if (n > 2) atomicAdd((int*)out + 4000, 1); else atomicAdd((int*)out + 4001, 1);",
        "volatile float* p = out; p[i] = powf(in[i], 2.5f) + erff(in[i]) + tgammaf(in[i]);",
        "float* p = (float*)((unsigned long)out + 4 * i); *p = 1; printf(\"%f\", *p);",
        "__shared__ float s[32]; s[threadIdx.x] = in[i]; __syncthreads(); out[i] = s[31 - "
        "threadIdx.x];",
        "auto twice = [&](float x) { return x + x; }; out[i] = twice(in[i]); assert(n == 3);",
        "out[i] = __builtin_nontemporal_load(in + i);",
        "out[i] = __shfl_down(in[i], 1) + rsqrtf(in[i]) + normcdff(in[i]);"}) {
    const IndependenceReport report = judge(busy_kernel(body));
    EXPECT_EQ(report.verdict, Verdict::proved) << body << ": " << report.reason;
  }
}

TEST_F(Unseen, WhatIsNotReachedDoesNotMatter) {
  EXPECT_EQ(judge(busy_kernel("",
                              "__device__ float* waste() { return new float[3]; }\n"
                              "__global__ void other(float* p) { *(v8*)p = v8(1.0f); }\n"))
                .verdict,
            Verdict::proved);
}

TEST_F(Unseen, AConflictThatIsSeenIsStillOne) {
  EXPECT_EQ(judge(busy_kernel("out[4000] = i; *(v8*)(out + 3000) = v8(1.0f);")).verdict,
            Verdict::refuted);
}

TEST_F(Unseen, ReadsBeyondTheTensor) {
  // Within the tensor's last page, by one element, by a vector that straddles its end, before it.
  constexpr const char* kSmall = R"(grid = [4]
[tensors.out]
dtype = "fp32"
shape = [1000]
[tensors.in]
dtype = "fp32"
shape = [1000]
[scalars]
n = 3
[launch]
threads = 32
)";
  for (const char* const body :
       {"out[i] += in[1000];", "out[i] += in[i == 127 ? 1010 : i];",
        "if (i == 7) out[i] += ((const float4*)(in + 997))->x + ((const float4*)(in + 997))->w;"}) {
    const Subject subject =
        folder_.load("r" + std::to_string(number_++) + ".hip", busy_kernel(body), kSmall);
    IndependenceReport report;
    EXPECT_FALSE(trace::find_independence(*subject.program, subject.launch, {}, report)) << body;
    EXPECT_EQ(report.verdict, Verdict::unknown) << body;
    EXPECT_THAT(report.reason, HasSubstr("reads outside its tensor")) << body;
  }
  // Far outside there is no other tensor, however the launch has them: the trace ends.
  const Subject far =
      folder_.load("far.hip", busy_kernel("out[i] += in[n == 3 ? 1 << 20 : 0];"), kSmall);
  IndependenceReport report;
  EXPECT_FALSE(trace::find_independence(*far.program, far.launch, {}, report));
  EXPECT_THAT(report.reason, HasSubstr("reads byte 4194304 of 'in', which has 4000"));
}

/// What is unseen in a module whose entry has these instructions; "line: what" of each.
std::vector<std::string> unseen_in(const std::string& instructions, const std::string& more = "") {
  const std::string module = "@kept = global i32 0, align 4 #0\n" + more +
                             R"(define void @heddle_entry(ptr %p, i32 %n) #1 !dbg !3 {
entry:
  %own = alloca [4 x float], align 16
)" + instructions + R"(  ret void, !dbg !4
}
declare <2 x float> @llvm.fabs.v2f32(<2 x float>) #2
attributes #0 = { "data-section"="heddle_globals" }
attributes #1 = { nounwind }
attributes #2 = { nounwind memory(none) }
!1 = !DIFile(filename: "/x/main_file", directory: "/")
!2 = !DIFile(filename: "/x/common.h", directory: "/")
!3 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 2)
!4 = !DILocation(line: 7, column: 3, scope: !3)
!5 = distinct !DISubprogram(name: "f", scope: !2, file: !2, line: 9)
!6 = !DILocation(line: 12, column: 1, scope: !5, inlinedAt: !4)
!7 = !DILocation(line: 12, column: 1, scope: !5)
)";
  std::vector<std::string> found;
  for (const kernel::UnseenAccess& one : kernel::cxx::unseen_accesses(module, "main_file"))
    found.push_back(kernel::unseen_text({one}));
  return found;
}

TEST(UnseenCode, CallbacksHaveTheAddressAndTheSize) {
  using testing::ElementsAre;
  using testing::IsEmpty;
  const std::string load = "  %v = load i32, ptr %p, align 4, !dbg !4\n";
  EXPECT_THAT(unseen_in("  call void @__sanitizer_cov_load4(ptr %p), !dbg !4\n" + load), IsEmpty());
  EXPECT_THAT(unseen_in(load), ElementsAre("line 7: a load of 4 bytes has no callback"));
  const auto has_one = testing::SizeIs(1);
  EXPECT_THAT(unseen_in("  call void @__sanitizer_cov_load8(ptr %p)\n" + load), has_one);
  EXPECT_THAT(unseen_in("  call void @__sanitizer_cov_load4(ptr %q)\n" + load), has_one);
  EXPECT_THAT(unseen_in("  call void @__sanitizer_cov_store4(ptr %p)\n" + load), has_one);
  EXPECT_THAT(unseen_in("  call void @__sanitizer_cov_load4(ptr %p)\n" + load + load), has_one);
  // Constant addresses, atomic and volatile accesses, vectors.
  EXPECT_THAT(unseen_in("  call void @__sanitizer_cov_store4(ptr getelementptr inbounds (i8, ptr "
                        "@kept, i64 4))\n  store atomic volatile i32 1, ptr getelementptr inbounds "
                        "(i8, ptr @kept, i64 4) release, align 4\n"),
              IsEmpty());
  EXPECT_THAT(
      unseen_in("  call void @__sanitizer_cov_store16(ptr %p)\n"
                "  store <4 x float> <float 1.0, float 2.0, float 3.0, float 4.0>, ptr %p\n"),
      IsEmpty());
  EXPECT_THAT(unseen_in("  store <3 x float> zeroinitializer, ptr %p, align 16\n"), has_one);
  EXPECT_THAT(unseen_in("  %v = load i32, ptr addrspace(257) %q, align 4\n"), has_one);
}

TEST(UnseenCode, TheStackIsPrivateWhereItIsNamed) {
  EXPECT_THAT(unseen_in("  store <8 x float> zeroinitializer, ptr %own, align 32\n"
                        "  %at = getelementptr inbounds [4 x float], ptr %own, i64 0, i64 2\n"
                        "  store float 1.0, ptr %at, align 4\n"),
              testing::IsEmpty());
  EXPECT_THAT(unseen_in("  %at = getelementptr inbounds [4 x float], ptr %own, i64 0, i64 %n\n"
                        "  store float 1.0, ptr %at, align 4\n"),
              testing::SizeIs(1));
}

TEST(UnseenCode, IntrinsicsOfBothProcessors) {
  EXPECT_THAT(unseen_in("  %v = call <2 x float> @llvm.fabs.v2f32(<2 x float> zeroinitializer)\n"),
              testing::IsEmpty());
  for (const char* const call :
       {"void @llvm.aarch64.neon.st2.v4f32.p0(<4 x float> %a, <4 x float> %b, ptr %p)",
        "{ <4 x float>, <4 x float> } @llvm.aarch64.neon.ld2.v4f32.p0(ptr %p)",
        "i64 @llvm.aarch64.ldxr.p0(ptr elementtype(i32) %p)",
        "void @llvm.x86.sse2.maskmov.dqu(<16 x i8> %a, <16 x i8> %b, ptr %p)",
        "void @llvm.masked.store.v8f32.p0(<8 x float> %a, ptr %p, i32 4, <8 x i1> %m)",
        "void @llvm.masked.scatter.v4f32.v4p0(<4 x float> %a, <4 x ptr> %q, i32 4, <4 x i1> %m)",
        "void @llvm.memcpy.p0.p0.i64(ptr align 4 %p, ptr align 4 %own, i64 16, i1 false)",
        "i64 @llvm.x86.rdtsc()"})
    EXPECT_THAT(unseen_in(std::string("  call ") + call + "\n"), testing::SizeIs(1)) << call;
  EXPECT_THAT(
      unseen_in("  call void @llvm.memset.p0.i64(ptr align 4 %own, i8 0, i64 16, i1 false)\n"),
      testing::IsEmpty());
}

TEST(UnseenCode, ArgumentsByValueAreCopied) {
  const std::string take =
      "define void @take(ptr byval(%struct.Row) %row) {\nentry:\n  ret void\n}\n";
  EXPECT_THAT(unseen_in("  call void @take(ptr byval(%struct.Row) align 8 %p), !dbg !4\n", take),
              testing::ElementsAre("line 7: an argument is copied from memory without a callback"));
  EXPECT_THAT(unseen_in("  call void @take(ptr byval(%struct.Row) align 8 %own)\n", take),
              testing::IsEmpty());
}

TEST(UnseenCode, PlacesOfOtherFiles) {
  EXPECT_THAT(unseen_in("  store i64 0, ptr %p, align 8, !dbg !6\n"),
              testing::ElementsAre("line 7: a store of 8 bytes has no callback"));
  EXPECT_THAT(unseen_in("  store i64 0, ptr %p, align 8, !dbg !7\n"),
              testing::ElementsAre("common.h:12: a store of 8 bytes has no callback"));
}

TEST(UnseenCode, WithoutAPlaceThatOfTheFunction) {
  EXPECT_THAT(unseen_in("  store i64 0, ptr %p, align 8\n"),
              testing::ElementsAre("line 2: a store of 8 bytes has no callback"));
}

TEST(UnseenCode, EveryWayToAnAtomicAnnouncesIt) {
  const std::string announce = "  call void @heddle_atomic4(ptr noundef nonnull %p) #1, !dbg !4\n";
  const std::string change = "  %old = atomicrmw add ptr %p, i32 1 monotonic, align 4, !dbg !4\n";
  EXPECT_THAT(unseen_in(announce + change), testing::IsEmpty());
  EXPECT_THAT(
      unseen_in(announce + "  br label %loop\nloop:\n"
                           "  %pair = cmpxchg ptr %p, i32 1, i32 2 monotonic monotonic, align "
                           "4, !dbg !4\n  br i1 %c, label %out, label %loop\nout:\n"),
      testing::IsEmpty());
  EXPECT_THROW(unseen_in(change + announce), Error);
  EXPECT_THROW(unseen_in("  br i1 %c, label %yes, label %all\nyes:\n" + announce +
                         "  br label %all\nall:\n" + change),
               Error);
  EXPECT_THROW(unseen_in(announce + "  %old = atomicrmw add ptr %p, i64 1 monotonic, !dbg !4\n"),
               Error);
}

}  // namespace
}  // namespace heddle::test
