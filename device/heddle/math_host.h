/* Mathematics on this machine: the C library's functions, declared without its headers.
 *
 * Rules
 *   1. Functions of double and those that end in f are the C library's own declarations, so that
 *      <math.h> may repeat them.
 *   2. Versions for float and for integers are templates: where <cmath> has its own, those win, and
 *      nothing is ambiguous.
 */
#ifndef HEDDLE_MATH_HOST_H
#define HEDDLE_MATH_HOST_H

#include "heddle/attributes.h"

#define HEDDLE_REAL_FUNCTIONS_1(X)                                                               \
  X(acos)                                                                                        \
  X(acosh)                                                                                       \
  X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf) X(erfc) X(exp) X(exp2) \
      X(expm1) X(fabs) X(floor) X(lgamma) X(log) X(log10) X(log1p) X(log2) X(logb) X(nearbyint)  \
          X(rint) X(round) X(sin) X(sinh) X(sqrt) X(tan) X(tanh) X(tgamma) X(trunc)
#define HEDDLE_REAL_FUNCTIONS_2(X) \
  X(atan2) X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder)

extern "C" {
#define HEDDLE_DECLARE(name)    \
  double name(double) noexcept; \
  float name##f(float) noexcept;
HEDDLE_REAL_FUNCTIONS_1(HEDDLE_DECLARE)
#undef HEDDLE_DECLARE
#define HEDDLE_DECLARE(name)            \
  double name(double, double) noexcept; \
  float name##f(float, float) noexcept;
HEDDLE_REAL_FUNCTIONS_2(HEDDLE_DECLARE)
#undef HEDDLE_DECLARE
double fma(double, double, double) noexcept;
float fmaf(float, float, float) noexcept;
double ldexp(double, int) noexcept;
float ldexpf(float, int) noexcept;
double scalbn(double, int) noexcept;
float scalbnf(float, int) noexcept;
double frexp(double, int*) noexcept;
float frexpf(float, int*) noexcept;
double modf(double, double*) noexcept;
float modff(float, float*) noexcept;
int ilogb(double) noexcept;
int ilogbf(float) noexcept;
long lrint(double) noexcept;
long lrintf(float) noexcept;
long long llrint(double) noexcept;
long long llrintf(float) noexcept;
long lround(double) noexcept;
long lroundf(float) noexcept;
long long llround(double) noexcept;
long long llroundf(float) noexcept;
double j0(double) noexcept;
double j1(double) noexcept;
double y0(double) noexcept;
double y1(double) noexcept;
/* The fast ones. The C library declares the same names for itself, and does not define them. */
#define HEDDLE_FAST(name) float __##name(float) noexcept __asm__(#name) __attribute__((const));
HEDDLE_FAST(expf)
HEDDLE_FAST(exp2f)
HEDDLE_FAST(exp10f)
HEDDLE_FAST(logf)
HEDDLE_FAST(log2f)
HEDDLE_FAST(log10f)
HEDDLE_FAST(sinf)
HEDDLE_FAST(cosf)
HEDDLE_FAST(tanf)
HEDDLE_FAST(tanhf)
#undef HEDDLE_FAST
float __powf(float, float) noexcept __asm__("powf") __attribute__((const));
void __sincosf(float, float*, float*) noexcept __asm__("sincosf");
int abs(int) noexcept;
long labs(long) noexcept;
long long llabs(long long) noexcept;
}

namespace heddle_math {

template <class T>
concept Float = __is_same(T, float);
template <class T>
concept Integer = heddle_device::is_integer<T>;
template <class A, class B>
concept Mixed = heddle_device::is_number<A> && heddle_device::is_number<B> &&
    (!__is_same(A, B) || Integer<A>);
template <class A, class B>
concept Floats = __is_same(A, float) && __is_same(B, float);

#define HEDDLE_OVERLOAD(name)                        \
  template <Float T>                                 \
  HEDDLE_CALL T name(T x) {                          \
    return __builtin_##name##f(x);                   \
  }                                                  \
  template <Integer T>                               \
  HEDDLE_CALL double name(T x) {                     \
    return __builtin_##name(static_cast<double>(x)); \
  }
HEDDLE_REAL_FUNCTIONS_1(HEDDLE_OVERLOAD)
#undef HEDDLE_OVERLOAD
#define HEDDLE_OVERLOAD(name)                                                \
  template <class A, class B>                                                \
  requires Floats<A, B> HEDDLE_CALL float name(A x, B y) {                   \
    return __builtin_##name##f(x, y);                                        \
  }                                                                          \
  template <class A, class B>                                                \
  requires Mixed<A, B> HEDDLE_CALL double name(A x, B y) {                   \
    return __builtin_##name(static_cast<double>(x), static_cast<double>(y)); \
  }
HEDDLE_REAL_FUNCTIONS_2(HEDDLE_OVERLOAD)
#undef HEDDLE_OVERLOAD

template <class A, class B, class C>
requires(Floats<A, B>&& Floats<B, C>) HEDDLE_CALL float fma(A x, B y, C z) {
  return __builtin_fmaf(x, y, z);
}
template <class A, class B, class C>
requires((Mixed<A, B> || Mixed<B, C>)&&heddle_device::is_number<A>) HEDDLE_CALL
    double fma(A x, B y, C z) {
  return __builtin_fma(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z));
}
template <Float T>
HEDDLE_CALL T abs(T x) {
  return __builtin_fabsf(x);
}
template <class T>
requires(__is_same(T, double)) HEDDLE_CALL T abs(T x) {
  return __builtin_fabs(x);
}
template <class T>
requires(__is_same(T, long) || __is_same(T, long long)) HEDDLE_CALL T abs(T x) {
  return x < 0 ? -x : x;
}
template <Float T>
HEDDLE_CALL T ldexp(T x, int power) {
  return __builtin_ldexpf(x, power);
}
template <Float T>
HEDDLE_CALL T scalbn(T x, int power) {
  return __builtin_scalbnf(x, power);
}
template <Float T>
HEDDLE_CALL T frexp(T x, int* power) {
  int there;
  const T result = __builtin_frexpf(x, &there);
  *power = there;
  return result;
}
template <Float T>
HEDDLE_CALL T modf(T x, T* whole) {
  const T floor = __builtin_truncf(x);
  *whole = floor;
  return x - floor;
}
template <Float T>
HEDDLE_CALL long lround(T x) {
  return __builtin_lroundf(x);
}
template <Float T>
HEDDLE_CALL long lrint(T x) {
  return __builtin_lrintf(x);
}
template <Float T>
HEDDLE_CALL long long llround(T x) {
  return __builtin_llroundf(x);
}
template <Float T>
HEDDLE_CALL long long llrint(T x) {
  return __builtin_llrintf(x);
}
template <Float T>
HEDDLE_CALL int ilogb(T x) {
  return __builtin_ilogbf(x);
}

