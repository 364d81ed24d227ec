/* Names of the host's side that files with kernels mention: types and constants, and functions that
 * are declared and never defined.
 *
 * Rules
 *   1. Enough for declarations, structs and inline helpers that are left when host functions are
 *      gone; nothing here can be called by a kernel.
 */
#ifndef HEDDLE_HOST_API_H
#define HEDDLE_HOST_API_H

#include "heddle/attributes.h"

/* A texture or surface: the array that it reads, as the job gives it (heddle/textures.h). */
struct HeddleTexture {
  const void* data;
  unsigned width, height, depth;
  unsigned channel_bytes;  // 0: those of what the kernel reads
  bool linear, normalized, wrap, mirror, border;
  HeddleTexture() = default;
  HEDDLE_BOTH constexpr HeddleTexture(unsigned long long)
      : data(nullptr),
        width(0),
        height(0),
        depth(0),
        channel_bytes(0),
        linear(false),
        normalized(false),
        wrap(false),
        mirror(false),
        border(false) {}
  HEDDLE_BOTH explicit operator bool() const { return data != nullptr; }
};

#define HEDDLE_HOST_API(prefix, Success, ErrorName)                                   \
  enum prefix##Error_t{Success = 0, ErrorName = 999};                                 \
  enum prefix##MemcpyKind{prefix##MemcpyHostToHost, prefix##MemcpyHostToDevice,       \
                          prefix##MemcpyDeviceToHost, prefix##MemcpyDeviceToDevice,   \
                          prefix##MemcpyDefault};                                     \
  using prefix##Stream_t = struct prefix##HeddleStream*;                              \
  using prefix##Event_t = struct prefix##HeddleEvent*;                                \
  using prefix##DeviceProp_t = struct prefix##DeviceProp;                             \
  using prefix##TextureObject_t = HeddleTexture;                                      \
  using prefix##SurfaceObject_t = HeddleTexture;                                      \
  using prefix##Pitch = struct prefix##PitchedPtr;                                    \
  prefix##Error_t prefix##GetLastError();                                             \
  prefix##Error_t prefix##PeekAtLastError();                                          \
  const char* prefix##GetErrorString(prefix##Error_t);                                \
  const char* prefix##GetErrorName(prefix##Error_t);                                  \
  prefix##Error_t prefix##DeviceSynchronize();                                        \
  prefix##Error_t prefix##StreamSynchronize(prefix##Stream_t);                        \
  prefix##Error_t prefix##SetDevice(int);                                             \
  prefix##Error_t prefix##GetDevice(int*);                                            \
  prefix##Error_t prefix##Malloc(void**, size_t);                                     \
  prefix##Error_t prefix##Free(void*);                                                \
  prefix##Error_t prefix##Memset(void*, int, size_t);                                 \
  prefix##Error_t prefix##Memcpy(void*, const void*, size_t, prefix##MemcpyKind);     \
  prefix##Error_t prefix##MemcpyAsync(void*, const void*, size_t, prefix##MemcpyKind, \
                                      prefix##Stream_t = nullptr);

HEDDLE_HOST_API(hip, hipSuccess, hipErrorUnknown)
HEDDLE_HOST_API(cuda, cudaSuccess, cudaErrorUnknown)
#undef HEDDLE_HOST_API

using cudaError = cudaError_t;

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_DYNAMIC_SHARED(T, name) __extern_shared__ T name[] HEDDLE_DYNAMIC_NAME;
#define hipLaunchKernelGGL(...)

#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)
#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)
#define CUDART_INF_F (__builtin_inff())
#define CUDART_NAN_F (__builtin_nanf(""))
#define CUDART_INF (__builtin_inf())
#define CUDART_NAN (__builtin_nan(""))
#define CUDART_PI_F 3.141592654f
#define CUDART_PI 3.1415926535897931e+0
#define CUDART_MIN_DENORM_F 1.401298464e-45f
#define CUDART_MAX_NORMAL_F 3.402823466e+38f
#define CUDART_SQRT_TWO_F 1.414213562f
#define CUDART_SQRT_TWO 1.4142135623730951e+0
#define CUDART_L2E_F 1.442695041f
#define CUDART_LN2_F 0.693147181f

#endif
