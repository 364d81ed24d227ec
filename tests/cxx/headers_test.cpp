// C++ kernels as projects keep them: headers with host code, missing libraries, include folders,
// structs as parameters. Results are compared with plain loops.
#include "infer/skeleton.h"
#include "subject.h"
#include "trace/independence.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using infer::TriedSkeleton;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kHeaderJob = R"(grid = [4]
[tensors.x]
dtype = "fp32"
shape = [128]
contents = "range"
[scalars]
n = 100
[launch]
threads = 32
)";

class Headers : public testing::Test {
 protected:
  void SetUp() override {
    HEDDLE_NEED_CLANG();
    fs::create_directories(folder_.path() + "/project/src/kernels");
    fs::create_directories(folder_.path() + "/project/include/deep");
    fs::create_directory(folder_.path() + "/project/.git");
  }
  /// A file of the project.
  void write(const std::string& name, const std::string& text) {
    folder_.write("project/" + name, text);
  }
  Subject load(const std::string& source, const std::string& job = kHeaderJob,
               const std::string& before = "", const std::string& file = "k.cu") {
    write("src/kernels/" + file, source);
    return test::load(folder_.write("project/src/kernels/job.toml",
                                    "kernel = \"" + file + "\"\nfunction = \"k\"\n" + before + job),
                      {});
  }
  std::string refused(const std::string& source, const std::string& job = kHeaderJob) {
    return error_of([&] { load(source, job); }).full_text();
  }
  /// x[i] = f(i) for i < n, else i.
  void expect(const Subject& subject, const std::function<double(double)>& f, int n = 100) {
    const auto results = subject.run();
    ASSERT_EQ(results.count("x"), 1U);
    for (int i = 0; i < 128; ++i)
      ASSERT_EQ(results.at("x")[static_cast<std::size_t>(i)], i < n ? f(i) : i) << i;
  }

  Folder folder_;
};

constexpr const char* kScaled =
    "__global__ void k(float* x, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) x[i] = scale(x[i]);\n}\n";

TEST_F(Headers, HostCodeAndMissingLibrariesCostNothing) {
  write("include/common.h",
        "#pragma once\n#include <cublas_v2.h>\n#include \"nowhere/library.hpp\"\n"
        "#define INLINE_DEV static __device__ __forceinline__\n"
        "inline void check(cublasStatus_t s) { if (s) report(cublasName(s)); }\n"
        "template <class T> void print(const library::Table<T>& t) { t.show(); }\n"
        "extern library::Table<int> table;\n"
        "struct Owner { library::Handle handle; ~Owner() { library::free(handle); } };\n");
  write("include/deep/math.cuh",
        "#include \"common.h\"\n"
        "INLINE_DEV float by(library::Handle h) { return h.x; }\n"
        "INLINE_DEV float by(float x) { return x * 3; }\n"
        "INLINE_DEV float scale(float x) { return by(x) + 1; }\n");
  const Subject subject = load(std::string("#include \"deep/math.cuh\"\n"
                                           "__global__ void other(Owner o) { o.run(); }\n") +
                               kScaled + "int main() { cublasHandle_t h; k<<<1, 1>>>(0, 0); }\n");
  expect(subject, [](double x) { return 3 * x + 1; });
  EXPECT_TRUE(native_of(*subject.program)->code().unseen.empty());
}

TEST_F(Headers, AMissingHeaderIsNamed) {
  write("src/kernels/own.h", "#include <lib/tables.h>\nstruct Unused { lib::T t; };\n");
  EXPECT_THAT(
      refused("#include \"own.h\"\n__device__ float scale(float x) { return lib::f(x); }\n" +
              std::string(kScaled)),
      AllOf(HasSubstr("'lib'"), HasSubstr("not found: lib/tables.h"), HasSubstr("include")));
}

