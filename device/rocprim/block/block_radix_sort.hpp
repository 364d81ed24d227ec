/* rocprim/block/block_radix_sort.hpp: all of it is in heddle/rocprim.h. */
#ifndef HEDDLE_NAME_ROCPRIM_BLOCK_BLOCK_RADIX_SORT_HPP_
#define HEDDLE_NAME_ROCPRIM_BLOCK_BLOCK_RADIX_SORT_HPP_
#include "heddle/rocprim.h"
#endif
