/* hip/amd_detail/amd_hip_runtime.h: all of it is in heddle/device.h. */
#ifndef HEDDLE_NAME_HIP_AMD_DETAIL_AMD_HIP_RUNTIME_H
#define HEDDLE_NAME_HIP_AMD_DETAIL_AMD_HIP_RUNTIME_H
#include "heddle/device.h"
#endif
