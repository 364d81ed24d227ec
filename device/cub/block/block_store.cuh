/* cub/block/block_store.cuh: all of it is in heddle/blocks.h. */
#ifndef HEDDLE_NAME_CUB_BLOCK_BLOCK_STORE_CUH_
#define HEDDLE_NAME_CUB_BLOCK_BLOCK_STORE_CUH_
#include "heddle/blocks.h"
#endif
