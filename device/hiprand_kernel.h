/* hiprand_kernel.h, as older ROCm has it. */
#ifndef HEDDLE_NAME_HIPRAND_KERNEL_H_
#define HEDDLE_NAME_HIPRAND_KERNEL_H_
#include "hiprand/hiprand_kernel.h"
#endif