TEST_F(Headers, ABrokenNeighbourDoesNotMatter) {
  const Subject subject = load(
      "__global__ void texture(float* x) { x[0] = tex2D(t, 1, 2); }\n"
      "template <class T> __device__ T scale(T x) { return x + 1; }\n"
      "__device__ void mma(float* x) { asm volatile(\"mma.sync\" :: \"r\"(nothing)); }\n" +
      std::string(kScaled));
  expect(subject, [](double x) { return x + 1; });
}

/// An overload or specialisation that does not compile is not replaced by another one.
TEST_F(Headers, WhatIsNeededIsNotReplaced) {
  EXPECT_THAT(refused("__device__ float scale(float x) { return unknown(x); }\n"
                      "__device__ double scale(double x) { return x; }\n" +
                      std::string(kScaled)),
              HasSubstr("'unknown'"));
  EXPECT_THAT(refused("template <class T> struct Traits { static const int by = 1; };\n"
                      "template <> struct Traits<float> { static const int by = unknown; };\n"
                      "__device__ float scale(float x) { return x * Traits<float>::by; }\n" +
                      std::string(kScaled)),
              HasSubstr("'unknown'"));
  EXPECT_THAT(refused("template <int N> __device__ float part(float x) { return x; }\n"
                      "template <> __device__ float part<4>(float x) { return unknown; }\n"
                      "__device__ float scale(float x) { return part<4>(x); }\n" +
                      std::string(kScaled)),
              HasSubstr("'unknown'"));
}

TEST_F(Headers, FoldersAndMacrosOfTheJob) {
  fs::create_directories(folder_.path() + "/elsewhere");
  folder_.write("elsewhere/scale.h",
                "static __device__ float scale(float x) { return x * FACTOR; }\n");
  const std::string source = "#include \"scale.h\"\n" + std::string(kScaled);
  EXPECT_THAT(refused(source), HasSubstr("scale"));
  expect(load(source, kHeaderJob, "include = [\"../../../elsewhere\"]\ndefines = [\"FACTOR=5\"]\n"),
         [](double x) { return 5 * x; });
  EXPECT_THAT(error_of([&] { load(source, kHeaderJob, "include = [\"nowhere\"]\n"); }).full_text(),
              HasSubstr("not a directory"));
}

TEST_F(Headers, CompileCommands) {
  write("include/deep/scale.h", "static __device__ float scale(float x) { return x * FACTOR; }\n");
  const std::string project = folder_.path() + "/project";
  write("compile_commands.json", "[{\"directory\": \"" + project +
                                     "\", \"file\": \"src/kernels/k.cu\", \"command\": "
                                     "\"nvcc -Iinclude/deep -DFACTOR=7 -c src/kernels/k.cu\"}]");
  expect(load("#include \"scale.h\"\n" + std::string(kScaled)), [](double x) { return 7 * x; });
}

TEST_F(Headers, TwoHeadersOfOneNameAreNotGuessed) {
  fs::create_directories(folder_.path() + "/project/one");
  fs::create_directories(folder_.path() + "/project/two");
  write("one/pick.h", "static __device__ float scale(float x) { return 1; }\n");
  write("two/pick.h", "static __device__ float scale(float x) { return 2; }\n");
  EXPECT_THAT(refused("#include \"pick.h\"\n" + std::string(kScaled)), HasSubstr("pick.h"));
  write("Makefile", "all:\n\tnvcc -I two src/kernels/k.cu\n");
  expect(load("#include \"pick.h\"\n" + std::string(kScaled)), [](double) { return 2; });
}

TEST_F(Headers, TheOneAboveTheFileIsMeant) {
  fs::create_directories(folder_.path() + "/project/other");
  write("other/pick.h", "static __device__ float scale(float x) { return 1; }\n");
  write("src/pick.h", "static __device__ float scale(float x) { return 2; }\n");
  expect(load("#include \"pick.h\"\n" + std::string(kScaled)), [](double) { return 2; });
}

