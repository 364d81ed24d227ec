// The sum of each row, a block to a row.
#include <cuda_runtime.h>

__global__ void row_sums(const float* __restrict__ input, float* __restrict__ sums, int columns) {
  __shared__ float part[64];
  const int row = blockIdx.x;
  float sum = 0;
  for (int column = threadIdx.x; column < columns; column += 64) {
    sum += input[row * columns + column];
  }
  part[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int i = 0; i < 64; ++i) total += part[i];
    sums[row] = total;
  }
}

void launch(const float* input, float* sums, int rows, int columns) {
  row_sums<<<rows, 64>>>(input, sums, columns);
}
