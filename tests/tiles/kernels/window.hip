// HipKittens' window: chunks of ids per XCD, then windows of rows walked column by column.
#include <hip/hip_runtime.h>

constexpr int kXcds = 8;

__device__ __forceinline__ int chunked_over_xcds(int wgid, int wgs, int chunk) {
  const int round = kXcds * chunk;
  if (wgid >= wgs / round * round) return wgid;  // the tail keeps its place
  const int xcd = wgid % kXcds;
  const int turn = wgid / kXcds;
  return turn / chunk * round + xcd * chunk + turn % chunk;
}

__global__ void gemm_window(const float* a, const float* b, float* c, int M, int N, int K) {
  const int rows = M / 16, cols = N / 16;
  int wgid = chunked_over_xcds(blockIdx.x, rows * cols, CHUNK);
  const int in_window = WINDOW * cols;
  const int w = wgid / in_window;
  const int top = w * WINDOW;
  const int tall = min(rows - top, WINDOW);
  const int row = top + (wgid % in_window) % tall;
  const int col = (wgid % in_window) / tall;
  const int i = row * 16 + threadIdx.y, j = col * 16 + threadIdx.x;
  float s = 0;
  for (int p = 0; p < K; ++p) s += a[i * K + p] * b[j * K + p];
  c[i * N + j] = s;
}
