/* cub/cub.cuh: all of it is in heddle/blocks.h and heddle/block_sort.h. */
#ifndef HEDDLE_NAME_CUB_CUB_CUH_
#define HEDDLE_NAME_CUB_CUB_CUH_
#include "heddle/block_sort.h"
#endif
