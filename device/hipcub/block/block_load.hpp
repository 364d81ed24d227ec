/* hipcub/block/block_load.hpp: all of it is in heddle/blocks.h. */
#ifndef HEDDLE_NAME_HIPCUB_BLOCK_BLOCK_LOAD_HPP_
#define HEDDLE_NAME_HIPCUB_BLOCK_BLOCK_LOAD_HPP_
#include "heddle/blocks.h"
#endif
