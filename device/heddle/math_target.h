/* Mathematics on a chip: the compiler's builtins where its back end has an instruction or a short
 * sequence, math_series.h elsewhere.
 *
 * Rules
 *   1. Everything is an overload for the device, so that <cmath> may declare the same for the host.
 */
#ifndef HEDDLE_MATH_TARGET_H
#define HEDDLE_MATH_TARGET_H

#include "heddle/attributes.h"
#include "heddle/math_series.h"

namespace heddle_device {

HEDDLE_CALL float chip_exp2(float x) {
#if HEDDLE_AMDGCN
  return __builtin_exp2f(x);
#else
  return __nvvm_ex2_approx_f(x);
#endif
}
HEDDLE_CALL float chip_log2(float x) {
#if HEDDLE_AMDGCN
  return __builtin_log2f(x);
#else
  return __nvvm_lg2_approx_f(x);
#endif
}
HEDDLE_CALL float chip_exp(float x) {
#if HEDDLE_AMDGCN
  return __builtin_expf(x);
#else
  const float whole = nearest(x * 1.44269504f);
  float rest = multiply_add(whole, -0.693147182f, x);
  rest = multiply_add(whole, 1.90465421e-09f, rest);
  return times_power_of_2(chip_exp2(rest * 1.44269504f), static_cast<int>(whole));
#endif
}
HEDDLE_CALL float chip_log(float x) {
#if HEDDLE_AMDGCN
  return __builtin_logf(x);
#else
  return multiply_add(chip_log2(x), 0.693147182f, 0.0f);
#endif
}

template <class T>
HEDDLE_CALL T any_exp(T x) {
  if constexpr (sizeof(T) == 8) return series_exp(x);
  if constexpr (sizeof(T) == 4) return chip_exp(x);
}
template <class T>
HEDDLE_CALL T any_log(T x) {
  if constexpr (sizeof(T) == 8) return series_log(x);
  if constexpr (sizeof(T) == 4) return chip_log(x);
}

template <class T>
HEDDLE_CALL T target_exp(T x) {
  return any_exp(x);
}
template <class T>
HEDDLE_CALL T target_exp2(T x) {
  if constexpr (sizeof(T) == 8) return series_exp(x * 0.69314718055994531);
  if constexpr (sizeof(T) == 4) return chip_exp2(x);
}
template <class T>
HEDDLE_CALL T target_exp10(T x) {
  return any_exp(x * T(2.3025850929940457));
}
template <class T>
HEDDLE_CALL T target_expm1(T x) {
  const T size = magnitude(x);
  const T small = x * polynomial(x, T(1), T(0.5), T(1.0 / 6), T(1.0 / 24), T(1.0 / 120));
  return size < T(0.25) ? small : any_exp(x) - T(1);
}
template <class T>
HEDDLE_CALL T target_log(T x) {
  return any_log(x);
}
template <class T>
HEDDLE_CALL T target_log2(T x) {
  if constexpr (sizeof(T) == 8) return series_log(x) * 1.4426950408889634;
  if constexpr (sizeof(T) == 4) return chip_log2(x);
}
template <class T>
HEDDLE_CALL T target_log10(T x) {
  return any_log(x) * T(0.43429448190325183);
}
template <class T>
HEDDLE_CALL T target_log1p(T x) {
  const T u = T(1) + x;
  return any_log(u) + (x - (u - T(1))) / u;
}
template <class T>
HEDDLE_CALL T target_sin(T x) {
  return series_sin(x);
}
template <class T>
HEDDLE_CALL T target_cos(T x) {
  return series_cos(x);
}
template <class T>
HEDDLE_CALL T target_tan(T x) {
  return series_tan(x);
}
template <class T>
HEDDLE_CALL T target_asin(T x) {
  return series_asin(x);
}
template <class T>
HEDDLE_CALL T target_acos(T x) {
  return T(1.57079632679489662) - series_asin(x);
}
template <class T>
HEDDLE_CALL T target_atan(T x) {
  return series_atan(x);
}
template <class T>
HEDDLE_CALL T target_sinh(T x) {
  const T e = any_exp(magnitude(x));
  return with_sign(T(0.5) * (e - T(1) / e), x);
}
template <class T>
HEDDLE_CALL T target_cosh(T x) {
  const T e = any_exp(magnitude(x));
  return T(0.5) * (e + T(1) / e);
}
template <class T>
HEDDLE_CALL T target_tanh(T x) {
  const T e = any_exp(T(2) * magnitude(x));
  return with_sign(T(1) - T(2) / (e + T(1)), x);
}
template <class T>
HEDDLE_CALL T target_asinh(T x) {
  const T size = magnitude(x);
  return with_sign(any_log(size + root(multiply_add(size, size, T(1)))), x);
}
template <class T>
HEDDLE_CALL T target_acosh(T x) {
  return any_log(x + root(multiply_add(x, x, T(-1))));
}
template <class T>
HEDDLE_CALL T target_atanh(T x) {
  return T(0.5) * any_log((T(1) + x) / (T(1) - x));
}
template <class T>
HEDDLE_CALL T target_cbrt(T x) {
  const T size = magnitude(x);
  T guess = any_exp(any_log(size) * T(0.33333333333333331));
  guess = guess - (guess - size / (guess * guess)) * T(0.33333333333333331);
  return size == T(0) ? x : with_sign(guess, x);
}
template <class T>
HEDDLE_CALL T target_erf(T x) {
  if constexpr (sizeof(T) == 8) return series_erf(x);
  if constexpr (sizeof(T) == 4) {
    const float size = magnitude(x);
    const float small = size * polynomial(size * size, 1.1283791f, -0.37612548f, 0.11280204f,
                                          -0.026726773f, 0.0049133710f);
    const float large =
        1.0f - chip_exp(size * polynomial(size, -1.1282753f, -0.63668084f, -0.10270224f,
                                          0.019190624f, -0.0014180915f));
    return with_sign(size < 1.0f ? small : large, x);
  }
}
template <class T>
HEDDLE_CALL T target_erfc(T x) {
  return T(1) - target_erf(x);
}
template <class T>
HEDDLE_CALL T target_lgamma(T x) {
  return static_cast<T>(series_lgamma(static_cast<double>(x)));
}
template <class T>
HEDDLE_CALL T target_tgamma(T x) {
  return static_cast<T>(series_exp(series_lgamma(static_cast<double>(x))));
}
template <class T>
HEDDLE_CALL T target_logb(T x) {
  int power = 0;
  if constexpr (sizeof(T) == 8) {
    power = static_cast<int>((bits_as<unsigned long long>(x) >> 52) & 0x7ff) - 1023;
  } else {
    power = static_cast<int>((bits_as<unsigned>(x) >> 23) & 0xff) - 127;
  }
  return static_cast<T>(power);
}

template <class T>
HEDDLE_CALL T target_pow(T x, T y) {
  const T value = any_exp(y * any_log(magnitude(x)));
  const bool whole = nearest(y) == y;
  const bool odd = whole && nearest(y * T(0.5)) * T(2) != y;
  const T result = x < T(0) ? (whole ? (odd ? -value : value) : T(__builtin_nan(""))) : value;
  return y == T(0) || x == T(1) ? T(1) : result;
}
template <class T>
HEDDLE_CALL T target_atan2(T y, T x) {
  return series_atan2(y, x);
}
template <class T>
HEDDLE_CALL T target_fmod(T x, T y) {
  T whole = x / y;
  if constexpr (sizeof(T) == 8) whole = __builtin_trunc(whole);
  if constexpr (sizeof(T) == 4) whole = __builtin_truncf(whole);
  return multiply_add(-whole, y, x);
}
template <class T>
HEDDLE_CALL T target_remainder(T x, T y) {
  return multiply_add(-nearest(x / y), y, x);
}
template <class T>
HEDDLE_CALL T target_hypot(T x, T y) {
  return root(multiply_add(x, x, y * y));
}
template <class T>
HEDDLE_CALL T target_fdim(T x, T y) {
  return x > y ? x - y : T(0);
}
template <class T>
HEDDLE_CALL T target_nextafter(T x, T y) {
  using U = decltype([] {
    if constexpr (sizeof(T) == 8) return 0ll;
    if constexpr (sizeof(T) == 4) return 0;
  }());
  const U bits = bits_as<U>(x);
  return x == y ? y : bits_as<T>((x < y) == (x > T(0)) ? bits + 1 : bits - 1);
}

}  // namespace heddle_device

