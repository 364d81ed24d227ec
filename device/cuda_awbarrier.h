/* cuda_awbarrier.h: all of it is in heddle/asynchronous.h. */
#ifndef HEDDLE_NAME_CUDA_AWBARRIER_H_
#define HEDDLE_NAME_CUDA_AWBARRIER_H_
#include "heddle/asynchronous.h"
#endif
