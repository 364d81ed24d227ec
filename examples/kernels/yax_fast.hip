// result = y^T A x, one block to a row. The threads of a block walk along A[i * m + j] together and
// add what they found through shared memory.
#include <hip/hip_runtime.h>

#include <cstdio>

constexpr int kThreads = 64;

__global__ void yax_fast(double* y, double* A, double* x, int n, int m, double* result) {
  __shared__ double partial[kThreads];
  const int thread = threadIdx.x;
  double sum = 0;
  for (int i = blockIdx.x; i < n; i += gridDim.x) {
    const double* row = A + static_cast<size_t>(i) * m;
    double dot = 0;
    for (int j = thread; j < m; j += kThreads) {
      dot += row[j] * x[j];
    }
    partial[thread] = dot;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
      if (thread < half) partial[thread] += partial[thread + half];
      __syncthreads();
    }
    sum += y[i] * partial[0];
    __syncthreads();  // before the next row overwrites it
  }
  if (thread == 0) atomicAdd(result, sum);
}

int main() {
  const int n = 4096;
  const int m = 4096;
  double *y, *A, *x, *result;
  hipMalloc(&y, n * sizeof(double));
  hipMalloc(&A, static_cast<size_t>(n) * m * sizeof(double));
  hipMalloc(&x, m * sizeof(double));
  hipMalloc(&result, sizeof(double));
  hipMemset(y, 0, n * sizeof(double));
  hipMemset(A, 0, static_cast<size_t>(n) * m * sizeof(double));
  hipMemset(x, 0, m * sizeof(double));
  hipMemset(result, 0, sizeof(double));
  yax_fast<<<2048, kThreads>>>(y, A, x, n, m, result);
  double value = 0;
  hipMemcpy(&value, result, sizeof(double), hipMemcpyDeviceToHost);
  std::printf("%g\n", value);
  hipFree(y);
  hipFree(A);
  hipFree(x);
  hipFree(result);
  return 0;
}
