// Panels of columns on z: x runs inside a panel, y down, every second panel upwards.
#include <cuda_runtime.h>

__global__ void panel_gemm(const float* A, const float* B, float* C, int N, int K) {
  const int tile_row = (blockIdx.z % 2) ? (gridDim.y - blockIdx.y - 1) : blockIdx.y;
  const int tile_col = blockIdx.z * gridDim.x + blockIdx.x;
  const int row = tile_row * 16 + threadIdx.y;
  const int col = tile_col * 16 + threadIdx.x;
  float sum = 0.f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}
