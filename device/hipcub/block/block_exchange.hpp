/* hipcub/block/block_exchange.hpp: all of it is in heddle/blocks.h. */
#ifndef HEDDLE_NAME_HIPCUB_BLOCK_BLOCK_EXCHANGE_HPP_
#define HEDDLE_NAME_HIPCUB_BLOCK_BLOCK_EXCHANGE_HPP_
#include "heddle/blocks.h"
#endif
