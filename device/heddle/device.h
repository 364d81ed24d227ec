/* What a HIP or CUDA C++ kernel expects to be there, without an SDK. Included in front of every
 * kernel that heddle compiles; the vendors' header names beside this folder lead here, too.
 *
 *   for this machine, to run blocks   clang -x c++ -DHEDDLE_HOST=1 -fdeclspec -include .../device.h
 *   for a chip, to read its assembly  clang -x hip|cuda --cuda-device-only -include .../device.h
 *
 * Rules
 *   1. No header of the system is included; kernels may include <cmath>, <cstdio>, <algorithm> and
 *      the rest of the C++ library before or after.
 *   2. A function that touches memory is inlined without a line of its own, so that an access has
 *      the place of the call in the user's file.
 *   3. On this machine variables that the kernel's file defines at namespace scope lie in the
 *      sections heddle_globals and, where they begin as zeros, heddle_globals_zero; shared ones in
 *      heddle_shared; constants are read-only as usual.
 *   4. half and bfloat16, cooperative groups and complex numbers come with the vendors' headers for
 *      them (hip/hip_fp16.h, cuda_bf16.h, ...), so that other kernels need not wait for them.
 *   5. What belongs to the host (streams, errors, allocation) is declared and no more.
 *
 *   6. ptx.h, matrix.h, mfma.h, buffers.h and textures.h come where a kernel's text needs them
 *      (gpu_assembly.h).
 *
 * Not here: dynamic parallelism, grid-wide barriers.
 */
#ifndef HEDDLE_DEVICE_H
#define HEDDLE_DEVICE_H

#include "heddle/atomics.h"
#include "heddle/attributes.h"
#include "heddle/bits.h"
#include "heddle/host_api.h"
#include "heddle/index.h"
#include "heddle/math.h"
#include "heddle/memory.h"
#include "heddle/packed.h"
#include "heddle/vector_types.h"
#include "heddle/warp.h"

#if defined(HEDDLE_HOST) && defined(__x86_64__)
#include "heddle/half_conversions.h"
#endif

#if defined(HEDDLE_HOST)
#pragma clang section data = "heddle_globals" bss = "heddle_globals_zero"
#endif

#endif
