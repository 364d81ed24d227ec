// C = A B in tiles of TILE x TILE: a block loads a tile of A and one of B into shared memory, each
// thread then computes 4 rows of one column of its tile of C.
#include <hip/hip_runtime.h>

constexpr int kRowsPerThread = 4;

template <int TILE>
__global__ void __launch_bounds__(TILE* TILE / kRowsPerThread)
    sgemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M,
          int N, int K) {
  constexpr int kStep = TILE / kRowsPerThread;
  __shared__ float a[TILE][TILE];
  __shared__ float b[TILE][TILE];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int column = blockIdx.x * TILE + x;
  const int first_row = blockIdx.y * TILE;
  float sum[kRowsPerThread] = {};
  for (int k0 = 0; k0 < K; k0 += TILE) {
#pragma unroll
    for (int r = 0; r < kRowsPerThread; ++r) {
      const int line = y + r * kStep;
      const int row = first_row + line;
      a[line][x] = row < M && k0 + x < K ? A[static_cast<size_t>(row) * K + k0 + x] : 0.0f;
      const int depth = k0 + line;
      b[line][x] = depth < K && column < N ? B[static_cast<size_t>(depth) * N + column] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; ++k) {
      const float right = b[k][x];
#pragma unroll
      for (int r = 0; r < kRowsPerThread; ++r) sum[r] += a[y + r * kStep][k] * right;
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < kRowsPerThread; ++r) {
    const int row = first_row + y + r * kStep;
    if (row < M && column < N) C[static_cast<size_t>(row) * N + column] = sum[r];
  }
}

int main() {
  const int M = 2048, N = 2048, K = 2048;
  float *A, *B, *C;
  hipMalloc(&A, static_cast<size_t>(M) * K * sizeof(float));
  hipMalloc(&B, static_cast<size_t>(K) * N * sizeof(float));
  hipMalloc(&C, static_cast<size_t>(M) * N * sizeof(float));
  constexpr int tile = 32;
  const dim3 threads(tile, tile / kRowsPerThread);
  const dim3 blocks((N + tile - 1) / tile, (M + tile - 1) / tile);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(sgemm<tile>), blocks, threads, 0, 0, A, B, C, M, N, K);
  const hipError_t error = hipDeviceSynchronize();
  hipFree(A);
  hipFree(B);
  hipFree(C);
  return error == hipSuccess ? 0 : 1;
}
