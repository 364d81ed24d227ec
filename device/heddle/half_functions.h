/* What the types of 16 bits and their pairs have in common: arithmetic, comparisons, functions.
 *
 *   __hadd(a, b)   __hmax2(p, q)   hexp(a)   a += b   a * 0.5f
 *
 * Rules
 *   1. A type takes part if it is derived from AnyHalf or AnyHalfPair: it converts to float, is
 * made of one, and has data_as_number and product_and_sum; a pair has x, y and its own arithmetic.
 *   2. Comparisons and elementary functions go through float.
 *   3. With an integer the result is the type, with a float it is the float.
 */
#ifndef HEDDLE_HALF_FUNCTIONS_H
#define HEDDLE_HALF_FUNCTIONS_H

#include "heddle/attributes.h"
#include "heddle/math.h"

#define HEDDLE_HALF_OPERATOR(symbol, name)                                                    \
  template <heddle_device::Half H>                                                            \
  HEDDLE_BOTH H operator symbol(H a, H b) {                                                   \
    return H(a.data_as_number() symbol b.data_as_number());                                   \
  }                                                                                           \
  template <heddle_device::Half H, class T>                                                   \
  requires heddle_device::is_number<T> HEDDLE_BOTH auto operator symbol(H a, T b) {           \
    if constexpr (heddle_device::is_integer<T>) return a symbol H(b);                         \
    if constexpr (heddle_device::is_real<T>) return static_cast<float>(a) symbol b;           \
  }                                                                                           \
  template <heddle_device::Half H, class T>                                                   \
  requires heddle_device::is_number<T> HEDDLE_BOTH auto operator symbol(T a, H b) {           \
    if constexpr (heddle_device::is_integer<T>) return H(a) symbol b;                         \
    if constexpr (heddle_device::is_real<T>) return a symbol static_cast<float>(b);           \
  }                                                                                           \
  template <heddle_device::Half H, class T>                                                   \
  requires(heddle_device::is_number<T> || __is_same(T, H)) HEDDLE_BOTH H& operator symbol##=( \
      H& a, T b) {                                                                            \
    a = H(a symbol b);                                                                        \
    return a;                                                                                 \
  }                                                                                           \
  template <heddle_device::HalfPair P>                                                        \
  HEDDLE_BOTH P& operator symbol##=(P& a, P b) {                                              \
    a = a symbol b;                                                                           \
    return a;                                                                                 \
  }                                                                                           \
  template <heddle_device::Half H>                                                            \
  HEDDLE_CALL H name(H a, H b) {                                                              \
    return a symbol b;                                                                        \
  }                                                                                           \
  template <heddle_device::Half H>                                                            \
  HEDDLE_CALL H name##_rn(H a, H b) {                                                         \
    return a symbol b;                                                                        \
  }                                                                                           \
  template <heddle_device::Half H>                                                            \
  HEDDLE_CALL H name##_sat(H a, H b) {                                                        \
    return H(saturate(static_cast<float>(a symbol b)));                                       \
  }                                                                                           \
  template <heddle_device::HalfPair P>                                                        \
  HEDDLE_CALL P name##2(P a, P b) {                                                           \
    return a symbol b;                                                                        \
  }                                                                                           \
  template <heddle_device::HalfPair P>                                                        \
  HEDDLE_CALL P name##2_rn(P a, P b) {                                                        \
    return a symbol b;                                                                        \
  }
HEDDLE_HALF_OPERATOR(+, __hadd)
HEDDLE_HALF_OPERATOR(-, __hsub)
HEDDLE_HALF_OPERATOR(*, __hmul)
HEDDLE_HALF_OPERATOR(/, __hdiv)
#undef HEDDLE_HALF_OPERATOR

#define HEDDLE_HALF_COMPARISON(symbol, name)                                        \
  template <heddle_device::Half H>                                                  \
  HEDDLE_BOTH bool operator symbol(H a, H b) {                                      \
    return static_cast<float>(a) symbol static_cast<float>(b);                      \
  }                                                                                 \
  template <heddle_device::Half H, class T>                                         \
  requires heddle_device::is_number<T> HEDDLE_BOTH bool operator symbol(H a, T b) { \
    return static_cast<float>(a) symbol b;                                          \
  }                                                                                 \
  template <heddle_device::Half H>                                                  \
  HEDDLE_CALL bool __h##name(H a, H b) {                                            \
    return a symbol b;                                                              \
  }                                                                                 \
  template <heddle_device::HalfPair P>                                              \
  HEDDLE_CALL P __h##name##2(P a, P b) {                                            \
    return P(a.x symbol b.x ? 1.0f : 0.0f, a.y symbol b.y ? 1.0f : 0.0f);           \
  }                                                                                 \
  template <heddle_device::HalfPair P>                                              \
  HEDDLE_CALL bool __hb##name##2(P a, P b) {                                        \
    return a.x symbol b.x && a.y symbol b.y;                                        \
  }
