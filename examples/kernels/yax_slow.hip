// result = y^T A x, one thread to a row. A lies column by column: A[j * n + i] is contiguous along
// the threads, and x[j] is the same number for all of them.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void yax_slow(double* y, double* A, double* x, int n, int m, double* result) {
  double sum = 0;
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    double row = 0;
    for (int j = 0; j < m; ++j) {
      row += A[static_cast<size_t>(j) * n + i] * x[j];
    }
    sum += y[i] * row;
  }
  atomicAdd(result, sum);  // every thread, also one without a row
}

int main() {
  const int n = 32768;
  const int m = 32768;
  double *y, *A, *x, *result;
  hipMalloc(&y, n * sizeof(double));
  hipMalloc(&A, static_cast<size_t>(n) * m * sizeof(double));
  hipMalloc(&x, m * sizeof(double));
  hipMalloc(&result, sizeof(double));
  hipMemset(y, 0, n * sizeof(double));
  hipMemset(A, 0, static_cast<size_t>(n) * m * sizeof(double));
  hipMemset(x, 0, m * sizeof(double));
  hipMemset(result, 0, sizeof(double));
  yax_slow<<<2048, 64>>>(y, A, x, n, m, result);
  double value = 0;
  hipMemcpy(&value, result, sizeof(double), hipMemcpyDeviceToHost);
  std::printf("%g\n", value);
  hipFree(y);
  hipFree(A);
  hipFree(x);
  hipFree(result);
  return 0;
}
