// The functions of <cmath>, with and without f and std::, and the vendors' own.
#include <hip/hip_runtime.h>

#define REAL_1(X)                                                                                 \
  X(acos)                                                                                         \
  X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf) X(erfc) X(exp) \
      X(exp2) X(expm1) X(fabs) X(floor) X(lgamma) X(log) X(log10) X(log1p) X(log2) X(logb)        \
          X(nearbyint) X(rint) X(round) X(sin) X(sinh) X(sqrt) X(tan) X(tanh) X(tgamma) X(trunc)
#define REAL_2(X) \
  X(atan2) X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder)

__global__ void all_functions(float* f, double* d, const int* n) {
  float a = f[0], b = f[1];
  double p = d[0], q = d[1];
#define ONE(name)                                        \
  f[threadIdx.x] += name##f(a) + name(a) + std::name(a); \
  d[threadIdx.x] += name(p) + std::name(p) + name(n[0]);
  REAL_1(ONE)
#define TWO(name)                                                 \
  f[threadIdx.x] += name##f(a, b) + name(a, b) + std::name(a, b); \
  d[threadIdx.x] += name(p, q) + std::name(p, q) + name(p, a) + name(p, n[0]);
  REAL_2(TWO)
  static_assert(__is_same(decltype(sqrt(a)), float) && __is_same(decltype(sqrt(p)), double));
  static_assert(__is_same(decltype(pow(a, b)), float) && __is_same(decltype(pow(a, q)), double));
}

__global__ void others(float* f, double* d, int* n, long long* l, unsigned* u) {
  float a = f[0], b = f[1], c = f[2];
  double p = d[0], q = d[1];
  f[3] = fmaf(a, b, c) + fma(a, b, c) + std::fma(a, b, c) + abs(a) + std::abs(b) + rsqrtf(a) +
         rsqrt(b) + rcbrtf(a) + fdividef(a, b) + exp10f(a) + sinpif(a) + cospif(b) +
         norm3df(a, b, c) + saturate(a) + __saturatef(b) + normcdff(a);
  d[3] =
      fma(p, q, p) + abs(p) + std::abs(q) + rsqrt(p) + exp10(q) + sinpi(p) + cospi(q) + normcdf(q);
  n[3] = abs(n[0]) + std::abs(n[1]) + min(n[0], 3) + max(n[1], n[2]) + min(n[0], 3u) +
         (int)max(l[0], 1);
  l[3] =
      labs(l[0]) + llabs(l[1]) + abs(l[2]) + min(l[0], l[1]) + lround(a) + llrint(p) + lroundf(b);
  u[3] = min(u[0], u[1]) + max(u[0], 7u) + umin(u[0], u[1]);
  f[4] = min(a, b) + max(a, 0.0f) + min(a, 1) + max(0, b) + fminf(a, b) + fmaxf(a, b);
  d[4] = min(p, q) + max(p, 0.0) + max(p, a);
  float sine, cosine;
  sincosf(a, &sine, &cosine);
  f[5] = sine * cosine;
  __sincosf(b, &sine, &cosine);
  f[6] = sine * cosine;
  double large_sine, large_cosine;
  sincos(p, &large_sine, &large_cosine);
  d[5] = large_sine * large_cosine;
  int power;
  f[7] = frexpf(a, &power) + frexp(b, &power) + ldexpf(a, power) + ldexp(b, 3) + scalbnf(a, 2);
  d[6] = frexp(p, &power) + ldexp(q, power) + scalbn(p, 2) + ilogb(p) + ilogbf(a);
  float whole;
  f[8] = modff(a, &whole) + whole;
  n[4] = isnan(a) + isinf(p) + isfinite(b) + signbit(q) + std::isnan(a) + std::isinf(q) +
         std::isfinite(p);
  f[9] = __expf(a) + __logf(b) + __sinf(a) + __cosf(b) + __tanf(c) + __powf(a, b) + __exp10f(a) +
         __log2f(b) + __log10f(c) + __fdividef(a, b) + __frcp_rn(a) + __fsqrt_rn(b) +
         __frsqrt_rn(c) + __fadd_rn(a, b) + __fmul_rz(a, b) + __fmaf_rn(a, b, c) + __fdiv_rn(a, b) +
         __fsub_rd(a, b);
  d[7] = __dadd_rn(p, q) + __dmul_rn(p, q) + __ddiv_rn(p, q) + __dsqrt_rn(p) + __fma_rn(p, q, p);
  if (a == INFINITY || p != p || b > M_PI) f[10] = NAN;
}