TEST_F(Headers, TwoHeadersThatAreNotNeededCostNothing) {
  fs::create_directories(folder_.path() + "/project/one");
  fs::create_directories(folder_.path() + "/project/two");
  write("one/report.h", "inline void report(Missing m);\n");
  write("two/report.h", "inline void report(Other o);\n");
  expect(load("#include \"report.h\"\n__device__ float scale(float x) { return 3; }\n" +
              std::string(kScaled)),
         [](double) { return 3; });
}

TEST_F(Headers, AnIncludeInAClassGoesWithTheClass) {
  write("include/members.h", "__device__ float by(float x) { return x * factor; }\n");
  const std::string group = "template <int factor> struct Group {\n#include \"members.h\"\n};\n";
  const std::string scale = "__device__ float scale(float x) { return ";
  expect(load(group + scale + "4; }\n" + kScaled), [](double) { return 4; });
  expect(load(group + scale + "Group<5>().by(1); }\n" + kScaled), [](double) { return 5; });
}

TEST_F(Headers, TypesOfPyTorchStandIn) {
  const Subject subject = load(
      "#include <ATen/AccumulateType.h>\n#include <torch/extension.h>\n"
      "using T = c10::BFloat16;\n"
      "__global__ void k(float* x, int n) {\n"
      "  using acc_t = at::acc_type<T, true>;\n"
      "  static_assert(sizeof(acc_t) == 4 && sizeof(at::acc_type<int, true>) == 8);\n"
      "  CUDA_KERNEL_LOOP(i, n) {\n"
      "    const T rounded = static_cast<acc_t>(x[i]) + 1 / 1024.0f;\n"
      "    const at::Half half(0x3c00, at::Half::from_bits());\n"
      "    const c10::Float8_e4m3fn eight(0.3f);\n"
      "    x[i] = WARP_SHFL_XOR(float(rounded), 1) + half + float(eight) + C10_WARP_SIZE; } }\n"
      "void run(torch::Tensor t) { k<<<4, 32>>>(t.data_ptr<float>(), 128); }\n");
  // Of whole numbers but 0, eight bits leave nothing of 1 / 1024; 0.3125 is nearest to 0.3.
  expect(subject, [](double i) {
    const double other = static_cast<double>(static_cast<int>(i) ^ 1);
    return (other == 0 ? 1 / 1024.0 : other) + 1 + 0.3125 + 32;
  });
}

TEST_F(Headers, NamesOfPyTorchWithoutItsNamespace) {
  const Subject subject = load(
      "#include <torch/types.h>\nusing namespace torch;\n"
      "#define ACCESSOR PackedTensorAccessor32<float, 1, RestrictPtrTraits>\n"
      "__global__ void k(ACCESSOR x) { x[threadIdx.x] = x.size(0); }\n",
      R"(grid = [1]
[tensors.x.data_]
dtype = "fp32"
shape = [128]
[scalars]
x."sizes_[0]" = 128
x."strides_[0]" = 1
[launch]
threads = 128
)");
  EXPECT_EQ(subject.run().at("x.data_").at(5), 128);
}

TEST_F(Headers, ComplexNumbersOfLibraries) {
  write("include/plan.h",
        "#include <cufft.h>\nstruct Plan { cufftHandle handle; };\n"
        "void transform(Plan p, cufftComplex* x) { cufftExecC2C(p.handle, x, x, CUFFT_FORWARD); }\n"
        "__device__ inline float real(cufftComplex x) { return x.x; }\n");
  const Subject subject = load(
      "#include <torch/extension.h>\n#include \"plan.h\"\n"
      "__device__ float scale(float x) {\n"
      "  c10::complex<float> z = 2.0f * c10::complex<float>(x, 1) - 1;\n"
      "  z = z / z * std::conj(c10::complex<float>(x, 3)) + c10::complex<float>(0, 3);\n"
      "  return z.real_ + z.imag() + real({x, 0}); }\n" +
      std::string(kScaled));
  expect(subject, [](double x) { return 2 * x; });
}

