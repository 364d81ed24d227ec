// output = input^T. Reads run along rows, writes down columns: a wave's stores go to 32 different
// rows.
#include <hip/hip_runtime.h>

__global__ void transpose_naive(const float* __restrict__ input, float* __restrict__ output,
                                int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) {
    output[static_cast<size_t>(column) * rows + row] =
        input[static_cast<size_t>(row) * columns + column];
  }
}

int main() {
  const int rows = 8192;
  const int columns = 8192;
  float *input, *output;
  hipMalloc(&input, static_cast<size_t>(rows) * columns * sizeof(float));
  hipMalloc(&output, static_cast<size_t>(rows) * columns * sizeof(float));
  const dim3 threads(32, 8);
  const dim3 blocks((columns + 31) / 32, (rows + 7) / 8);
  transpose_naive<<<blocks, threads>>>(input, output, rows, columns);
  const hipError_t error = hipDeviceSynchronize();
  hipFree(input);
  hipFree(output);
  return error == hipSuccess ? 0 : 1;
}
