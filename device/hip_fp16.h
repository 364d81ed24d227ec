/* hip_fp16.h: all of it is in heddle/half.h. */
#ifndef HEDDLE_NAME_BARE_HIP_FP16_H
#define HEDDLE_NAME_BARE_HIP_FP16_H
#include "heddle/device.h"
#include "heddle/half.h"
#endif