TEST_F(Headers, ConstantsOfHalfPrecision) {
  const Subject subject = load(
      "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
      "__device__ float scale(float x) {\n"
      "  return x + float(CUDART_MAX_NORMAL_FP16) + float(CUDART_ONE_FP16)\n"
      "      + float(CUDART_ONE_BF16) + (float(CUDART_INF_BF16) > 1e38f ? 1 : 0); }\n" +
      std::string(kScaled));
  expect(subject, [](double x) { return x + 65504 + 3; });
}

/// A file whose includer has included cuda_fp16.h, if that is nowhere: heddle's, and nothing is PROVED.
TEST_F(Headers, HalvesOfAnIncluderThatIsNotThere) {
  write("include/compat.h",
        "__device__ inline float rounded(float x) { half h = x; return __half2float(h); }\n");
  const Subject subject =
      load("#include \"compat.h\"\n__device__ float scale(float x) { return rounded(x) + 1; }\n" +
           std::string(kScaled));
  expect(subject, [](double x) { return x + 1; });
  EXPECT_NE(subject.program->traits().unseen.find("'half'"), std::string::npos);
}

TEST_F(Headers, DynamicSharedMemoryInAHeader) {
  write("include/shared.h",
        "#include <missing.h>\nextern __shared__ float parts[];\n"
        "static __device__ float scale(float x) {\n"
        "  parts[threadIdx.x] = x; __syncthreads(); return parts[threadIdx.x ^ 1]; }\n");
  const Subject subject = load("#include \"shared.h\"\n" + std::string(kScaled),
                               std::string(kHeaderJob) + "shared_bytes = 128\n");
  expect(subject, [](double x) { return static_cast<double>(static_cast<int>(x) ^ 1); });
}

TEST_F(Headers, HipInACuFileHasWavesOf64) {
  const char* const source =
      "__device__ float scale(float x) { return warpSize; }\n"
      "__global__ void k(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) x[i] = scale(0); }\n";
  expect(load(source), [](double) { return 32; });
  expect(load(std::string("#include <hip/hip_runtime.h>\n") + source), [](double) { return 64; });
}

TEST_F(Headers, StructsByValue) {
  const Subject subject = load(
      "#include <library.h>\n"
      "enum Mode { kAdd = 3, kTimes };\nenum class Kind : int { a, b };\n"
      "struct Inner { int n; float by[2]; };\n"
      "class Args { public: Inner in; float* x; __device__ float get(int i) const {\n"
      "    return x[i] * in.by[1] + hidden; }\n private: const int hidden = 0; };\n"
      "struct Plus { __device__ float operator()(float a, float b) const { return a + b; } };\n"
      "__global__ void k(const Args a, uint3 dims, Mode m, Kind kind, Plus op, float4 v) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < a.in.n && m == kTimes && kind == Kind::b)\n"
      "    a.x[i] = op(a.get(i), v.y + dims.z); }\n",
      R"(grid = [4]
[tensors.a.x]
dtype = "fp32"
shape = [128]
contents = "range"
[scalars]
a.in.n = 90
a.in."by[1]" = 2.0
a.hidden = 10
dims = { x = 1, z = 7 }
kind = 1
op = {}
v.y = 100.0
[constexprs]
m = "'kTimes'"
[launch]
threads = 32
)");
  const auto results = subject.run();
  ASSERT_EQ(results.count("a.x"), 1U);
  for (int i = 0; i < 128; ++i)
    EXPECT_EQ(results.at("a.x")[static_cast<std::size_t>(i)], i < 90 ? 2 * i + 10 + 107 : i) << i;
  EXPECT_TRUE(native_of(*subject.program)->code().unseen.empty());
}

