// Rows, each with a number of its own added, which a function finds from the block.
#include <cuda_runtime.h>

__device__ float bias() { return 0.5f * blockIdx.x; }

__global__ void row_bias(const float* __restrict__ input, float* __restrict__ output, int columns) {
  const int row = blockIdx.x;
  for (int column = threadIdx.x; column < columns; column += 64) {
    output[row * columns + column] = input[row * columns + column] + bias();
  }
}
