/* cub/block/block_exchange.cuh: all of it is in heddle/blocks.h. */
#ifndef HEDDLE_NAME_CUB_BLOCK_BLOCK_EXCHANGE_CUH_
#define HEDDLE_NAME_CUB_BLOCK_BLOCK_EXCHANGE_CUH_
#include "heddle/blocks.h"
#endif
