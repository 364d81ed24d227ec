/* hip/hip_fp8.h: all of it is in heddle/fp8.h. */
#ifndef HEDDLE_NAME_HIP_HIP_FP8_H
#define HEDDLE_NAME_HIP_HIP_FP8_H
#include "heddle/fp8.h"
#endif
