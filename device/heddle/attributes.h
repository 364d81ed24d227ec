/* The attributes of HIP and CUDA, and which compilation this is.
 *
 *   __global__ void kernel(float* p) { __shared__ float tile[64]; ... }
 *
 * Rules
 *   1. HEDDLE_HOST: the kernel is compiled for this machine, so that its blocks can be run. Without
 *      it, Clang compiles for a chip: HEDDLE_AMDGCN or HEDDLE_NVPTX is 1.
 *   2. On this machine a shared variable is static and lies in the section heddle_shared; `used`
 *      keeps the optimizer from reasoning about it as if one thread alone wrote it.
 *      `extern __shared__ T name[];` becomes `__extern_shared__ T name[] HEDDLE_DYNAMIC_NAME;`,
 *      because nothing can be static and extern.
 *   3. HEDDLE_CALL is what every function of these headers is: inlined, and without a line of its
 *      own, so that its instructions have the place of the call. HEDDLE_BOTH also exists for the
 *      host part of a file.
 */
#ifndef HEDDLE_ATTRIBUTES_H
#define HEDDLE_ATTRIBUTES_H

#if defined(HEDDLE_HOST)
#define HEDDLE_AMDGCN 0
#define HEDDLE_NVPTX 0
#elif defined(__AMDGCN__)
#define HEDDLE_AMDGCN 1
#define HEDDLE_NVPTX 0
#elif defined(__NVPTX__)
#define HEDDLE_AMDGCN 0
#define HEDDLE_NVPTX 1
#else
#error "heddle/device.h is for kernels that heddle compiles: define HEDDLE_HOST"
#endif

#if defined(HEDDLE_HOST)
#define __host__
#define __device__
#define __global__
#define __constant__
#define __managed__
#define __grid_constant__
#define __shared__ static __attribute__((section("heddle_shared"), used))
#define __extern_shared__ extern
#define HEDDLE_DYNAMIC_NAME __asm__("heddle_dynamic_shared")
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define HEDDLE_CALL inline __attribute__((always_inline, nodebug))
#define HEDDLE_BOTH inline __attribute__((always_inline, nodebug))
/* What only a chip's kernels can have, as in __attribute__((amdgpu_num_vgpr(64))). */
#define amdgpu_num_vgpr(...) unused
#define amdgpu_num_sgpr(...) unused
#define amdgpu_waves_per_eu(...) unused
#define amdgpu_flat_work_group_size(...) unused
#define amdgpu_max_num_work_groups(...) unused
#else
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __grid_constant__
#define __shared__ __attribute__((shared))
#define __extern_shared__ extern __attribute__((shared))
#define HEDDLE_DYNAMIC_NAME
#if HEDDLE_AMDGCN && defined(HEDDLE_CUDA) /* CUDA's second number counts blocks, HIP's waves */
#define HEDDLE_LAUNCH_BOUNDS_1(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define HEDDLE_LAUNCH_BOUNDS_2(threads, blocks) HEDDLE_LAUNCH_BOUNDS_1(threads)
#define HEDDLE_LAUNCH_BOUNDS_3(threads, blocks, clusters) HEDDLE_LAUNCH_BOUNDS_1(threads)
#elif HEDDLE_AMDGCN
#define HEDDLE_LAUNCH_BOUNDS_1(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define HEDDLE_LAUNCH_BOUNDS_2(threads, waves) \
  __attribute__((amdgpu_flat_work_group_size(1, threads), amdgpu_waves_per_eu(waves)))
#define HEDDLE_LAUNCH_BOUNDS_3(threads, waves, clusters) HEDDLE_LAUNCH_BOUNDS_2(threads, waves)
#else
#define HEDDLE_LAUNCH_BOUNDS_1(threads) __attribute__((launch_bounds(threads)))
#define HEDDLE_LAUNCH_BOUNDS_2(threads, blocks) __attribute__((launch_bounds(threads, blocks)))
#define HEDDLE_LAUNCH_BOUNDS_3(threads, blocks, clusters) HEDDLE_LAUNCH_BOUNDS_2(threads, blocks)
#endif
#define HEDDLE_LAUNCH_BOUNDS_PICK(first, second, third, name, ...) name
#define __launch_bounds__(...)                                                           \
  HEDDLE_LAUNCH_BOUNDS_PICK(__VA_ARGS__, HEDDLE_LAUNCH_BOUNDS_3, HEDDLE_LAUNCH_BOUNDS_2, \
                            HEDDLE_LAUNCH_BOUNDS_1, unused)                              \
  (__VA_ARGS__)
