/* rocprim/rocprim.hpp: all of it is in heddle/rocprim.h. */
#ifndef HEDDLE_NAME_ROCPRIM_ROCPRIM_HPP_
#define HEDDLE_NAME_ROCPRIM_ROCPRIM_HPP_
#include "heddle/rocprim.h"
#endif
