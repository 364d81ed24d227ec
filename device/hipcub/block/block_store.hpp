/* hipcub/block/block_store.hpp: all of it is in heddle/blocks.h. */
#ifndef HEDDLE_NAME_HIPCUB_BLOCK_BLOCK_STORE_HPP_
#define HEDDLE_NAME_HIPCUB_BLOCK_BLOCK_STORE_HPP_
#include "heddle/blocks.h"
#endif
