// Split-K: a grouped plane on x, the split on z; parts are added by atomics.
#include <cuda_runtime.h>

__global__ void splitk(const float* A, const float* B, float* C, int M, int N, int K) {
  const int splits = gridDim.z;
  const int split = blockIdx.z;
  const int per = (K + splits - 1) / splits;
  const int tilesN = (N + 15) / 16;
  const int tm = blockIdx.x / tilesN, tn = blockIdx.x % tilesN;
  const int row = tm * 16 + threadIdx.y, col = tn * 16 + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0.f;
  const int stop = min(K, (split + 1) * per);
  for (int k = split * per; k < stop; ++k) sum += A[row * K + k] * B[k * N + col];
  atomicAdd(&C[row * N + col], sum);
}
