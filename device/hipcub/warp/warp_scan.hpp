/* hipcub/warp/warp_scan.hpp: all of it is in heddle/blocks.h. */
#ifndef HEDDLE_NAME_HIPCUB_WARP_WARP_SCAN_HPP_
#define HEDDLE_NAME_HIPCUB_WARP_WARP_SCAN_HPP_
#include "heddle/blocks.h"
#endif
