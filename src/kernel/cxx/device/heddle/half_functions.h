/* The functions that the types of 16 bits have in common, as a macro over a type and its pair.
 *
 *   HEDDLE_HALF_FUNCTIONS(__half, __half2)     __hadd, __hmax2, __heq, hexp, +=, ...
 *
 * Rules
 *   1. The type converts to float and is made of one; + - * / of it and of its pair exist already.
 *   2. Comparisons and elementary functions go through float.
 */
#ifndef HEDDLE_HALF_FUNCTIONS_H
#define HEDDLE_HALF_FUNCTIONS_H

#define HEDDLE_HALF_MIXED(H, H2, symbol)                                        \
  template <class T>                                                            \
    requires heddle_device::is_number<T>                                        \
  HEDDLE_BOTH auto operator symbol(H a, T b) {                                  \
    if constexpr (heddle_device::is_integer<T>) return a symbol H(b);           \
    if constexpr (heddle_device::is_real<T>) return static_cast<float>(a) symbol b; \
  }                                                                             \
  template <class T>                                                            \
    requires heddle_device::is_number<T>                                        \
  HEDDLE_BOTH auto operator symbol(T a, H b) {                                  \
    if constexpr (heddle_device::is_integer<T>) return H(a) symbol b;           \
    if constexpr (heddle_device::is_real<T>) return a symbol static_cast<float>(b); \
  }                                                                             \
  template <class T>                                                            \
    requires(heddle_device::is_number<T> || __is_same(T, H))                    \
  HEDDLE_BOTH H& operator symbol##=(H & a, const T & b) {                       \
    a = H(a symbol b);                                                          \
    return a;                                                                   \
  }                                                                             \
  HEDDLE_BOTH H2& operator symbol##=(H2 & a, H2 b) {                    \
    a = a symbol b;                                                             \
    return a;                                                                   \
  }

#define HEDDLE_HALF_ARITHMETIC(H, H2, name, symbol)                            \
  HEDDLE_CALL H name(H a, H b) { return a symbol b; }                          \
  HEDDLE_CALL H name##_rn(H a, H b) { return a symbol b; }                     \
  HEDDLE_CALL H name##_sat(H a, H b) { return H(saturate(static_cast<float>(a symbol b))); } \
  HEDDLE_CALL H2 name##2(H2 a, H2 b) { return a symbol b; }    \
  HEDDLE_CALL H2 name##2_rn(H2 a, H2 b) { return a symbol b; }

#define HEDDLE_HALF_COMPARISON(H, H2, name, symbol)                                            \
  HEDDLE_BOTH bool operator symbol(H a, H b) {                                                 \
    return static_cast<float>(a) symbol static_cast<float>(b);                                 \
  }                                                                                            \
  template <class T>                                                                           \
    requires heddle_device::is_number<T>                                                       \
  HEDDLE_BOTH bool operator symbol(H a, T b) {                                                 \
    return static_cast<float>(a) symbol b;                                                     \
  }                                                                                            \
  HEDDLE_CALL bool __h##name(H a, H b) { return a symbol b; }                                  \
  HEDDLE_CALL H2 __h##name##2(H2 a, H2 b) {                                    \
    return H2(H(a.x symbol b.x ? 1.0f : 0.0f), H(a.y symbol b.y ? 1.0f : 0.0f));               \
  }                                                                                            \
  HEDDLE_CALL bool __hb##name##2(H2 a, H2 b) {                                 \
    return a.x symbol b.x && a.y symbol b.y;                                                   \
  }

#define HEDDLE_HALF_ELEMENTARY(H, H2, name, of_float)                                           \
  HEDDLE_CALL H h##name(H x) { return H(of_float(static_cast<float>(x))); }                     \
  HEDDLE_CALL H2 h2##name(H2 x) { return H2(h##name(x.x), h##name(x.y)); }

