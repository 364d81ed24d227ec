/* cub/block/block_radix_sort.cuh: all of it is in heddle/block_sort.h. */
#ifndef HEDDLE_NAME_CUB_BLOCK_BLOCK_RADIX_SORT_CUH_
#define HEDDLE_NAME_CUB_BLOCK_BLOCK_RADIX_SORT_CUH_
#include "heddle/block_sort.h"
#endif
