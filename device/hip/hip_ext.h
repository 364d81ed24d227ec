/* hip/hip_ext.h: all of it is in heddle/device.h. */
#ifndef HEDDLE_NAME_HIP_HIP_EXT_H
#define HEDDLE_NAME_HIP_HIP_EXT_H
#include "heddle/device.h"
#endif
