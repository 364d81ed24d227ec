/* hip/hip_runtime_api.h: all of it is in heddle/device.h. */
#ifndef HEDDLE_NAME_HIP_HIP_RUNTIME_API_H
#define HEDDLE_NAME_HIP_HIP_RUNTIME_API_H
#include "heddle/device.h"
#endif
