// Textures, surfaces, groups, vectors of CUDA's samples and numbers of 8 bits, against plain loops.
#include <cmath>

#include "subject.h"

namespace heddle::test {
namespace {

using testing::HasSubstr;

constexpr const char* kTextures = R"(
#include <cooperative_groups.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <helper_math.h>
namespace cg = cooperative_groups;
__device__ int sum_of(cg::thread_group g, int* parts, int value) {
  const int lane = g.thread_rank();
  for (int i = g.size() / 2; i > 0; i /= 2) {
    parts[lane] = value;
    g.sync();
    if (lane < i) value += parts[lane + i];
    g.sync();
  }
  return value;
}
struct Wide { float a[12]; };
__device__ __noinline__ float first(Wide w, int i) { return w.a[i] + w.a[11]; }
__global__ void k(cudaTextureObject_t points, cudaTextureObject_t smooth, cudaTextureObject_t bytes,
                  cudaSurfaceObject_t plane, float* x, int) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = i % 8, row = i / 8;
  x[i] = tex2D<float>(points, column + 0.5f - 8 * (i == 3), row + 0.5f);          // clamped
  x[128 + i] = tex2D<float>(smooth, (column + 1.0f) / 8, (row + 0.5f) / 16);      // wraps around
  const float4 four = tex2D<float4>(bytes, column / 4 + 0.5f, row + 0.5f);
  x[256 + i] = four.x + four.w;
  surf2Dwrite(surf2Dread<float>(plane, 4 * column, row) + 1, plane, 4 * column, row);
  const float3 v = clamp(make_float3(column, row, 2), 0.0f, 5.0f);
  x[384 + i] = dot(v, make_float3(1.0f)) + length(make_float2(3, 4)) + lerp(1.0f, 3.0f, 0.5f);
  Wide wide;
  for (int n = 0; n < 12; ++n) wide.a[n] = n * i;
  x[512 + i] = first(wide, column);
  x[640 + i] = static_cast<float>(__nv_fp8_e4m3(0.37f * i - 9));
  x[768 + i] = static_cast<float>(__hip_fp8_e5m2(1.7f * i * i));
  __shared__ int parts[32];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  cg::thread_group half = cg::tiled_partition(block, 16);
  x[896 + i] = sum_of(block, parts, i) * (threadIdx.x == 0) +
               sum_of(half, parts + threadIdx.x / 16 * 16, i) * (threadIdx.x == 16);
  const auto same = cg::labeled_partition(warp, i % 3);
  x[1024 + i] = 100 * same.size() + same.thread_rank();
  x[1152 + i] = cg::binary_partition(warp, i % 4 == 0).size();
}
)";

constexpr const char* kTextureJob = R"(grid = [4]
[tensors.points.data]
dtype = "fp32"
shape = [16, 8]
contents = "range"
[tensors.smooth.data]
dtype = "fp32"
shape = [16, 8]
contents = "range"
[tensors.bytes.data]
dtype = "uint8"
shape = [16, 2, 4]
contents = "range"
[tensors.plane.data]
dtype = "fp32"
shape = [16, 8]
contents = "range"
[tensors.x]
dtype = "fp32"
shape = [1280]
[scalars]
points = { width = 8, height = 16 }
smooth = { width = 8, height = 16, linear = true, normalized = true, wrap = true }
bytes = { width = 2, height = 16, channel_bytes = 1 }
plane = { width = 8, height = 16 }
[launch]
threads = 32
)";

/// The nearest number of 8 bits, the even one of two, by looking at all.
double nearest(double x, int mantissa, int bias, int largest) {
  double best = 0;
  double least = 1e300;
  for (int code = 0; code <= largest; ++code) {
    const int exponent = code >> mantissa;
    const int rest = code & ((1 << mantissa) - 1);
    const double value = exponent == 0
                             ? std::ldexp(rest, 1 - bias - mantissa)
                             : std::ldexp(rest + (1 << mantissa), exponent - bias - mantissa);
    const double far = std::abs(value - std::abs(x));
    if (far < least || (far == least && code % 2 == 0)) best = value;
    least = std::min(least, far);
  }
  return x < 0 ? -best : best;
}

