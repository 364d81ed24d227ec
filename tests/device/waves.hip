// Barriers, shuffles, votes, matches and reductions of a wave; HIP's forms and those with a mask.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

template <class T>
__device__ T wave_sum(T value) {
  for (int step = warpSize / 2; step > 0; step /= 2) value += __shfl_down(value, step);
  return value;
}

template <class T>
__global__ void shuffles(T* p) {
  const int i = threadIdx.x;
  T v = p[i];
  v += __shfl(v, 3) + __shfl(v, 2, 16) + __shfl_up(v, 1) + __shfl_down(v, 2, 32) + __shfl_xor(v, 4);
  v += __shfl_sync(~0ull, v, 1) + __shfl_up_sync(~0ull, v, 1) + __shfl_down_sync(~0ull, v, 8) +
       __shfl_xor_sync(~0ull, v, 16, 32);
  p[i] = wave_sum(v);
}
template __global__ void shuffles(int*);
template __global__ void shuffles(unsigned long long*);
template __global__ void shuffles(float*);
template __global__ void shuffles(double*);
template __global__ void shuffles(short*);
template __global__ void shuffles(float4*);
template __global__ void shuffles(half*);

__global__ void votes(int* p, unsigned long long* sets) {
  const int i = threadIdx.x;
  const int v = p[i];
  sets[i] =
      __ballot(v > 0) + __activemask() + __ballot_sync(~0ull, v < 0) + __match_any_sync(~0ull, v);
  int same;
  sets[i + 64] = __match_all_sync(~0ull, v, &same);
  p[i] = __any(v) + __all(v) + __any_sync(~0ull, v) + __all_sync(~0ull, v) + same;
  p[i] += __syncthreads_count(v) + __syncthreads_and(v) + __syncthreads_or(v);
  __syncwarp();
  p[i] += __reduce_add_sync(~0ull, v) + __reduce_max_sync(~0ull, v) + __reduce_min_sync(~0ull, v) +
          __reduce_or_sync(~0ull, v) + __reduce_and_sync(~0ull, v) + __reduce_xor_sync(~0ull, v);
  p[i] += __builtin_amdgcn_readfirstlane(v) + __builtin_amdgcn_ds_bpermute(4 * i, v);
}
