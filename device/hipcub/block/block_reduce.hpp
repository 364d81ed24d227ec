/* hipcub/block/block_reduce.hpp: all of it is in heddle/blocks.h. */
#ifndef HEDDLE_NAME_HIPCUB_BLOCK_BLOCK_REDUCE_HPP_
#define HEDDLE_NAME_HIPCUB_BLOCK_BLOCK_REDUCE_HPP_
#include "heddle/blocks.h"
#endif
