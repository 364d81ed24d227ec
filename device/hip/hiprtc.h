/* hip/hiprtc.h: all of it is in heddle/device.h. */
#ifndef HEDDLE_NAME_HIP_HIPRTC_H
#define HEDDLE_NAME_HIP_HIPRTC_H
#include "heddle/device.h"
#endif
