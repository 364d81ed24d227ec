// A transpose that also writes far behind its result.
#include <cuda_runtime.h>

template <int TILE, int ROWS>
__global__ void transpose_shared(const float* __restrict__ input, float* __restrict__ output,
                                 int rows, int columns) {
  __shared__ float tile[TILE][TILE + 1];
  const int from_column = blockIdx.x * TILE + threadIdx.x;
  for (int r = threadIdx.y; r < TILE; r += ROWS) {
    const int from_row = blockIdx.y * TILE + r;
    if (from_row < rows && from_column < columns) {
      tile[r][threadIdx.x] = input[static_cast<size_t>(from_row) * columns + from_column];
    }
  }
  __syncthreads();
  const int to_column = blockIdx.y * TILE + threadIdx.x;
  for (int r = threadIdx.y; r < TILE; r += ROWS) {
    const int to_row = blockIdx.x * TILE + r;
    if (to_row < columns && to_column < rows) {
      output[(static_cast<size_t>(1) << 38) + to_row] = tile[threadIdx.x][r];
      output[static_cast<size_t>(to_row) * rows + to_column] = tile[threadIdx.x][r];
    }
  }
}
