/* device_launch_parameters.h: all of it is in heddle/device.h. */
#ifndef HEDDLE_NAME_DEVICE_LAUNCH_PARAMETERS_H
#define HEDDLE_NAME_DEVICE_LAUNCH_PARAMETERS_H
#include "heddle/device.h"
#endif
