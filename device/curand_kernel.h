/* curand_kernel.h: what kernels draw; all of it is in heddle/random.h. */
#ifndef HEDDLE_NAME_CURAND_KERNEL_H_
#define HEDDLE_NAME_CURAND_KERNEL_H_
#include "heddle/random.h"
using curandStateXORWOW = heddle_random::Xorwow<heddle_random::cuda>;
using curandStateXORWOW_t = curandStateXORWOW;
using curandState = curandStateXORWOW;
using curandState_t = curandStateXORWOW;
using curandStatePhilox4_32_10 = heddle_random::Philox<heddle_random::cuda>;
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;
HEDDLE_RANDOM(curand, heddle_random::cuda)
#endif
