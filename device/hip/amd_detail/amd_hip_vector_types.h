/* hip/amd_detail/amd_hip_vector_types.h: all of it is in heddle/device.h. */
#ifndef HEDDLE_NAME_HIP_AMD_DETAIL_AMD_HIP_VECTOR_TYPES_H
#define HEDDLE_NAME_HIP_AMD_DETAIL_AMD_HIP_VECTOR_TYPES_H
#include "heddle/device.h"
#endif
