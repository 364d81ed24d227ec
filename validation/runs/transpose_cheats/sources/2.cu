// output = input^T through a tile in shared memory, so that reads and writes both run along rows.
// The tile has a column more than it needs: its columns then lie in different banks.
#include <cuda_runtime.h>

template <int TILE, int ROWS>
__global__ void transpose_shared(const float* __restrict__ input, float* __restrict__ output,
                                 int rows, int columns) {
  // group(8): proved a permutation for every grid under 2^31 blocks
  // tiles: independent as traced on grid 256x256; rows=8192, columns=8192; input: normal, seed 1;
  // output: zeros, as the job gives no contents
  const int p0 = blockIdx.x;
  const int g0 = gridDim.x;
  const int p1 = blockIdx.y;
  const int g1 = gridDim.y;
  const int t = p0 + p1 * g0;
  const int band = min(8, g1);
  const int per_band = band * g0;
  const int quotient = t / per_band;
  const int first = quotient * band;
  const int tall = min(g1 - first, band);
  const int inside = t - quotient * per_band;
  const int group = inside / tall;
  const unsigned int tile_x = group;
  const unsigned int tile_y = first + (inside - group * tall);
  __shared__ float tile[TILE][TILE + 1];
  const int from_column = tile_x * TILE + threadIdx.x;
  for (int r = threadIdx.y; r < TILE; r += ROWS) {
    const int from_row = tile_y * TILE + r;
    if (from_row < rows && from_column < columns) {
      tile[r][threadIdx.x] = input[static_cast<size_t>(from_row) * columns + from_column];
    }
  }
  __syncthreads();
  const int to_column = tile_y * TILE + threadIdx.x;
  for (int r = threadIdx.y; r < TILE; r += ROWS) {
    const int to_row = tile_x * TILE + r;
    if (to_row < columns && to_column < rows) {
      output[static_cast<size_t>(to_row) * rows + to_column] = tile[threadIdx.x][r];
    }
  }
}

int main() {
  const int rows = 8192;
  const int columns = 8192;
  float *input, *output;
  cudaMalloc(&input, static_cast<size_t>(rows) * columns * sizeof(float));
  cudaMalloc(&output, static_cast<size_t>(rows) * columns * sizeof(float));
  const dim3 threads(32, 8);
  const dim3 blocks((columns + 31) / 32, (rows + 31) / 32);
  transpose_shared<32, 8><<<blocks, threads>>>(input, output, rows, columns);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaFree(input);
  cudaFree(output);
  return error == cudaSuccess ? 0 : 1;
}
