/* hiprand/hiprand_kernel.h: what kernels draw, from rocRAND; all of it is in heddle/random.h. */
#ifndef HEDDLE_NAME_HIPRAND_HIPRAND_KERNEL_H_
#define HEDDLE_NAME_HIPRAND_HIPRAND_KERNEL_H_
#include "heddle/random.h"
using hiprandStateXORWOW = heddle_random::Xorwow<heddle_random::rocm>;
using hiprandStateXORWOW_t = hiprandStateXORWOW;
using hiprandState = hiprandStateXORWOW;
using hiprandState_t = hiprandStateXORWOW;
using hiprandStatePhilox4_32_10 = heddle_random::Philox<heddle_random::rocm>;
using hiprandStatePhilox4_32_10_t = hiprandStatePhilox4_32_10;
HEDDLE_RANDOM(hiprand, heddle_random::rocm)
#endif
