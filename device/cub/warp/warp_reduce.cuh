/* cub/warp/warp_reduce.cuh: all of it is in heddle/blocks.h. */
#ifndef HEDDLE_NAME_CUB_WARP_WARP_REDUCE_CUH_
#define HEDDLE_NAME_CUB_WARP_WARP_REDUCE_CUH_
#include "heddle/blocks.h"
#endif
