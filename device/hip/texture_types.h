/* hip/texture_types.h: all of it is in heddle/device.h. */
#ifndef HEDDLE_NAME_HIP_TEXTURE_TYPES_H
#define HEDDLE_NAME_HIP_TEXTURE_TYPES_H
#include "heddle/device.h"
#endif
