/* rocprim/block/block_scan.hpp: all of it is in heddle/rocprim.h. */
#ifndef HEDDLE_NAME_ROCPRIM_BLOCK_BLOCK_SCAN_HPP_
#define HEDDLE_NAME_ROCPRIM_BLOCK_BLOCK_SCAN_HPP_
#include "heddle/rocprim.h"
#endif
