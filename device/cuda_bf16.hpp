/* cuda_bf16.hpp: all of it is in heddle/bfloat16.h. */
#ifndef HEDDLE_NAME_CUDA_BF16_HPP
#define HEDDLE_NAME_CUDA_BF16_HPP
#include "heddle/device.h"
#include "heddle/bfloat16.h"
#endif
