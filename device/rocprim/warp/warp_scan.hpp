/* rocprim/warp/warp_scan.hpp: all of it is in heddle/rocprim.h. */
#ifndef HEDDLE_NAME_ROCPRIM_WARP_WARP_SCAN_HPP_
#define HEDDLE_NAME_ROCPRIM_WARP_WARP_SCAN_HPP_
#include "heddle/rocprim.h"
#endif
