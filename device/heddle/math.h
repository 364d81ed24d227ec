/* The mathematics of kernels: <cmath>'s names at global scope and in std, and the vendors' own.
 *
 *   sqrtf(x)   sqrt(x)   std::sqrt(x)   rsqrtf(x)   __expf(x)   min(i, 3u)   fmaf(a, b, c)
 *
 * Rules
 *   1. On this machine the C library computes (math_host.h), on a chip code that costs what the
 *      vendors' libraries cost (math_target.h).
 *   2. Works with and without <cmath>, <math.h> and `using namespace std`.
 *   3. Fast functions (__expf) are the chip's instructions; on this machine the exact ones.
 *   4. Numbers of two types meet in their common type, integers given to functions of reals in
 *      double.
 */
#ifndef HEDDLE_MATH_H
#define HEDDLE_MATH_H

#include "heddle/attributes.h"
#include "heddle/bits.h"
#include "heddle/vector_types.h"

#if defined(HEDDLE_HOST)
#include "heddle/math_host.h"
#else
#include "heddle/math_target.h"
#endif

namespace heddle_device {

template <class A, class B>
using Common = decltype(true ? A() : B());

HEDDLE_CALL float reciprocal_root(float x) {
#if HEDDLE_AMDGCN
  return __builtin_amdgcn_rsqf(x);
#elif HEDDLE_NVPTX
  return __nvvm_rsqrt_approx_f(x);
#else
  return 1.0f / __builtin_sqrtf(x);
#endif
}
HEDDLE_CALL double reciprocal_root(double x) {
#if HEDDLE_AMDGCN
  const double guess = __builtin_amdgcn_rsq(x);
  const double error = __builtin_fma(-x * guess, guess, 1.0);
  return __builtin_fma(guess * error, __builtin_fma(error, 0.375, 0.5), guess);
#else
  return 1.0 / __builtin_sqrt(x);
#endif
}

}  // namespace heddle_device

/* min and max */
#define HEDDLE_MIN_MAX(T)                 \
  HEDDLE_BOTH constexpr T min(T a, T b) { \
    return b < a ? b : a;                 \
  }                                       \
  HEDDLE_BOTH constexpr T max(T a, T b) { \
    return a < b ? b : a;                 \
  }
HEDDLE_MIN_MAX(int)
HEDDLE_MIN_MAX(unsigned)
HEDDLE_MIN_MAX(long)
HEDDLE_MIN_MAX(unsigned long)
HEDDLE_MIN_MAX(long long)
HEDDLE_MIN_MAX(unsigned long long)
#undef HEDDLE_MIN_MAX
HEDDLE_BOTH constexpr float min(float a, float b) {
  return __builtin_fminf(a, b);
}
HEDDLE_BOTH constexpr float max(float a, float b) {
  return __builtin_fmaxf(a, b);
}
HEDDLE_BOTH constexpr double min(double a, double b) {
  return __builtin_fmin(a, b);
}
HEDDLE_BOTH constexpr double max(double a, double b) {
  return __builtin_fmax(a, b);
}
template <class A, class B>
requires(heddle_device::is_number<A>&& heddle_device::is_number<B> && !__is_same(A, B)) HEDDLE_BOTH
    constexpr auto min(A a, B b) {
  using T = heddle_device::Common<A, B>;
  return min(static_cast<T>(a), static_cast<T>(b));
}
template <class A, class B>
requires(heddle_device::is_number<A>&& heddle_device::is_number<B> && !__is_same(A, B)) HEDDLE_BOTH
    constexpr auto max(A a, B b) {
  using T = heddle_device::Common<A, B>;
  return max(static_cast<T>(a), static_cast<T>(b));
}
HEDDLE_CALL unsigned umin(unsigned a, unsigned b) {
  return min(a, b);
}
HEDDLE_CALL unsigned umax(unsigned a, unsigned b) {
  return max(a, b);
}
HEDDLE_CALL long long llmin(long long a, long long b) {
  return min(a, b);
}
HEDDLE_CALL long long llmax(long long a, long long b) {
  return max(a, b);
}

