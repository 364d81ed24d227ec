// Every thread scales the elements i, i + threads of the launch, i + 2 threads of the launch, ...
#include <cuda_runtime.h>

__global__ void grid_stride(const float* in, float* out, int n) {
  const int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) out[i] = 2.f * in[i];
}

__global__ void grid_stride_while(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (i < n) {
    out[i] = 2.f * in[i];
    i += blockDim.x * gridDim.x;
  }
}

// One element a thread: no loop over the launch.
__global__ void grid_once(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += n) out[i] = 2.f * in[i];
}
