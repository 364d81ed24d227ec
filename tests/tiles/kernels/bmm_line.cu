// Batched product; batch, row and column tile from one index, column tile fastest.
#include <cuda_fp16.h>

constexpr int kTile = 16;

__global__ void bmm_line(const float* x, const float* y, float* z, int m, int n, int k, long long stride_x,
                         long long stride_y, long long stride_z) {
  const int n_tiles = (n + kTile - 1) / kTile;
  const int m_tiles = (m + kTile - 1) / kTile;
  int block = blockIdx.x;
  const int nt = block % n_tiles;
  block /= n_tiles;
  const int mt = block % m_tiles;
  block /= m_tiles;  // what is left is the batch
  x += block * stride_x;
  y += block * stride_y;
  z += block * stride_z;
  const int i = mt * kTile + threadIdx.x / kTile;
  const int j = nt * kTile + threadIdx.x % kTile;
  if (i >= m || j >= n) return;
  float acc = 0;
  for (int p = 0; p < k; ++p) acc += x[i * k + p] * y[p * n + j];
  z[i * n + j] = acc;
}
