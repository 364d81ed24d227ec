/* hip/hip_common.h: all of it is in heddle/device.h. */
#ifndef HEDDLE_NAME_HIP_HIP_COMMON_H
#define HEDDLE_NAME_HIP_HIP_COMMON_H
#include "heddle/device.h"
#endif
