// What a number becomes.
#pragma once
#include "detail/factors.h"

#define BLEND_OFFSET 0.25f

__device__ inline float gain(float x) { return kFactor * x + kShift; }
