/* hipcub/warp/warp_reduce.hpp: all of it is in heddle/blocks.h. */
#ifndef HEDDLE_NAME_HIPCUB_WARP_WARP_REDUCE_HPP_
#define HEDDLE_NAME_HIPCUB_WARP_WARP_REDUCE_HPP_
#include "heddle/blocks.h"
#endif