/* name(float), namef(float), name(double), name(integer), and the same in std. */
#define HEDDLE_REAL_1(name, of_float, of_double)                       \
  HEDDLE_CALL float name##f(float x) {                                 \
    return of_float(x);                                                \
  }                                                                    \
  HEDDLE_CALL float name(float x) {                                    \
    return of_float(x);                                                \
  }                                                                    \
  HEDDLE_CALL double name(double x) {                                  \
    return of_double(x);                                               \
  }                                                                    \
  template <class T>                                                   \
  requires heddle_device::is_integer<T> HEDDLE_CALL double name(T x) { \
    return of_double(static_cast<double>(x));                          \
  }                                                                    \
  namespace std {                                                      \
  using ::name;                                                        \
  using ::name##f;                                                     \
  }
#define HEDDLE_REAL_2(name, of_float, of_double)                                  \
  HEDDLE_CALL float name##f(float x, float y) {                                   \
    return of_float(x, y);                                                        \
  }                                                                               \
  HEDDLE_CALL float name(float x, float y) {                                      \
    return of_float(x, y);                                                        \
  }                                                                               \
  HEDDLE_CALL double name(double x, double y) {                                   \
    return of_double(x, y);                                                       \
  }                                                                               \
  template <class A, class B>                                                     \
  requires(heddle_device::is_number<A> && heddle_device::is_number<B> &&          \
           (!__is_same(A, B) || heddle_device::is_integer<A>)) HEDDLE_CALL double \
  name(A x, B y) {                                                                \
    return of_double(static_cast<double>(x), static_cast<double>(y));             \
  }                                                                               \
  namespace std {                                                                 \
  using ::name;                                                                   \
  using ::name##f;                                                                \
  }
