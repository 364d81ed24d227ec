/* cufft.h: all of it is in heddle/fft.h. */
#ifndef HEDDLE_NAME_CUFFT_H
#define HEDDLE_NAME_CUFFT_H
#include "heddle/fft.h"
#endif