/* Roots, and what is made of one other function. */
HEDDLE_CALL float rsqrtf(float x) {
  return heddle_device::reciprocal_root(x);
}
HEDDLE_CALL float rsqrt(float x) {
  return heddle_device::reciprocal_root(x);
}
HEDDLE_CALL double rsqrt(double x) {
  return heddle_device::reciprocal_root(x);
}
template <class T>
requires heddle_device::is_integer<T> HEDDLE_CALL double rsqrt(T x) {
  return heddle_device::reciprocal_root(static_cast<double>(x));
}
HEDDLE_CALL float rcbrtf(float x) {
  return 1.0f / cbrtf(x);
}
HEDDLE_CALL double rcbrt(double x) {
  return 1.0 / cbrt(x);
}
HEDDLE_CALL float fdividef(float a, float b) {
  return a / b;
}
HEDDLE_CALL float rhypotf(float a, float b) {
  return rsqrtf(a * a + b * b);
}
HEDDLE_CALL double rhypot(double a, double b) {
  return rsqrt(a * a + b * b);
}
HEDDLE_CALL float norm3df(float a, float b, float c) {
  return __builtin_sqrtf(a * a + b * b + c * c);
}
HEDDLE_CALL double norm3d(double a, double b, double c) {
  return __builtin_sqrt(a * a + b * b + c * c);
}
HEDDLE_CALL float rnorm3df(float a, float b, float c) {
  return rsqrtf(a * a + b * b + c * c);
}
HEDDLE_CALL double rnorm3d(double a, double b, double c) {
  return rsqrt(a * a + b * b + c * c);
}
HEDDLE_CALL float norm4df(float a, float b, float c, float d) {
  return __builtin_sqrtf(a * a + b * b + c * c + d * d);
}
HEDDLE_CALL float sinpif(float x) {
  return sinf(3.14159265358979f * (x - 2.0f * __builtin_rintf(x * 0.5f)));
}
HEDDLE_CALL double sinpi(double x) {
  return sin(3.14159265358979323846 * (x - 2.0 * __builtin_rint(x * 0.5)));
}
HEDDLE_CALL float cospif(float x) {
  return cosf(3.14159265358979f * (x - 2.0f * __builtin_rintf(x * 0.5f)));
}
HEDDLE_CALL double cospi(double x) {
  return cos(3.14159265358979323846 * (x - 2.0 * __builtin_rint(x * 0.5)));
}
HEDDLE_CALL float normcdff(float x) {
  return 0.5f * erfcf(-0.70710678f * x);
}
HEDDLE_CALL double normcdf(double x) {
  return 0.5 * erfc(-0.70710678118654752 * x);
}
HEDDLE_CALL float saturate(float x) {
  return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f);
}
HEDDLE_CALL float __saturatef(float x) {
  return saturate(x);
}