#define HEDDLE_HALF_FUNCTIONS(H, H2)                                            \
  HEDDLE_HALF_MIXED(H, H2, +)                                                   \
  HEDDLE_HALF_MIXED(H, H2, -)                                                   \
  HEDDLE_HALF_MIXED(H, H2, *)                                                   \
  HEDDLE_HALF_MIXED(H, H2, /)                                                   \
  HEDDLE_HALF_ARITHMETIC(H, H2, __hadd, +)                                      \
  HEDDLE_HALF_ARITHMETIC(H, H2, __hsub, -)                                      \
  HEDDLE_HALF_ARITHMETIC(H, H2, __hmul, *)                                      \
  HEDDLE_HALF_ARITHMETIC(H, H2, __hdiv, /)                                      \
  HEDDLE_CALL H2 __h2div(H2 a, H2 b) { return a / b; }            \
  HEDDLE_HALF_COMPARISON(H, H2, eq, ==)                                         \
  HEDDLE_HALF_COMPARISON(H, H2, ne, !=)                                         \
  HEDDLE_HALF_COMPARISON(H, H2, lt, <)                                          \
  HEDDLE_HALF_COMPARISON(H, H2, le, <=)                                         \
  HEDDLE_HALF_COMPARISON(H, H2, gt, >)                                          \
  HEDDLE_HALF_COMPARISON(H, H2, ge, >=)                                         \
  HEDDLE_BOTH H operator-(H x) { return H(-static_cast<float>(x)); }            \
  HEDDLE_BOTH H operator+(H x) { return x; }                                    \
  HEDDLE_BOTH H2 operator-(H2 x) { return H2(-x.x, -x.y); }              \
  HEDDLE_CALL H __hneg(H x) { return -x; }                                      \
  HEDDLE_CALL H2 __hneg2(H2 x) { return -x; }                            \
  HEDDLE_CALL H __habs(H x) { return H(__builtin_fabsf(static_cast<float>(x))); } \
  HEDDLE_CALL H2 __habs2(H2 x) { return H2(__habs(x.x), __habs(x.y)); }  \
  HEDDLE_CALL H __hmax(H a, H b) {                                              \
    return H(__builtin_fmaxf(static_cast<float>(a), static_cast<float>(b)));    \
  }                                                                             \
  HEDDLE_CALL H __hmin(H a, H b) {                                              \
    return H(__builtin_fminf(static_cast<float>(a), static_cast<float>(b)));    \
  }                                                                             \
  HEDDLE_CALL H2 __hmax2(H2 a, H2 b) {                            \
    return H2(__hmax(a.x, b.x), __hmax(a.y, b.y));                              \
  }                                                                             \
  HEDDLE_CALL H2 __hmin2(H2 a, H2 b) {                            \
    return H2(__hmin(a.x, b.x), __hmin(a.y, b.y));                              \
  }                                                                             \
  HEDDLE_CALL H max(H a, H b) { return __hmax(a, b); }                          \
  HEDDLE_CALL H min(H a, H b) { return __hmin(a, b); }                          \
  HEDDLE_CALL bool __hisnan(H x) { return __builtin_isnan(static_cast<float>(x)); } \
  HEDDLE_CALL int __hisinf(H x) { return __builtin_isinf(static_cast<float>(x)); } \
  HEDDLE_CALL float __low2float(H2 x) { return static_cast<float>(x.x); } \
  HEDDLE_CALL float __high2float(H2 x) { return static_cast<float>(x.y); } \
  HEDDLE_HALF_ELEMENTARY(H, H2, exp, expf)                                      \
  HEDDLE_HALF_ELEMENTARY(H, H2, exp2, exp2f)                                    \
  HEDDLE_HALF_ELEMENTARY(H, H2, exp10, exp10f)                                  \
  HEDDLE_HALF_ELEMENTARY(H, H2, log, logf)                                      \
  HEDDLE_HALF_ELEMENTARY(H, H2, log2, log2f)                                    \
  HEDDLE_HALF_ELEMENTARY(H, H2, log10, log10f)                                  \
  HEDDLE_HALF_ELEMENTARY(H, H2, sin, sinf)                                      \
  HEDDLE_HALF_ELEMENTARY(H, H2, cos, cosf)                                      \
  HEDDLE_HALF_ELEMENTARY(H, H2, tanh, tanhf)                                    \
  HEDDLE_HALF_ELEMENTARY(H, H2, sqrt, __builtin_sqrtf)                          \
  HEDDLE_HALF_ELEMENTARY(H, H2, rsqrt, rsqrtf)                                  \
  HEDDLE_HALF_ELEMENTARY(H, H2, rcp, 1.0f /)                                    \
  HEDDLE_HALF_ELEMENTARY(H, H2, floor, __builtin_floorf)                        \
  HEDDLE_HALF_ELEMENTARY(H, H2, ceil, __builtin_ceilf)                          \
  HEDDLE_HALF_ELEMENTARY(H, H2, rint, __builtin_rintf)                          \
  HEDDLE_HALF_ELEMENTARY(H, H2, trunc, __builtin_truncf)

#endif