#define HEDDLE_CLASSIFY(name, expression)                                          \
  template <class T>                                                               \
  requires heddle_device::is_number<T> HEDDLE_CALL constexpr bool name(T number) { \
    const auto x = number + 0.0f;                                                  \
    return expression;                                                             \
  }
HEDDLE_CLASSIFY(isnan, __builtin_isnan(x))
HEDDLE_CLASSIFY(isinf, __builtin_isinf(x))
HEDDLE_CLASSIFY(isfinite, __builtin_isfinite(x))
HEDDLE_CLASSIFY(isnormal, __builtin_isnormal(x))
HEDDLE_CLASSIFY(signbit, __builtin_signbit(x))
#undef HEDDLE_CLASSIFY

/* GNU's and the vendors'. */
template <class T>
requires heddle_device::is_real<T> HEDDLE_CALL void sincos(T x, T* sine, T* cosine) {
  *sine = static_cast<T>(__builtin_sin(x));
  *cosine = static_cast<T>(__builtin_cos(x));
}
template <Float T>
HEDDLE_CALL void sincosf(T x, T* sine, T* cosine) {
  *sine = __builtin_sinf(x);
  *cosine = __builtin_cosf(x);
}
template <class T>
requires heddle_device::is_real<T> HEDDLE_CALL void sincospi(T x, T* sine, T* cosine) {
  sincos(static_cast<T>(3.14159265358979323846 * x), sine, cosine);
}
template <class T>
requires heddle_device::is_number<T> HEDDLE_CALL float exp10f(T x) {
  return __builtin_powf(10.0f, static_cast<float>(x));
}
template <class T>
requires heddle_device::is_number<T> HEDDLE_CALL auto exp10(T x) {
  if constexpr (__is_same(T, float)) {
    return __builtin_powf(10.0f, x);
  } else {
    return __builtin_pow(10.0, static_cast<double>(x));
  }
}

}  // namespace heddle_math

#define HEDDLE_USE(name) using heddle_math::name;
#define HEDDLE_USE_GLOBAL_TOO(name) \
  using ::name;                     \
  using heddle_math::name;
#define HEDDLE_OTHER_FUNCTIONS(X) \
  X(fma) X(abs) X(ldexp) X(scalbn) X(frexp) X(modf) X(lround) X(lrint) X(llround) X(llrint) X(ilogb)
#define HEDDLE_CLASSES(X) X(isnan) X(isinf) X(isfinite) X(isnormal) X(signbit)

namespace std {
HEDDLE_REAL_FUNCTIONS_1(HEDDLE_USE_GLOBAL_TOO)
HEDDLE_REAL_FUNCTIONS_2(HEDDLE_USE_GLOBAL_TOO)
HEDDLE_OTHER_FUNCTIONS(HEDDLE_USE_GLOBAL_TOO)
HEDDLE_CLASSES(HEDDLE_USE)
}  // namespace std

HEDDLE_REAL_FUNCTIONS_1(HEDDLE_USE)
HEDDLE_REAL_FUNCTIONS_2(HEDDLE_USE)
HEDDLE_OTHER_FUNCTIONS(HEDDLE_USE)
HEDDLE_CLASSES(HEDDLE_USE)
HEDDLE_USE(sincos)
HEDDLE_USE(sincosf)
HEDDLE_USE(sincospi)
HEDDLE_USE(exp10)
HEDDLE_USE(exp10f)

#undef HEDDLE_USE
#undef HEDDLE_USE_GLOBAL_TOO
#undef HEDDLE_OTHER_FUNCTIONS
#undef HEDDLE_CLASSES
#undef HEDDLE_REAL_FUNCTIONS_1
#undef HEDDLE_REAL_FUNCTIONS_2

#endif
