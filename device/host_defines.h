/* host_defines.h: all of it is in heddle/device.h. */
#ifndef HEDDLE_NAME_HOST_DEFINES_H
#define HEDDLE_NAME_HOST_DEFINES_H
#include "heddle/device.h"
#endif
