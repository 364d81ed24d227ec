// C = A B, tiles in blocks of 3 x 2; a function gives the tile through pointers.
#include <cuda_runtime.h>

__device__ void find_tile(int id, int tiles_n, int* tile_m, int* tile_n) {
  const int block = id / 6;
  const int inside = id % 6;
  const int blocks_n = tiles_n / 2;
  *tile_m = block / blocks_n * 3 + inside / 2;
  *tile_n = block % blocks_n * 2 + inside % 2;
  if (*tile_n >= tiles_n) *tile_n = tiles_n - 1;
}

__global__ void sgemm_blocked(const float* A, const float* B, float* C, int M, int N, int K) {
  int id = 0;
  int tile_m, tile_n;
  id = blockIdx.x;
  find_tile(id, N / 16, &tile_m, &tile_n);
  const int row = tile_m * 16 + threadIdx.y;
  const int col = tile_n * 16 + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}
