// Shared, constant and device variables: in functions, in templates, at namespace scope.
#include <hip/hip_runtime.h>

__constant__ float filter[9];
__constant__ const int offsets[4] = {1, 2, 3, 4};
__device__ int counter;
__device__ int table[4] = {4, 3, 2, 1};
__shared__ int everywhere[32];
static __device__ float last = 1.5f;

template <int N, class T>
__device__ T through_shared(T value) {
  __shared__ T line[N];
  __shared__ T box[N][N + 1];
  line[threadIdx.x % N] = value;
  box[threadIdx.x % N][threadIdx.y % N] = value;
  __syncthreads();
  return line[(threadIdx.x + 1) % N] + box[threadIdx.y % N][threadIdx.x % N];
}

template <int N>
__global__ void __launch_bounds__(64) variables(float* p) {
  const int i = threadIdx.x;
  everywhere[i % 32] = i;
  float v =
      through_shared<N>(p[i]) + through_shared<2 * N>(p[i + 1]) + through_shared<N>(double(i));
  v += filter[i % 9] + offsets[i % 4] + table[i % 4] + everywhere[(i + 1) % 32] + last;
  if (i == 0) atomicAdd(&counter, 1);
  p[i] = v;
  last = v;
}
template __global__ void variables<16>(float*);
template __global__ void variables<32>(float*);
