/* channel_descriptor.h: all of it is in heddle/device.h. */
#ifndef HEDDLE_NAME_CHANNEL_DESCRIPTOR_H
#define HEDDLE_NAME_CHANNEL_DESCRIPTOR_H
#include "heddle/device.h"
#endif
