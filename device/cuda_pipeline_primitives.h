/* cuda_pipeline_primitives.h: all of it is in heddle/asynchronous.h. */
#ifndef HEDDLE_NAME_CUDA_PIPELINE_PRIMITIVES_H_
#define HEDDLE_NAME_CUDA_PIPELINE_PRIMITIVES_H_
#include "heddle/asynchronous.h"
#endif
