// y = A x for a sparse matrix in CSR form, one wave to a row: its lanes stride over the row's
// non-zeros and add by shuffles.
#include <hip/hip_runtime.h>

__global__ void spmv_csr(const int* __restrict__ offsets, const int* __restrict__ columns,
                         const float* __restrict__ values, const float* __restrict__ x,
                         float* __restrict__ y, int rows) {
  const int lane = threadIdx.x % warpSize;
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  if (row >= rows) return;
  const int end = offsets[row + 1];
  float sum = 0;
  for (int i = offsets[row] + lane; i < end; i += warpSize) {
    sum += values[i] * x[columns[i]];
  }
  for (int step = warpSize / 2; step > 0; step /= 2) sum += __shfl_down(sum, step);
  if (lane == 0) y[row] = sum;
}

int main() {
  const int rows = 4;
  const int host_offsets[rows + 1] = {0, 1, 2, 3, 4};
  const int host_columns[rows] = {0, 1, 2, 3};
  const float host_values[rows] = {1, 2, 3, 4};
  int *offsets, *columns;
  float *values, *x, *y;
  hipMalloc(&offsets, sizeof(host_offsets));
  hipMalloc(&columns, sizeof(host_columns));
  hipMalloc(&values, sizeof(host_values));
  hipMalloc(&x, rows * sizeof(float));
  hipMalloc(&y, rows * sizeof(float));
  hipMemcpy(offsets, host_offsets, sizeof(host_offsets), hipMemcpyHostToDevice);
  hipMemcpy(columns, host_columns, sizeof(host_columns), hipMemcpyHostToDevice);
  hipMemcpy(values, host_values, sizeof(host_values), hipMemcpyHostToDevice);
  hipMemset(x, 0, rows * sizeof(float));
  const int threads = 256;
  spmv_csr<<<(rows * 64 + threads - 1) / threads, threads>>>(offsets, columns, values, x, y, rows);
  const hipError_t error = hipDeviceSynchronize();
  hipFree(offsets);
  hipFree(columns);
  hipFree(values);
  hipFree(x);
  hipFree(y);
  return error == hipSuccess ? 0 : 1;
}
