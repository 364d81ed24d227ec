/* sm_30_intrinsics.h: all of it is in heddle/device.h. */
#ifndef HEDDLE_NAME_SM_30_INTRINSICS_H
#define HEDDLE_NAME_SM_30_INTRINSICS_H
#include "heddle/device.h"
#endif