TEST_F(Headers, StructsThatDoNotFit) {
  const std::string source =
      "struct P { int n; };\n__global__ void k(P p, float* x) { x[0] = p.n; }\n";
  const std::string rest = "[tensors.x]\ndtype = \"fp32\"\nshape = [4]\n[launch]\nthreads = 1\n";
  const auto with = [&](const std::string& scalars) {
    return refused(source, "grid = [1]\n" + scalars + rest);
  };
  EXPECT_THAT(with("[scalars]\np.m = 1\n"), HasSubstr("no member named 'm'"));
  EXPECT_THAT(with(""),
              AllOf(HasSubstr("says nothing about parameter 'p'"), HasSubstr("p.MEMBER")));
  EXPECT_THAT(with("[scalars]\np.\"n;x\" = 1\n"), HasSubstr("cannot be a name"));
  EXPECT_THAT(with("[constexprs]\np = \"'P{1}; while(1)'\"\n"), HasSubstr("cannot be"));
}

/// Kernels of one name: the job says which by the types of parameters.
TEST_F(Headers, OverloadsBySignature) {
  write("src/kernels/k.cu",
        "namespace a {\nusing real = float;\n"
        "__global__ void k(double* x, int n) { x[0] = 7; }\n"
        "__global__ void k(real* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 2; }\n"
        "template <int by> __global__ void k(real* x, int n, int) {\n"
        "  if (threadIdx.x < n) x[threadIdx.x] = by; }\n}\n"
        "void run(float* x) { a::k<9><<<1, 32>>>(x, 4, 5); }\n");
  const auto first = [&](const std::string& function) {
    const Subject subject = test::load(
        folder_.write("project/src/kernels/job.toml",
                      "kernel = \"k.cu\"\nfunction = \"" + function + "\"\n" + kHeaderJob),
        {});
    EXPECT_EQ(subject.trace({0, 0, 0}).size(), 1U);
    return subject.run().at("x")[0];
  };
  EXPECT_EQ(first("k(real*, int)"), 2);
  EXPECT_THAT(error_of([&] { first("k"); }).full_text(),
              HasSubstr("name one of: a::k(double*, int), a::k(real*, int), "
                        "a::k(real*, int, int)"));
  const TriedSkeleton tried =
      infer::try_skeleton(*kernel::Source::open(folder_.path() + "/project/src/kernels/k.cu"), "k");
  EXPECT_EQ(tried.input.function + tried.input.signature, "a::k(real*, int, int)");
  EXPECT_EQ(tried.problem, "");
}

/// Static members, also of templates and private ones, and what macros make.
TEST_F(Headers, KernelsOfClassesAndMacros) {
  const auto run = [&](const std::string& function) {
    return test::load(
        folder_.write("project/src/kernels/job.toml",
                      "kernel = \"k.hip\"\nfunction = \"" + function + "\"\n" + kHeaderJob),
        {});
  };
  write("src/kernels/k.hip",
        "#include <missing.h>\n#include <vector>\n"
        "#define MAKE(name, sign) __global__ void name(float* x, int n) { \\\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = x[i] sign 3; }\n"
        "namespace lib {\nMAKE(added, +)\nMAKE(times, *)\n"
        "template <class T, int by> class Scale {\n"
        "  std::vector<T> host; Missing other;\n"
        " public: Scale() { kernel<<<1, 32>>>(host.data(), 3); }\n"
        " private:\n  __device__ static T scale(T x) { return x * by; }\n"
        "  __global__ static void kernel(T* x, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = scale(x[i]); }\n"
        "};\n}\n");
  expect(run("added"), [](double x) { return x + 3; });
  expect(run("lib::times"), [](double x) { return x * 3; });
  write("src/kernels/k.hip",
        "#include <vector>\nnamespace lib {\n"
        "template <class T, int by> class Scale {\n  std::vector<T> host;\n"
        " public: void launch() { kernel<<<1, 32>>>(host.data(), 3); }\n"
        " private:\n  __device__ static T scale(T x) { return x * by; }\n"
        "  __global__ static void kernel(T* x, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = scale(x[i]); }\n"
        "};\n}\n");
  expect(run("Scale<float, 5>::kernel"), [](double x) { return x * 5; });
  EXPECT_THAT(error_of([&] { run("Scale::kernel"); }).full_text(),
              HasSubstr("function = \"lib::Scale<...>::kernel\""));
}