#define HEDDLE_BUILTIN_1(name) HEDDLE_REAL_1(name, __builtin_##name##f, __builtin_##name)
#define HEDDLE_BUILTIN_2(name) HEDDLE_REAL_2(name, __builtin_##name##f, __builtin_##name)
#define HEDDLE_WRITTEN_1(name) \
  HEDDLE_REAL_1(name, heddle_device::target_##name, heddle_device::target_##name)
#define HEDDLE_WRITTEN_2(name) \
  HEDDLE_REAL_2(name, heddle_device::target_##name, heddle_device::target_##name)

HEDDLE_BUILTIN_1(sqrt)
HEDDLE_BUILTIN_1(fabs)
HEDDLE_BUILTIN_1(floor)
HEDDLE_BUILTIN_1(ceil)
HEDDLE_BUILTIN_1(trunc)
HEDDLE_BUILTIN_1(rint)
HEDDLE_BUILTIN_1(nearbyint)
HEDDLE_BUILTIN_1(round)
HEDDLE_BUILTIN_2(fmin)
HEDDLE_BUILTIN_2(fmax)
HEDDLE_BUILTIN_2(copysign)
HEDDLE_WRITTEN_1(exp)
HEDDLE_WRITTEN_1(exp2)
HEDDLE_WRITTEN_1(exp10)
HEDDLE_WRITTEN_1(expm1)
HEDDLE_WRITTEN_1(log)
HEDDLE_WRITTEN_1(log2)
HEDDLE_WRITTEN_1(log10)
HEDDLE_WRITTEN_1(log1p)
HEDDLE_WRITTEN_1(logb)
HEDDLE_WRITTEN_1(sin)
HEDDLE_WRITTEN_1(cos)
HEDDLE_WRITTEN_1(tan)
HEDDLE_WRITTEN_1(asin)
HEDDLE_WRITTEN_1(acos)
HEDDLE_WRITTEN_1(atan)
HEDDLE_WRITTEN_1(sinh)
HEDDLE_WRITTEN_1(cosh)
HEDDLE_WRITTEN_1(tanh)
HEDDLE_WRITTEN_1(asinh)
HEDDLE_WRITTEN_1(acosh)
HEDDLE_WRITTEN_1(atanh)
HEDDLE_WRITTEN_1(cbrt)
HEDDLE_WRITTEN_1(erf)
HEDDLE_WRITTEN_1(erfc)
HEDDLE_WRITTEN_1(lgamma)
HEDDLE_WRITTEN_1(tgamma)
HEDDLE_WRITTEN_2(pow)
HEDDLE_WRITTEN_2(atan2)
HEDDLE_WRITTEN_2(fmod)
HEDDLE_WRITTEN_2(remainder)
HEDDLE_WRITTEN_2(hypot)
HEDDLE_WRITTEN_2(fdim)
HEDDLE_WRITTEN_2(nextafter)

#undef HEDDLE_REAL_1
#undef HEDDLE_REAL_2
#undef HEDDLE_BUILTIN_1
#undef HEDDLE_BUILTIN_2
#undef HEDDLE_WRITTEN_1
#undef HEDDLE_WRITTEN_2

HEDDLE_CALL float fmaf(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
HEDDLE_CALL float fma(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
HEDDLE_CALL double fma(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}
HEDDLE_CALL int abs(int x) {
  return x < 0 ? -x : x;
}
HEDDLE_CALL long abs(long x) {
  return x < 0 ? -x : x;
}
HEDDLE_CALL long long abs(long long x) {
  return x < 0 ? -x : x;
}
HEDDLE_CALL float abs(float x) {
  return __builtin_fabsf(x);
}
HEDDLE_CALL double abs(double x) {
  return __builtin_fabs(x);
}
HEDDLE_CALL long labs(long x) {
  return abs(x);
}
HEDDLE_CALL long long llabs(long long x) {
  return abs(x);
}

#define HEDDLE_POWERS(T, suffix)                                       \
  HEDDLE_CALL T ldexp##suffix(T x, int power) {                        \
    return heddle_device::times_power_of_2(x, power);                  \
  }                                                                    \
  HEDDLE_CALL T scalbn##suffix(T x, int power) {                       \
    return heddle_device::times_power_of_2(x, power);                  \
  }                                                                    \
  HEDDLE_CALL int ilogb##suffix(T x) {                                 \
    return static_cast<int>(heddle_device::target_logb(x));            \
  }                                                                    \
  HEDDLE_CALL T frexp##suffix(T x, int* power) {                       \
    const int there = ilogb##suffix(x) + 1;                            \
    *power = x == T(0) ? 0 : there;                                    \
    return x == T(0) ? x : heddle_device::times_power_of_2(x, -there); \
  }                                                                    \
  HEDDLE_CALL T modf##suffix(T x, T* whole) {                          \
    const T floor = trunc(x);                                          \
    *whole = floor;                                                    \
    return x - floor;                                                  \
  }                                                                    \
  HEDDLE_CALL long lround##suffix(T x) {                               \
    return static_cast<long>(round(x));                                \
  }                                                                    \
  HEDDLE_CALL long lrint##suffix(T x) {                                \
    return static_cast<long>(rint(x));                                 \
  }                                                                    \
  HEDDLE_CALL long long llround##suffix(T x) {                         \
    return static_cast<long long>(round(x));                           \
  }                                                                    \
  HEDDLE_CALL long long llrint##suffix(T x) {                          \
    return static_cast<long long>(rint(x));                            \
  }
