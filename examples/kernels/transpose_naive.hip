// out = in^T. Reads run along rows, writes down columns: a wave's stores go to 32 different rows.
#include <hip/hip_runtime.h>

__global__ void transpose_naive(const float* __restrict__ in, float* __restrict__ out, int rows,
                                int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) {
    out[static_cast<size_t>(column) * rows + row] = in[static_cast<size_t>(row) * columns + column];
  }
}

int main() {
  const int rows = 8192;
  const int columns = 8192;
  float *in, *out;
  hipMalloc(&in, static_cast<size_t>(rows) * columns * sizeof(float));
  hipMalloc(&out, static_cast<size_t>(rows) * columns * sizeof(float));
  const dim3 threads(32, 8);
  const dim3 blocks((columns + 31) / 32, (rows + 7) / 8);
  transpose_naive<<<blocks, threads>>>(in, out, rows, columns);
  const hipError_t error = hipDeviceSynchronize();
  hipFree(in);
  hipFree(out);
  return error == hipSuccess ? 0 : 1;
}
