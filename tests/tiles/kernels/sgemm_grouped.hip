// Grouped order in a device function that returns a struct.
#include <hip/hip_runtime.h>

struct TileCoord {
  int m, n;
};

__device__ __forceinline__ TileCoord grouped(int id, int tiles_m, int tiles_n, int group) {
  const int per_group = group * tiles_n;
  const int first = id / per_group * group;
  const int height = min(tiles_m - first, group);
  const int local = id % per_group;
  return {first + local % height, local / height};
}

__global__ void sgemm_grouped(const float* a, const float* b, float* c, int M, int N, int K) {
  __shared__ float sa[16][17], sb[16][17];
  const TileCoord tile = grouped(blockIdx.x, (M + 15) / 16, (N + 15) / 16, GROUP_M);
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = tile.m * 16 + ty, col = tile.n * 16 + tx;
  float acc = 0.f;
  for (int k = 0; k < K; k += 16) {
    sa[ty][tx] = row < M ? a[row * K + k + tx] : 0.f;
    sb[ty][tx] = col < N ? b[(k + ty) * N + col] : 0.f;
    __syncthreads();
    for (int i = 0; i < 16; ++i) acc = fmaf(sa[ty][i], sb[i][tx], acc);
    __syncthreads();
  }
  if (row < M && col < N) c[row * N + col] = acc;
}
