// C = A B, a thread for each cell of C, blocks of 16 x 16 on a line.
#include <cuda_runtime.h>

__global__ void product(const float* __restrict__ a, const float* __restrict__ b,
                        float* __restrict__ c, int m, int n, int k) {
  const int across = (n + 15) / 16;
  const int tile = blockIdx.x;
  const int row = tile / across * 16 + threadIdx.y;
  const int column = tile % across * 16 + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

void launch(const float* a, const float* b, float* c, int m, int n, int k) {
  product<<<((m + 15) / 16) * ((n + 15) / 16), dim3(16, 16)>>>(a, b, c, m, n, k);
}
