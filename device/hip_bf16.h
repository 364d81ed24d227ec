/* hip_bf16.h: all of it is in heddle/bfloat16.h. */
#ifndef HEDDLE_NAME_BARE_HIP_BF16_H
#define HEDDLE_NAME_BARE_HIP_BF16_H
#include "heddle/bfloat16.h"
#include "heddle/device.h"
#endif
