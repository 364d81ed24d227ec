// Every atomic: integers, reals, halves; by block and by system; on shared memory.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

template <class T>
__global__ void integers(T* p, T value) {
  __shared__ T local[8];
  local[threadIdx.x & 7] = T(0);
  __syncthreads();
  T old = atomicAdd(&local[threadIdx.x & 7], value);
  old += atomicAdd(&p[0], value);
  atomicSub(&p[1], value);
  old += atomicExch(&p[2], value);
  atomicMin(&p[3], value);
  atomicMax(&p[4], value);
  atomicAnd(&p[5], value);
  atomicOr(&p[6], value);
  atomicXor(&p[7], value);
  old += atomicCAS(&p[8], old, value);
  atomicAdd_block(&p[9], value);
  atomicAdd_system(&p[10], value);
  atomicMax_block(&p[11], value);
  p[12 + threadIdx.x] = old;
}
template __global__ void integers(int*, int);
template __global__ void integers(unsigned*, unsigned);
template __global__ void integers(long long*, long long);
template __global__ void integers(unsigned long long*, unsigned long long);
template __global__ void integers(unsigned long*, unsigned long);

template <class T>
__global__ void reals(T* p, T value) {
  atomicAdd(&p[0], value);
  p[1 + threadIdx.x] = atomicAdd(&p[0], value) + atomicExch(&p[2], value);
  unsafeAtomicAdd(&p[3], value);
  atomicMax(&p[4], value);
  atomicMin(&p[5], value);
  atomicSub(&p[6], value);
}
template __global__ void reals(float*, float);
template __global__ void reals(double*, double);

__global__ void others(unsigned* u, half* h, __half2* pair, int* n, float* f,
                       unsigned short* narrow) {
  u[1 + threadIdx.x] = atomicInc(&u[0], 17u) + atomicDec(&u[1], 17u);
  atomicAdd(h, __float2half(1.0f));
  atomicAdd(pair, __float2half2_rn(1.0f));
  unsafeAtomicAdd(pair, __float2half2_rn(1.0f));
  atomicCAS(narrow, static_cast<unsigned short>(1), static_cast<unsigned short>(2));
  atomicAdd(&u[5], 1);  // the arguments convert
  atomicAdd(&f[5], 1);
  atomicAdd(f, 1.0);
  n[1] = __hip_atomic_fetch_add(&n[0], 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_store(&n[2], 4, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
  n[3] = __hip_atomic_load(&n[2], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
  int expected = 3;
  while (!__hip_atomic_compare_exchange_strong(&n[4], &expected, 5, __ATOMIC_RELAXED,
                                               __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {
  }
}
