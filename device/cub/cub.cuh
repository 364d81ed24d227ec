/* cub/cub.cuh: all of it is in heddle/blocks.h. */
#ifndef HEDDLE_NAME_CUB_CUB_CUH_
#define HEDDLE_NAME_CUB_CUB_CUH_
#include "heddle/blocks.h"
#endif
