/* cuda.h: all of it is in heddle/device.h. */
#ifndef HEDDLE_NAME_CUDA_H
#define HEDDLE_NAME_CUDA_H
#include "heddle/device.h"
#endif
