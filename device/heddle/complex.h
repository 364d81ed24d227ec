/* Complex numbers as cuComplex.h and hip_complex.h have them.
 *
 *   hipFloatComplex z = hipCmulf(make_hipFloatComplex(1, 2), w);     cuCabs(z)
 *
 * Rules
 *   1. A complex number is a pair: float2 or double2, and moves as one.
 */
#ifndef HEDDLE_COMPLEX_H
#define HEDDLE_COMPLEX_H

#include "heddle/device.h"

#define HEDDLE_COMPLEX(prefix, Name, V, T, suffix)                            \
  using prefix##Name = V;                                                     \
  HEDDLE_BOTH V make_##prefix##Name(T real, T imaginary) {                    \
    return V(real, imaginary);                                                \
  }                                                                           \
  HEDDLE_BOTH T prefix##Creal##suffix(const V& z) {                           \
    return z.x;                                                               \
  }                                                                           \
  HEDDLE_BOTH T prefix##Cimag##suffix(const V& z) {                           \
    return z.y;                                                               \
  }                                                                           \
  HEDDLE_BOTH V prefix##Conj##suffix(const V& z) {                            \
    return V(z.x, -z.y);                                                      \
  }                                                                           \
  HEDDLE_BOTH V prefix##Cadd##suffix(const V& a, const V& b) {                \
    return V(a.x + b.x, a.y + b.y);                                           \
  }                                                                           \
  HEDDLE_BOTH V prefix##Csub##suffix(const V& a, const V& b) {                \
    return V(a.x - b.x, a.y - b.y);                                           \
  }                                                                           \
  HEDDLE_BOTH V prefix##Cmul##suffix(const V& a, const V& b) {                \
    return V(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                   \
  }                                                                           \
  HEDDLE_BOTH V prefix##Cdiv##suffix(const V& a, const V& b) {                \
    const T size = b.x * b.x + b.y * b.y;                                     \
    return V((a.x * b.x + a.y * b.y) / size, (a.y * b.x - a.x * b.y) / size); \
  }                                                                           \
  HEDDLE_BOTH V prefix##Cfma##suffix(const V& a, const V& b, const V& c) {    \
    return prefix##Cadd##suffix(prefix##Cmul##suffix(a, b), c);               \
  }                                                                           \
  HEDDLE_CALL T prefix##Cabs##suffix(const V& z) {                            \
    return hypot(z.x, z.y);                                                   \
  }

HEDDLE_COMPLEX(hip, FloatComplex, float2, float, f)
HEDDLE_COMPLEX(hip, DoubleComplex, double2, double, )
HEDDLE_COMPLEX(cu, FloatComplex, float2, float, f)
HEDDLE_COMPLEX(cu, DoubleComplex, double2, double, )
#undef HEDDLE_COMPLEX
using hipComplex = float2;
using cuComplex = float2;
HEDDLE_BOTH float2 make_cuComplex(float real, float imaginary) {
  return float2(real, imaginary);
}
HEDDLE_BOTH float2 make_hipComplex(float real, float imaginary) {
  return float2(real, imaginary);
}

#endif