/* The vendors' operations with a rounding in their name. */
#define HEDDLE_ROUNDED(suffix)                                      \
  HEDDLE_CALL float __fadd_##suffix(float a, float b) {             \
    return a + b;                                                   \
  }                                                                 \
  HEDDLE_CALL float __fsub_##suffix(float a, float b) {             \
    return a - b;                                                   \
  }                                                                 \
  HEDDLE_CALL float __fmul_##suffix(float a, float b) {             \
    return a * b;                                                   \
  }                                                                 \
  HEDDLE_CALL float __fdiv_##suffix(float a, float b) {             \
    return a / b;                                                   \
  }                                                                 \
  HEDDLE_CALL float __frcp_##suffix(float a) {                      \
    return 1.0f / a;                                                \
  }                                                                 \
  HEDDLE_CALL float __fsqrt_##suffix(float a) {                     \
    return __builtin_sqrtf(a);                                      \
  }                                                                 \
  HEDDLE_CALL float __fmaf_##suffix(float a, float b, float c) {    \
    return __builtin_fmaf(a, b, c);                                 \
  }                                                                 \
  HEDDLE_CALL double __dadd_##suffix(double a, double b) {          \
    return a + b;                                                   \
  }                                                                 \
  HEDDLE_CALL double __dsub_##suffix(double a, double b) {          \
    return a - b;                                                   \
  }                                                                 \
  HEDDLE_CALL double __dmul_##suffix(double a, double b) {          \
    return a * b;                                                   \
  }                                                                 \
  HEDDLE_CALL double __ddiv_##suffix(double a, double b) {          \
    return a / b;                                                   \
  }                                                                 \
  HEDDLE_CALL double __drcp_##suffix(double a) {                    \
    return 1.0 / a;                                                 \
  }                                                                 \
  HEDDLE_CALL double __dsqrt_##suffix(double a) {                   \
    return __builtin_sqrt(a);                                       \
  }                                                                 \
  HEDDLE_CALL double __fma_##suffix(double a, double b, double c) { \
    return __builtin_fma(a, b, c);                                  \
  }
HEDDLE_ROUNDED(rn)
HEDDLE_ROUNDED(rz)
HEDDLE_ROUNDED(ru)
HEDDLE_ROUNDED(rd)
#undef HEDDLE_ROUNDED
HEDDLE_CALL float __frsqrt_rn(float x) {
  return heddle_device::reciprocal_root(x);
}

/* Fast ones. */
HEDDLE_CALL float __fdividef(float a, float b) {
#if HEDDLE_AMDGCN
  return a * __builtin_amdgcn_rcpf(b);
#elif HEDDLE_NVPTX
  return __nvvm_div_approx_f(a, b);
#else
  return a / b;
#endif
}
#if !defined(HEDDLE_HOST) /* else in math_host.h */
HEDDLE_CALL float __exp2f(float x) {
#if HEDDLE_AMDGCN
  return __builtin_amdgcn_exp2f(x);
#else
  return __nvvm_ex2_approx_f(x);
#endif
}
HEDDLE_CALL float __log2f(float x) {
#if HEDDLE_AMDGCN
  return __builtin_amdgcn_logf(x);
#else
  return __nvvm_lg2_approx_f(x);
#endif
}
HEDDLE_CALL float __sinf(float x) {
#if HEDDLE_AMDGCN
  return __builtin_amdgcn_sinf(x * 0.15915494f);
#else
  return __nvvm_sin_approx_f(x);
#endif
}
HEDDLE_CALL float __cosf(float x) {
#if HEDDLE_AMDGCN
  return __builtin_amdgcn_cosf(x * 0.15915494f);
#else
  return __nvvm_cos_approx_f(x);
#endif
}
HEDDLE_CALL float __expf(float x) {
  return __exp2f(x * 1.44269504f);
}
HEDDLE_CALL float __exp10f(float x) {
  return __exp2f(x * 3.32192809f);
}
HEDDLE_CALL float __logf(float x) {
  return __log2f(x) * 0.69314718f;
}
HEDDLE_CALL float __log10f(float x) {
  return __log2f(x) * 0.30103f;
}
HEDDLE_CALL float __powf(float x, float y) {
  return __exp2f(y * __log2f(x));
}
HEDDLE_CALL float __tanf(float x) {
  return __fdividef(__sinf(x), __cosf(x));
}
HEDDLE_CALL void __sincosf(float x, float* sine, float* cosine) {
  *sine = __sinf(x);
  *cosine = __cosf(x);
}
HEDDLE_CALL float __tanhf(float x) {
  return tanhf(x);
}
#endif

#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
#ifndef INFINITY
#define INFINITY (__builtin_inff())
#endif
#ifndef NAN
#define NAN (__builtin_nanf(""))
#endif
#ifndef HUGE_VALF
#define HUGE_VALF (__builtin_huge_valf())
#define HUGE_VAL (__builtin_huge_val())
#endif

#endif
