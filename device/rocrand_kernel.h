/* rocrand_kernel.h, as older ROCm has it. */
#ifndef HEDDLE_NAME_ROCRAND_KERNEL_H_
#define HEDDLE_NAME_ROCRAND_KERNEL_H_
#include "rocrand/rocrand_kernel.h"
#endif
