/* hipfft/hipfft.h: all of it is in heddle/fft.h. */
#ifndef HEDDLE_NAME_HIPFFT_HIPFFT_H
#define HEDDLE_NAME_HIPFFT_HIPFFT_H
#include "heddle/fft.h"
#endif
