/* hip/amd_detail/hip_ldg.h: all of it is in heddle/device.h. */
#ifndef HEDDLE_NAME_HIP_AMD_DETAIL_HIP_LDG_H
#define HEDDLE_NAME_HIP_AMD_DETAIL_HIP_LDG_H
#include "heddle/device.h"
#endif
