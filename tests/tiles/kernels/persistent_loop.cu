// Persistent blocks: a grid-stride loop over tiles, column by column.
#include <cuda_runtime.h>

template <int BM, int BN>
__global__ void persistent_sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const int mTiles = (M + BM - 1) / BM;
  const int nTiles = (N + BN - 1) / BN;
  const int numTiles = mTiles * nTiles;
  for (int tile = blockIdx.x; tile < numTiles; tile += gridDim.x) {
    const int tileM = tile % mTiles;
    const int tileN = tile / mTiles;
    for (int e = threadIdx.x; e < BM * BN; e += blockDim.x) {
      const int row = tileM * BM + e / BN;
      const int col = tileN * BN + e % BN;
      if (row < M && col < N) {
        float acc = 0.f;
        for (int k = 0; k < K; ++k) acc += A[row * K + k] * B[k * N + col];
        C[row * N + col] = acc;
      }
    }
  }
}
