/* hipcub/hipcub.hpp: all of it is in heddle/blocks.h. */
#ifndef HEDDLE_NAME_HIPCUB_HIPCUB_HPP_
#define HEDDLE_NAME_HIPCUB_HIPCUB_HPP_
#include "heddle/blocks.h"
#endif
