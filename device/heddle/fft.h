/* Types that device code uses of cufft.h and hipfft.h; transforms are the host's. */
#ifndef HEDDLE_FFT_H
#define HEDDLE_FFT_H

#include "heddle/complex.h"

using cufftReal = float;
using cufftDoubleReal = double;
using cufftComplex = float2;
using cufftDoubleComplex = double2;
using cufftHandle = int;
enum cufftResult : int { CUFFT_SUCCESS };
enum cufftType : int {
  CUFFT_R2C = 0x2a,
  CUFFT_C2R = 0x2c,
  CUFFT_C2C = 0x29,
  CUFFT_D2Z = 0x6a,
  CUFFT_Z2D = 0x6c,
  CUFFT_Z2Z = 0x69
};
#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1

using hipfftReal = float;
using hipfftDoubleReal = double;
using hipfftComplex = float2;
using hipfftDoubleComplex = double2;
using hipfftHandle = struct hipfftHandle_t*;
enum hipfftResult : int { HIPFFT_SUCCESS };
enum hipfftType : int {
  HIPFFT_R2C = 0x2a,
  HIPFFT_C2R = 0x2c,
  HIPFFT_C2C = 0x29,
  HIPFFT_D2Z = 0x6a,
  HIPFFT_Z2D = 0x6c,
  HIPFFT_Z2Z = 0x69
};
#define HIPFFT_FORWARD -1
#define HIPFFT_BACKWARD 1

#endif
