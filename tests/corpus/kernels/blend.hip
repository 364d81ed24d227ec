// output = gain(input) row by row; numbers and functions come from headers beside this file.
#include <hip/hip_runtime.h>

#include "blend.h"

__global__ void blend(const float* __restrict__ input, float* __restrict__ output, int rows,
                      int columns) {
  const int row = blockIdx.x;
  for (int column = threadIdx.x; column < columns; column += 64) {
    output[row * columns + column] = gain(input[row * columns + column]) + BLEND_OFFSET;
  }
}

void launch(const float* input, float* output, int rows, int columns) {
  blend<<<rows, 64>>>(input, output, rows, columns);
}
