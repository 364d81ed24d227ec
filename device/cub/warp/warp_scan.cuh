/* cub/warp/warp_scan.cuh: all of it is in heddle/blocks.h. */
#ifndef HEDDLE_NAME_CUB_WARP_WARP_SCAN_CUH_
#define HEDDLE_NAME_CUB_WARP_WARP_SCAN_CUH_
#include "heddle/blocks.h"
#endif