HEDDLE_POWERS(float, f)
HEDDLE_POWERS(float, )
HEDDLE_POWERS(double, )
#undef HEDDLE_POWERS

template <class T>
HEDDLE_CALL void sincos(T x, T* sine, T* cosine) {
  *sine = sin(x);
  *cosine = cos(x);
}
HEDDLE_CALL void sincosf(float x, float* sine, float* cosine) {
  sincos(x, sine, cosine);
}
template <class T>
HEDDLE_CALL void sincospi(T x, T* sine, T* cosine) {
  sincos(static_cast<T>(3.14159265358979323846) * x, sine, cosine);
}

#define HEDDLE_CLASSIFY(name)                                                  \
  HEDDLE_CALL constexpr bool name(float x) {                                   \
    return __builtin_##name(x);                                                \
  }                                                                            \
  HEDDLE_CALL constexpr bool name(double x) {                                  \
    return __builtin_##name(x);                                                \
  }                                                                            \
  template <class T>                                                           \
  requires heddle_device::is_integer<T> HEDDLE_CALL constexpr bool name(T x) { \
    return name(static_cast<double>(x));                                       \
  }                                                                            \
  namespace std {                                                              \
  using ::name;                                                                \
  }
HEDDLE_CLASSIFY(isnan)
HEDDLE_CLASSIFY(isinf)
HEDDLE_CLASSIFY(isfinite)
HEDDLE_CLASSIFY(isnormal)
HEDDLE_CLASSIFY(signbit)
#undef HEDDLE_CLASSIFY

namespace std {
using ::abs;
using ::fma;
using ::fmaf;
using ::frexp;
using ::ilogb;
using ::ldexp;
using ::llrint;
using ::llround;
using ::lrint;
using ::lround;
using ::modf;
using ::scalbn;
}  // namespace std

#endif
