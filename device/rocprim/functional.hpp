/* rocprim/functional.hpp: all of it is in heddle/rocprim.h. */
#ifndef HEDDLE_NAME_ROCPRIM_FUNCTIONAL_HPP_
#define HEDDLE_NAME_ROCPRIM_FUNCTIONAL_HPP_
#include "heddle/rocprim.h"
#endif
