/* hipcub/block/block_radix_sort.hpp: all of it is in heddle/block_sort.h. */
#ifndef HEDDLE_NAME_HIPCUB_BLOCK_BLOCK_RADIX_SORT_HPP_
#define HEDDLE_NAME_HIPCUB_BLOCK_BLOCK_RADIX_SORT_HPP_
#include "heddle/block_sort.h"
#endif
