/* hipcub/hipcub.hpp: all of it is in heddle/blocks.h and heddle/block_sort.h. */
#ifndef HEDDLE_NAME_HIPCUB_HIPCUB_HPP_
#define HEDDLE_NAME_HIPCUB_HIPCUB_HPP_
#include "heddle/block_sort.h"
#endif
