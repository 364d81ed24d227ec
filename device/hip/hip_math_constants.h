/* hip/hip_math_constants.h: all of it is in heddle/device.h. */
#ifndef HEDDLE_NAME_HIP_HIP_MATH_CONSTANTS_H
#define HEDDLE_NAME_HIP_HIP_MATH_CONSTANTS_H
#include "heddle/device.h"
#endif
