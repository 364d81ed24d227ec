/* cuComplex.h: all of it is in heddle/complex.h. */
#ifndef HEDDLE_NAME_CUCOMPLEX_H
#define HEDDLE_NAME_CUCOMPLEX_H
#include "heddle/complex.h"
#endif