HEDDLE_HALF_COMPARISON(==, eq)
HEDDLE_HALF_COMPARISON(!=, ne)
HEDDLE_HALF_COMPARISON(<, lt)
HEDDLE_HALF_COMPARISON(<=, le)
HEDDLE_HALF_COMPARISON(>, gt)
HEDDLE_HALF_COMPARISON(>=, ge)
#undef HEDDLE_HALF_COMPARISON

#define HEDDLE_HALF_FUNCTION_1(name, pair_name, of_float) \
  template <heddle_device::Half H>                        \
  HEDDLE_CALL H name(H x) {                               \
    return H(of_float(static_cast<float>(x)));            \
  }                                                       \
  template <heddle_device::HalfPair P>                    \
  HEDDLE_CALL P pair_name(P x) {                          \
    return P(name(x.x), name(x.y));                       \
  }
HEDDLE_HALF_FUNCTION_1(operator-, operator-, -)
HEDDLE_HALF_FUNCTION_1(__hneg, __hneg2, -)
HEDDLE_HALF_FUNCTION_1(__habs, __habs2, __builtin_fabsf)
HEDDLE_HALF_FUNCTION_1(hexp, h2exp, expf)
HEDDLE_HALF_FUNCTION_1(hexp2, h2exp2, exp2f)
HEDDLE_HALF_FUNCTION_1(hexp10, h2exp10, exp10f)
HEDDLE_HALF_FUNCTION_1(hlog, h2log, logf)
HEDDLE_HALF_FUNCTION_1(hlog2, h2log2, log2f)
HEDDLE_HALF_FUNCTION_1(hlog10, h2log10, log10f)
HEDDLE_HALF_FUNCTION_1(hsin, h2sin, sinf)
HEDDLE_HALF_FUNCTION_1(hcos, h2cos, cosf)
HEDDLE_HALF_FUNCTION_1(htanh, h2tanh, tanhf)
HEDDLE_HALF_FUNCTION_1(hsqrt, h2sqrt, __builtin_sqrtf)
HEDDLE_HALF_FUNCTION_1(hrsqrt, h2rsqrt, rsqrtf)
HEDDLE_HALF_FUNCTION_1(hrcp, h2rcp, 1.0f /)
HEDDLE_HALF_FUNCTION_1(hfloor, h2floor, __builtin_floorf)
HEDDLE_HALF_FUNCTION_1(hceil, h2ceil, __builtin_ceilf)
HEDDLE_HALF_FUNCTION_1(hrint, h2rint, __builtin_rintf)
HEDDLE_HALF_FUNCTION_1(htrunc, h2trunc, __builtin_truncf)
#undef HEDDLE_HALF_FUNCTION_1

#define HEDDLE_HALF_FUNCTION_2(name, of_float)                        \
  template <heddle_device::Half H>                                    \
  HEDDLE_CALL H name(H a, H b) {                                      \
    return H(of_float(static_cast<float>(a), static_cast<float>(b))); \
  }
HEDDLE_HALF_FUNCTION_2(__hmax, __builtin_fmaxf)
HEDDLE_HALF_FUNCTION_2(__hmin, __builtin_fminf)
HEDDLE_HALF_FUNCTION_2(max, __builtin_fmaxf)
HEDDLE_HALF_FUNCTION_2(min, __builtin_fminf)
#undef HEDDLE_HALF_FUNCTION_2

template <heddle_device::HalfPair P>
HEDDLE_CALL P __hmax2(P a, P b) {
  return P(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
template <heddle_device::HalfPair P>
HEDDLE_CALL P __hmin2(P a, P b) {
  return P(__hmin(a.x, b.x), __hmin(a.y, b.y));
}
template <heddle_device::HalfPair P>
HEDDLE_CALL P __h2div(P a, P b) {
  return a / b;
}
template <heddle_device::Half H>
HEDDLE_CALL H __hfma(H a, H b, H c) {
  return H::product_and_sum(a, b, c);
}
template <heddle_device::HalfPair P>
HEDDLE_CALL P __hfma2(P a, P b, P c) {
  return P::product_and_sum(a, b, c);
}
template <heddle_device::Half H>
HEDDLE_CALL bool __hisnan(H x) {
  return __builtin_isnan(static_cast<float>(x));
}
template <heddle_device::Half H>
HEDDLE_CALL int __hisinf(H x) {
  return __builtin_isinf(static_cast<float>(x));
}
template <heddle_device::HalfPair P>
HEDDLE_CALL float __low2float(P x) {
  return static_cast<float>(x.x);
}
template <heddle_device::HalfPair P>
HEDDLE_CALL float __high2float(P x) {
  return static_cast<float>(x.y);
}

#endif
