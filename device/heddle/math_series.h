/* Functions that no instruction of a chip computes: range reduction and a polynomial.
 *
 *   exp(x) = 2^n * p(x - n ln 2)      sin(x): quadrant of x, then one of two polynomials
 *
 * Rules
 *   1. These stand in for the vendors' libraries when a kernel is compiled for a chip, to learn its
 *      registers and its arithmetic. They cost about what those cost; they are never run.
 *   2. Arguments of enormous size take no longer way, which the vendors' functions do.
 */
#ifndef HEDDLE_MATH_SERIES_H
#define HEDDLE_MATH_SERIES_H

#include "heddle/attributes.h"

namespace heddle_device {

HEDDLE_CALL float multiply_add(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
HEDDLE_CALL double multiply_add(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
HEDDLE_CALL float nearest(float x) {
  return __builtin_rintf(x);
}
HEDDLE_CALL double nearest(double x) {
  return __builtin_rint(x);
}
HEDDLE_CALL float magnitude(float x) {
  return __builtin_fabsf(x);
}
HEDDLE_CALL double magnitude(double x) {
  return __builtin_fabs(x);
}
HEDDLE_CALL float with_sign(float x, float sign) {
  return __builtin_copysignf(x, sign);
}
HEDDLE_CALL double with_sign(double x, double sign) {
  return __builtin_copysign(x, sign);
}
HEDDLE_CALL float root(float x) {
  return __builtin_sqrtf(x);
}
HEDDLE_CALL double root(double x) {
  return __builtin_sqrt(x);
}

/* x * 2^power, for powers of normal numbers. */
HEDDLE_CALL double times_power_of_2(double x, int power) {
#if HEDDLE_AMDGCN
  return __builtin_amdgcn_ldexp(x, power);
#else
  const long long bits = static_cast<long long>(1023 + power) << 52;
  return x * bits_as<double>(bits);
#endif
}
HEDDLE_CALL float times_power_of_2(float x, int power) {
#if HEDDLE_AMDGCN
  return __builtin_amdgcn_ldexpf(x, power);
#else
  return x * bits_as<float>((127 + power) << 23);
#endif
}

/* first + x * (second + x * ( ... )) */
template <class T>
HEDDLE_CALL T polynomial(T, T last) {
  return last;
}
template <class T, class... Rest>
HEDDLE_CALL T polynomial(T x, T first, Rest... rest) {
  return multiply_add(x, polynomial<T>(x, static_cast<T>(rest)...), first);
}

HEDDLE_CALL double series_exp(double x) {
  const double whole = nearest(x * 1.4426950408889634);
  double rest = multiply_add(whole, -6.93147180369123816490e-01, x);
  rest = multiply_add(whole, -1.90821492927058770002e-10, rest);
  const double value =
      polynomial(rest, 1.0, 1.0, 0.5, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040,
                 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800);
  const double scaled = times_power_of_2(value, static_cast<int>(whole));
  return x > 709.8 ? __builtin_huge_val() : x < -745.2 ? 0.0 : scaled;
}

HEDDLE_CALL double series_log(double x) {
  const long long bits = bits_as<long long>(x);
  int power = static_cast<int>(bits >> 52) - 1023;
  double fraction = bits_as<double>((bits & 0xfffffffffffffll) | 0x3ff0000000000000ll);
  const bool above = fraction > 1.4142135623730951;
  fraction = above ? 0.5 * fraction : fraction;
  power = above ? power + 1 : power;
  const double ratio = (fraction - 1.0) / (fraction + 1.0);
  const double square = ratio * ratio;
  const double tail = polynomial(square, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13,
                                 2.0 / 15, 2.0 / 17);
  const double value = multiply_add(static_cast<double>(power), 0.69314718055994531,
                                    multiply_add(ratio * square, tail, 2.0 * ratio));
  return x > 0 ? value : x == 0 ? -__builtin_huge_val() : __builtin_nan("");
}

/* Both, and the quadrant that says which is which. */
template <class T>
struct Circle {
  T sine;
  T cosine;
  int quadrant;
};

HEDDLE_CALL Circle<double> circle(double x) {
  const double turns = nearest(x * 0.63661977236758134);
  double rest = multiply_add(turns, -1.57079632673412561417e+00, x);
  rest = multiply_add(turns, -6.07710050630396597660e-11, rest);
  rest = multiply_add(turns, -2.02226624879595063154e-21, rest);
  const double square = rest * rest;
  const double sine = multiply_add(rest * square,
                                   polynomial(square, -1.0 / 6, 1.0 / 120, -1.0 / 5040,
                                              1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.0),
                                   rest);
  const double cosine =
      multiply_add(square,
                   polynomial(square, -0.5, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800,
                              1.0 / 479001600, -1.0 / 87178291200.0),
                   1.0);
  return {sine, cosine, static_cast<int>(turns)};
}
HEDDLE_CALL Circle<float> circle(float x) {
  const float turns = nearest(x * 0.63661977f);
  float rest = multiply_add(turns, -1.5707963f, x);
  rest = multiply_add(turns, 4.3711388e-08f, rest);
  rest = multiply_add(turns, 1.7151245e-15f, rest);
  const float square = rest * rest;
  const float sine = multiply_add(
      rest * square, polynomial(square, -0.16666655f, 0.0083321608f, -0.00019515296f), rest);
  const float cosine = multiply_add(
      square, polynomial(square, -0.5f, 0.041666646f, -0.0013887316f, 2.4433157e-05f), 1.0f);
  return {sine, cosine, static_cast<int>(turns)};
}
template <class T>
HEDDLE_CALL T series_sin(T x) {
  const Circle<T> c = circle(x);
  const T value = (c.quadrant & 1) ? c.cosine : c.sine;
  return (c.quadrant & 2) ? -value : value;
}
template <class T>
HEDDLE_CALL T series_cos(T x) {
  const Circle<T> c = circle(x);
  const T value = (c.quadrant & 1) ? c.sine : c.cosine;
  return ((c.quadrant + 1) & 2) ? -value : value;
}
template <class T>
HEDDLE_CALL T series_tan(T x) {
  const Circle<T> c = circle(x);
  return (c.quadrant & 1) ? -c.cosine / c.sine : c.sine / c.cosine;
}

HEDDLE_CALL double arc(double square) {
  return polynomial(square, 1.0, -1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13,
                    -1.0 / 15, 1.0 / 17, -1.0 / 19, 1.0 / 21, -1.0 / 23, 1.0 / 25, -1.0 / 27,
                    1.0 / 29, -1.0 / 31, 1.0 / 33, -1.0 / 35, 1.0 / 37);
}
HEDDLE_CALL float arc(float square) {
  return polynomial(square, 1.0f, -0.33333147f, 0.19993551f, -0.14208899f, 0.10656264f,
                    -0.075289640f, 0.042909721f, -0.016005110f, 0.0028498897f);
}
template <class T>
HEDDLE_CALL T series_atan(T x) {
  const T size = magnitude(x);
  const bool steep = size > T(1);
  const T within = steep ? T(1) / size : size;
  const T value = within * arc(within * within);
  return with_sign(steep ? T(1.57079632679489662) - value : value, x);
}
template <class T>
HEDDLE_CALL T series_atan2(T y, T x) {
  const T across = magnitude(x);
  const T up = magnitude(y);
  const bool steep = up > across;
  const T within = (steep ? across : up) / (steep ? up : across);
  T value = within * arc(within * within);
  value = steep ? T(1.57079632679489662) - value : value;
  value = x < T(0) ? T(3.14159265358979324) - value : value;
  return with_sign(value, y);
}
template <class T>
HEDDLE_CALL T series_asin(T x) {
  const T size = magnitude(x);
  const bool near_one = size > T(0.5);
  const T square = near_one ? (T(1) - size) * T(0.5) : size * size;
  const T base = near_one ? root(square) : size;
  T value = T(1);
  if constexpr (sizeof(T) == 8) {
    value = polynomial<T>(square, 1.0, 1.0 / 6, 0.075, 0.044642857, 0.030381944, 0.022372159,
                          0.017352764, 0.013964844, 0.011551801, 0.0097616095, 0.0083903358);
  } else {
    value = polynomial<T>(square, 1.0f, 0.16666752f, 0.074953003f, 0.045470025f, 0.024181312f,
                          0.042163199f);
  }
  value = base * value;
  return with_sign(near_one ? T(1.57079632679489662) - T(2) * value : value, x);
}

HEDDLE_CALL double series_erf(double x) {
  const double size = magnitude(x);
  const double square = size * size;
  const double small =
      size * polynomial(square, 1.1283791670955126, -0.37612638903183754, 0.11283791670955126,
                        -0.026866170645131252, 0.0052239776254421878, -0.00085483270234508528,
                        0.00012055332981789664, -1.4925650358406251e-05, 1.6462114365889248e-06,
                        -1.6365844691234924e-07);
  const double t = 1.0 / multiply_add(0.5, size, 1.0);
  const double large =
      1.0 - t * series_exp(-square + polynomial(t, -1.26551223, 1.00002368, 0.37409196, 0.09678418,
                                                -0.18628806, 0.27886807, -1.13520398, 1.48851587,
                                                -0.82215223, 0.17087277));
  return with_sign(size < 1.0 ? small : large, x);
}

HEDDLE_CALL double series_lgamma(double x) {
  double shift = 1.0;
  double y = x;
  for (int i = 0; i < 7; ++i) {
    const bool low = y < 7.0;
    shift = low ? shift * y : shift;
    y = low ? y + 1.0 : y;
  }
  const double inverse = 1.0 / y;
  const double tail = inverse * polynomial(inverse * inverse, 1.0 / 12, -1.0 / 360, 1.0 / 1260,
                                           -1.0 / 1680, 1.0 / 1188, -691.0 / 360360);
  return multiply_add(y - 0.5, series_log(y), 0.91893853320467274 - y) + tail - series_log(shift);
}

}  // namespace heddle_device

#endif
