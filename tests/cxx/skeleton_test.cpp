// Jobs of C++ kernels, tried and repaired.
#include "infer/skeleton.h"

#include "subject.h"

namespace heddle::test {
namespace {

using infer::TriedSkeleton;
using infer::try_skeleton;

using testing::HasSubstr;

/// A tensor, an index and dynamic shared memory that are all too small as the host code has them.
TEST(TrySkeleton, RepairsWhatTheHostCodeDoesNotSay) {
  HEDDLE_NEED_CLANG();
  Folder folder;
  const std::string path = folder.write("k.cu", R"(
__global__ void k(float* x, const int* index, float* out, int n) {
  extern __shared__ float parts[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  parts[threadIdx.x * 50] = x[i + 3 * n] + x[(n - index[i]) * 70000 * (index[i] != 0)];
  out[i] = parts[threadIdx.x * 50];
}
void host(int n) {
  float* x;
  cudaMalloc(&x, n * sizeof(float));
  k<<<n / 256, 256>>>(x, index, out, n);
}
)");
  const TriedSkeleton tried = try_skeleton(*kernel::Source::open(path), "k");
  EXPECT_EQ(tried.problem, "");
  EXPECT_GE(std::stoll(tried.input.parameters[0].shape), 4 * 256);
  EXPECT_GE(std::stoll(tried.input.shared_bytes), 256 * 50 * 4);
  EXPECT_EQ(tried.input.grid, "n // 256");
}

/// What cannot be repaired is said, and the signature stays.
TEST(TrySkeleton, SaysWhatIsLeft) {
  HEDDLE_NEED_CLANG();
  Folder folder;
  const std::string path =
      folder.write("k.cu", "__global__ void k(float* x) { x[0] = nowhere(); }\n");
  const TriedSkeleton tried = try_skeleton(*kernel::Source::open(path), "k");
  EXPECT_THAT(tried.problem, HasSubstr("nowhere"));
  EXPECT_EQ(tried.input.parameters.size(), 1U);
}

}  // namespace
}  // namespace heddle::test
