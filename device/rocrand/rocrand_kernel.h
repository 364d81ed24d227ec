/* rocrand/rocrand_kernel.h: what kernels draw; all of it is in heddle/random.h. */
#ifndef HEDDLE_NAME_ROCRAND_ROCRAND_KERNEL_H_
#define HEDDLE_NAME_ROCRAND_ROCRAND_KERNEL_H_
#include "heddle/random.h"
using rocrand_state_xorwow = heddle_random::Xorwow<heddle_random::rocm>;
using rocrand_state_philox4x32_10 = heddle_random::Philox<heddle_random::rocm>;
HEDDLE_RANDOM(rocrand, heddle_random::rocm)
#endif
