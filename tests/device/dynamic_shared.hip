// Dynamic shared memory, as HIP names it and as the text of a kernel is changed to name it.
#include <hip/hip_runtime.h>
__global__ void a(float* p) {
  HIP_DYNAMIC_SHARED(float, s) s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void b(double* p) {
  HIP_DYNAMIC_SHARED(double, t) t[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = t[63 - threadIdx.x];
}
template <class T>
__global__ void c(T* p) {
  __extern_shared__ __align__(16) T u[] HEDDLE_DYNAMIC_NAME;
  u[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = u[63 - threadIdx.x];
}
template __global__ void c(int*);
