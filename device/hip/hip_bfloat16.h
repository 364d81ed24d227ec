/* hip/hip_bfloat16.h: all of it is in heddle/bfloat16.h. */
#ifndef HEDDLE_NAME_HIP_HIP_BFLOAT16_H
#define HEDDLE_NAME_HIP_HIP_BFLOAT16_H
#include "heddle/bfloat16.h"
#include "heddle/device.h"
#endif
