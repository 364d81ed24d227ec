/* cuda_fp16.hpp: all of it is in heddle/half.h. */
#ifndef HEDDLE_NAME_CUDA_FP16_HPP
#define HEDDLE_NAME_CUDA_FP16_HPP
#include "heddle/device.h"
#include "heddle/half.h"
#endif
