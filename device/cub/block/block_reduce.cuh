/* cub/block/block_reduce.cuh: all of it is in heddle/blocks.h. */
#ifndef HEDDLE_NAME_CUB_BLOCK_BLOCK_REDUCE_CUH_
#define HEDDLE_NAME_CUB_BLOCK_BLOCK_REDUCE_CUH_
#include "heddle/blocks.h"
#endif
