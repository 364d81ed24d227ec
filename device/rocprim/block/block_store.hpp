/* rocprim/block/block_store.hpp: all of it is in heddle/rocprim.h. */
#ifndef HEDDLE_NAME_ROCPRIM_BLOCK_BLOCK_STORE_HPP_
#define HEDDLE_NAME_ROCPRIM_BLOCK_BLOCK_STORE_HPP_
#include "heddle/rocprim.h"
#endif
