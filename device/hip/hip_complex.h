/* hip/hip_complex.h: all of it is in heddle/complex.h. */
#ifndef HEDDLE_NAME_HIP_HIP_COMPLEX_H
#define HEDDLE_NAME_HIP_HIP_COMPLEX_H
#include "heddle/complex.h"
#endif
