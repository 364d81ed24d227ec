/* math_functions.h: all of it is in heddle/device.h. */
#ifndef HEDDLE_NAME_MATH_FUNCTIONS_H
#define HEDDLE_NAME_MATH_FUNCTIONS_H
#include "heddle/device.h"
#endif