TEST(Textures, ArePlainArrays) {
  HEDDLE_NEED_CLANG();
  Folder folder;
  folder.write("k.cu", kTextures);
  const Subject subject =
      load(folder.write("job.toml", std::string("kernel = \"k.cu\"\n") + kTextureJob), {});
  EXPECT_TRUE(native_of(*subject.program)->code().unseen.empty());
  const auto results = subject.run();
  const auto& x = results.at("x");
  const auto& plane = results.at("plane.data");
  for (std::size_t i = 0; i < 128; ++i) {
    const std::size_t column = i % 8;
    const std::size_t row = i / 8;
    EXPECT_EQ(x[i], i == 3 ? 0 : i) << i;
    const double right = 8.0 * static_cast<double>(row) + static_cast<double>((column + 1) % 8);
    EXPECT_EQ(x[128 + i], (static_cast<double>(i) + right) / 2) << i;
    const std::size_t texel = 4 * (2 * row + column / 4);
    EXPECT_NEAR(x[256 + i], static_cast<double>(2 * texel + 3) / 255, 1e-6) << i;
    EXPECT_EQ(x[384 + i], static_cast<double>(std::min<std::size_t>(column, 5) +
                                              std::min<std::size_t>(row, 5) + 9))
        << i;
    EXPECT_EQ(x[512 + i], static_cast<double>(i * (column + 11))) << i;
    EXPECT_EQ(plane[i], i + 1) << i;
    EXPECT_EQ(x[640 + i], nearest(0.37F * static_cast<float>(i) - 9, 3, 7, 0x7e)) << i;
    EXPECT_EQ(x[768 + i], nearest(1.7F * static_cast<float>(i * i), 2, 15, 0x7b)) << i;
    const std::size_t first = i / 32 * 32;
    EXPECT_EQ(x[896 + i], i == first        ? 32 * first + 496
                          : i == first + 16 ? 16 * first + 376
                                            : 0)
        << i;
    std::size_t same = 0;
    std::size_t rank = 0;
    for (std::size_t k = first; k < first + 32; ++k) same += k % 3 == i % 3;
    for (std::size_t k = first; k < i; ++k) rank += k % 3 == i % 3;
    EXPECT_EQ(x[1024 + i], static_cast<double>(100 * same + rank)) << i;
    EXPECT_EQ(x[1152 + i], i % 4 == 0 ? 8 : 24) << i;
  }
  // A texel is an access of the tensor behind the texture.
  const auto stream = subject.trace({1, 0, 0});
  ASSERT_FALSE(stream.empty());
  EXPECT_EQ(stream[0].tensor, "points.data");
  EXPECT_EQ(stream[0].at.at(0), 32 * 4);
}

/// The middle of every texel of every face, by the table of CUDA's guide turned round.
TEST(Textures, CubesAreSixFaces) {
  HEDDLE_NEED_CLANG();
  Folder folder;
  folder.write("k.cu",
               "__global__ void k(cudaTextureObject_t cube, float* x) {\n"
               "  const int i = threadIdx.x, face = i / 16;\n"
               "  const float s = (i % 4 + 0.5f) / 2 - 1, t = (i / 4 % 4 + 0.5f) / 2 - 1;\n"
               "  const float3 d = face == 0   ? make_float3(1, -t, -s)\n"
               "                   : face == 1 ? make_float3(-1, -t, s)\n"
               "                   : face == 2 ? make_float3(s, 1, t)\n"
               "                   : face == 3 ? make_float3(s, -1, -t)\n"
               "                   : face == 4 ? make_float3(s, -t, 1)\n"
               "                               : make_float3(-s, -t, -1);\n"
               "  x[i] = texCubemap<float>(cube, 3 * d.x, 3 * d.y, 3 * d.z);\n}\n");
  const Subject subject =
      load(folder.write("job.toml",
                        "kernel = \"k.cu\"\ngrid = [1]\n[tensors.cube.data]\ndtype = \"fp32\"\n"
                        "shape = [96]\ncontents = \"range\"\n[tensors.x]\ndtype = \"fp32\"\n"
                        "shape = [96]\n[scalars]\ncube = { width = 4, height = 4 }\n"
                        "[launch]\nthreads = 96\n"),
           {});
  const auto results = subject.run();
  for (std::size_t i = 0; i < 96; ++i) EXPECT_EQ(results.at("x")[i], static_cast<double>(i)) << i;
}

TEST(Textures, NeedTheirSize) {
  HEDDLE_NEED_CLANG();
  Folder folder;
  folder.write(
      "k.hip",
      "static_assert(sizeof(HIP_vector_type<float, 4>) == sizeof(float4));\n"
      "__global__ void k(hipTextureObject_t t, float* x) { *x = tex2D<float>(t, 0, 0); }\n");
  const std::string job =
      "kernel = \"k.hip\"\ngrid = [1]\n[tensors.t.data]\ndtype = \"fp32\"\nshape = [4]\n"
      "[tensors.x]\ndtype = \"fp32\"\nshape = [1]\n[launch]\nthreads = 1\n";
  const Subject subject = load(folder.write("job.toml", job), {});
  EXPECT_THAT(error_of([&] { subject.run(); }).full_text(), HasSubstr("NAME.width"));
}

}  // namespace
}  // namespace heddle::test
