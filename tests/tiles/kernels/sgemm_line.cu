// C = A B, one block per tile, tiles counted along rows by blockIdx.x alone.
#include <cuda_runtime.h>

template <int TILE>
__global__ void sgemm_line(const float* __restrict__ A, const float* __restrict__ B,
                           float* __restrict__ C, int M, int N, int K) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE + 1];
  const int tiles_n = (N + TILE - 1) / TILE;
  const int tile_m = blockIdx.x / tiles_n;
  const int tile_n = blockIdx.x % tiles_n;
  const int row = tile_m * TILE + threadIdx.y;
  const int col = tile_n * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    const int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
    As[threadIdx.y][threadIdx.x] = (row < M && ka < K) ? A[row * K + ka] : 0.0f;
    Bs[threadIdx.y][threadIdx.x] = (col < N && kb < K) ? B[kb * N + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; ++k) sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}

void launch(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  constexpr int T = 16;
  dim3 grid(((M + T - 1) / T) * ((N + T - 1) / T));
  sgemm_line<T><<<grid, dim3(T, T), 0, stream>>>(A, B, C, M, N, K);
}