/// What a using-declaration names for the host goes, and its neighbours stay.
TEST_F(Headers, AUsingOfHostCodeGoes) {
  write("include/lib.h",
        "#include <torch/x.h>\nnamespace lib::sub {\n"
        "inline void check(const char* what) { TORCH_CHECK(cudaGetLastError() == 0, what); }\n"
        "__device__ inline float twice(float x) { return 2 * x; }\n}\n");
  expect(load("#include \"lib.h\"\nusing lib::sub::check;\nusing lib::sub::twice;\n"
              "__device__ float scale(float x) { return twice(x); }\n" +
              std::string(kScaled) + "void run() { check(\"k\"); }\n"),
         [](double x) { return 2 * x; });
}

/// PyTorch's packed accessors, with sizes and strides of the job.
TEST_F(Headers, AccessorsOfPyTorch) {
  const Subject subject = load(
      "#include <torch/extension.h>\n"
      "__global__ void k(\n"
      "    torch::PackedTensorAccessor32<float, 2, torch::RestrictPtrTraits> x) {\n"
      "  const int row = blockIdx.x, column = threadIdx.x;\n"
      "  if (row < x.size(0) && column < x.size(1)) x[row][column] = 100 * row + column; }\n",
      R"(grid = [4]
[tensors.x.data_]
dtype = "fp32"
shape = [128]
[scalars]
x."sizes_[0]" = 3
x."sizes_[1]" = 5
x."strides_[0]" = 32
x."strides_[1]" = 2
[launch]
threads = 32
)",
      "", "k.cu");
  const auto x = subject.run().at("x.data_");
  for (std::size_t i = 0; i < 128; ++i) {
    const std::size_t row = i / 32;
    const std::size_t column = i % 32 / 2;
    const bool is_hit = row < 3 && column < 5 && i % 2 == 0;
    EXPECT_EQ(x[i], is_hit ? static_cast<double>(100 * row + column) : 0) << i;
  }
}

/// Tiles that share what a struct points to are not called independent.
TEST_F(Headers, TensorsInStructsConflict) {
  const Subject subject = load(
      "#include <library.h>\nstruct P { const float* in; float* out; };\n"
      "__global__ void k(P p) { p.out[threadIdx.x] = p.in[blockIdx.x]; }\n",
      "grid = [4]\n[tensors.p.in]\ndtype = \"fp32\"\nshape = [4]\ncontents = \"range\"\n"
      "[tensors.p.out]\ndtype = \"fp32\"\nshape = [32]\n[launch]\nthreads = 32\n");
  const auto stream = subject.trace({2, 0, 0});
  ASSERT_EQ(stream.size(), 2U);
  EXPECT_EQ(stream[1].tensor, "p.out");
  EXPECT_EQ(stream[1].at.at(5), 20);
}

/// A file that another one includes takes what stands in front of that.
TEST_F(Headers, AFileThatIsIncluded) {
  write("src/kernels/main.cu",
        "#include <vector>\n#include \"missing.h\"\n#define FACTOR 3\n"
        "static __device__ float scale(float x) { return x * FACTOR; }\n"
        "std::vector<int> host() { return {}; }\n#include \"k.cuh\"\nint main() {}\n");
  expect(load(kScaled, kHeaderJob, "", "k.cuh"), [](double x) { return 3 * x; });
}

TEST_F(Headers, LinksThatLeadOutAreNotRead) {
  folder_.write("secret.h", "zebra_token {\n");
  fs::create_symlink(folder_.path() + "/secret.h", folder_.path() + "/project/include/inner.h");
  const std::string text =
      refused("#include \"inner.h\"\n#include <no.h>\n" + std::string(kScaled));
  EXPECT_THAT(text, testing::Not(HasSubstr("zebra")));
}

}  // namespace
}  // namespace heddle::test
