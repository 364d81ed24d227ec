#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

#define CHECK(call)                                                        \
  do {                                                                     \
    if ((call) != hipSuccess) { std::printf("%s failed\n", #call); return 1; } \
  } while (0)
#define ROW blockIdx.y

__device__ __forceinline__ int row_of() { return blockIdx.y; }

// One block a tile of 16 x 16.
__global__ void transpose(const float* __restrict__ in, float* __restrict__ out, int n) {
  const int x = blockIdx.x * 16 + threadIdx.x;  // blockIdx.x is a column of tiles
  const int y = blockIdx.y * 16 + threadIdx.y;
  if (x < n && y < n && blockIdx.x < gridDim.x) out[x * n + y] = in[y * n + x];
}

namespace blas {
template <typename T, int WIDTH>
__global__ void __launch_bounds__(256) scale(T* x, float4* parts, unsigned n, T alpha) {
  unsigned tile = blockIdx.x, p0 = 0;
  for (int i = 0; i < WIDTH; ++i) x[(tile * WIDTH + i) * blockDim.x + threadIdx.x + p0] *= alpha;
}
}  // namespace blas

__global__ void whole(float* x) {
  const auto block = blockIdx;
  x[block.x] = 0;
}

__global__ void helped(float* x, int n) { x[blockIdx.x + row_of() * n] = 0; }

__global__ void named(float* x, int n) { x[ROW * n + blockIdx.x] = 0; }

__global__ void old(float* x, int n) {
  x[hipBlockIdx_x + n] = 0;
}

int main() {
  float *in = nullptr, *out = nullptr;
  const int n = 4096;
  CHECK(hipMalloc(&in, n * n * sizeof(float)));
  transpose<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(in, out, n);
  blas::scale<float, 4><<<n, 256>>>(in, nullptr, 4u, 2.0f);
  return 0;
}
