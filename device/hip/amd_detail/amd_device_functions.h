/* hip/amd_detail/amd_device_functions.h: all of it is in heddle/device.h. */
#ifndef HEDDLE_NAME_HIP_AMD_DETAIL_AMD_DEVICE_FUNCTIONS_H
#define HEDDLE_NAME_HIP_AMD_DETAIL_AMD_DEVICE_FUNCTIONS_H
#include "heddle/device.h"
#endif
