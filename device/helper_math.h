/* helper_math.h: all of it is in heddle/device.h. */
#ifndef HEDDLE_NAME_HELPER_MATH_H
#define HEDDLE_NAME_HELPER_MATH_H
#include "heddle/device.h"
#endif