#define __cluster_dims__(...)
#define HEDDLE_CALL __attribute__((device, always_inline, nodebug)) inline
#define HEDDLE_BOTH __attribute__((host, device, always_inline, nodebug)) inline
#endif

#define __forceinline__ inline __attribute__((always_inline))
#define __inline_hint__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __maxnreg__(...)

/* Which vendor the file is written for. The compile step says -DHEDDLE_CUDA=1 for CUDA sources. */
#if HEDDLE_NVPTX && !defined(HEDDLE_CUDA)
#define HEDDLE_CUDA 1
#endif
#if defined(HEDDLE_CUDA)
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#ifndef __NVCC__
#define __NVCC__ 1
#endif
#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#endif
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 800
#endif
#ifndef CUDART_VERSION
#define CUDART_VERSION 12000
#endif
#ifndef CUDA_VERSION
#define CUDA_VERSION 12000
#endif
#else
#ifndef __HIPCC__
#define __HIPCC__ 1
#endif
#ifndef __HIP__
#define __HIP__ 1
#endif
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#ifndef __HIP_DEVICE_COMPILE__
#define __HIP_DEVICE_COMPILE__ 1
#endif
/* Waves have 64 lanes, as on gfx9; for a chip Clang says so itself. */
#if defined(HEDDLE_HOST)
#define __GFX9__ 1
#define __AMDGCN_WAVEFRONT_SIZE 64
#define __AMDGCN_WAVEFRONT_SIZE__ 64
#endif
#ifndef HIP_VERSION_MAJOR
#define HIP_VERSION_MAJOR 6
#define HIP_VERSION_MINOR 0
#define HIP_VERSION 60000000
#endif
#endif

#if defined(HEDDLE_HOST)
#include "heddle/abi.h"
#endif

/* Without <cstddef>, <cstdint> and <ctime>: the names that kernels take for granted. */
using size_t = decltype(sizeof(0));
using int8_t = __INT8_TYPE__;
using int16_t = __INT16_TYPE__;
using int32_t = __INT32_TYPE__;
using int64_t = __INT64_TYPE__;
using uint8_t = __UINT8_TYPE__;
using uint16_t = __UINT16_TYPE__;
using uint32_t = __UINT32_TYPE__;
using uint64_t = __UINT64_TYPE__;
using intptr_t = __INTPTR_TYPE__;
using uintptr_t = __UINTPTR_TYPE__;
using ptrdiff_t = __PTRDIFF_TYPE__;
using clock_t = long;
using uint = unsigned int;
using ushort = unsigned short;
using ulong = unsigned long;
using uchar = unsigned char;

namespace heddle_device {

template <class T>
inline constexpr bool is_number = __is_arithmetic(T);
template <class T>
inline constexpr bool is_integer = __is_integral(T);
template <class T>
inline constexpr bool is_real = __is_floating_point(T);

/* What types of 16 bits and pairs of them are derived from. */
struct AnyHalf {};
struct AnyHalfPair {};
template <class H>
concept Half = __is_base_of(AnyHalf, H);
template <class P>
concept HalfPair = __is_base_of(AnyHalfPair, P);

/* A functor for kernels that take any: new-job names it. */
struct Plus {
  template <class A>
  HEDDLE_BOTH constexpr A operator()(A a) const {
    return a;
  }
  template <class A, class B>
  HEDDLE_BOTH constexpr A operator()(A a, B b) const {
    return a + b;
  }
};

/* The bits of a value as another type of the same size. */
template <class To, class From>
HEDDLE_BOTH constexpr To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  if constexpr (__is_trivially_copyable(To) && __is_trivially_copyable(From)) {
    return __builtin_bit_cast(To, from);
  } else {
    To to;
    __builtin_memcpy((void*)&to, (const void*)&from, sizeof(To));
    return to;
  }
}

}  // namespace heddle_device

#endif
