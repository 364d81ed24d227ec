// Rows copied, with a number put beside each: what puts it there is the matter of the cases.
#include <hip/hip_runtime.h>

__device__ inline void put(float* cell, float value) { *cell = value; }

__global__ void carry(const float* __restrict__ input, float* output, int rows, int columns) {
  const int row = blockIdx.x;
  for (int column = threadIdx.x; column < columns; column += 64) {
    output[row * columns + column] = input[row * columns + column];
  }
  __syncthreads();
  if (threadIdx.x == 0) put(output + row * columns, 1.0f + row);
}

void launch(const float* input, float* output, int rows, int columns) {
  carry<<<rows, 64>>>(input, output, rows, columns);
}
