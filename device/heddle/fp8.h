/* Floating numbers of 8 bits: __nv_fp8_e4m3, __hip_fp8_e5m2 and their relatives.
 *
 *   __nv_fp8_e4m3 small(x);   float back = static_cast<float>(small);
 *
 * Rules
 *   1. Rounded to nearest even; what is too large becomes the largest number there is.
 *   2. e4m3 has no infinities and one NaN a sign, as OCP says; fnuz has one NaN and no negative zero.
 *   3. A number moves as one access of 1 byte, two as one of 2, four as one of 4.
 */
#ifndef HEDDLE_FP8_H
#define HEDDLE_FP8_H

#include "heddle/device.h"

namespace heddle_device {

template <int mantissa, int bias, bool is_fnuz>
HEDDLE_BOTH float from_fp8(unsigned char bits) {
  const int exponent = (bits & 0x7f) >> mantissa;
  const int rest = bits & ((1 << mantissa) - 1);
  const float sign = (bits & 0x80) != 0 ? -1.0f : 1.0f;
  if (is_fnuz ? bits == 0x80 : mantissa == 3 && (bits & 0x7f) == 0x7f) return __builtin_nanf("");
  if (!is_fnuz && mantissa == 2 && exponent == 31)
    return rest != 0 ? __builtin_nanf("") : sign * __builtin_inff();
  const int whole = exponent == 0 ? rest : rest + (1 << mantissa);
  const int power = (exponent == 0 ? 1 : exponent) - bias - mantissa;
  return sign * static_cast<float>(whole) *
         bits_as<float>(static_cast<unsigned>(127 + power) << 23);
}

template <int mantissa, int bias, bool is_fnuz>
HEDDLE_BOTH unsigned char to_fp8(float x) {
  const unsigned bits = bits_as<unsigned>(x);
  const unsigned char sign = (bits >> 31) != 0 ? 0x80 : 0;
  constexpr unsigned char largest = is_fnuz ? 0x7f : mantissa == 3 ? 0x7e : 0x7b;
  if (x != x) return is_fnuz ? 0x80 : 0x7f;
  int exponent = static_cast<int>((bits >> 23) & 0xff) - 127;
  if (exponent < 1 - bias) exponent = 1 - bias;
  const float size = bits_as<float>(bits & 0x7fffffffu);
  if (exponent > 100) return sign | largest;
  const float unit = bits_as<float>(static_cast<unsigned>(127 - exponent + mantissa) << 23);
  const int whole = static_cast<int>(__builtin_rintf(size * unit));
  int code = whole + ((exponent + bias - 1) << mantissa);
  if (code > largest) code = largest;
  if (is_fnuz && code == 0) return 0;
  return static_cast<unsigned char>(sign | code);
}

}  // namespace heddle_device

#define HEDDLE_FP8(name, mantissa, bias, is_fnuz)                                       \
  struct name {                                                                         \
    unsigned char __x;                                                                  \
    name() = default;                                                                   \
    template <class T>                                                                  \
    requires heddle_device::is_number<T> HEDDLE_BOTH explicit name(T x)                 \
        : __x(heddle_device::to_fp8<mantissa, bias, is_fnuz>(static_cast<float>(x))) {} \
    HEDDLE_BOTH explicit operator float() const {                                       \
      return heddle_device::from_fp8<mantissa, bias, is_fnuz>(__x);                     \
    }                                                                                   \
  };
#define HEDDLE_FP8_VECTORS(two, four, one)                                      \
  struct alignas(2) two {                                                       \
    unsigned short __x;                                                         \
    two() = default;                                                            \
    HEDDLE_BOTH explicit two(float2 v)                                          \
        : __x(static_cast<unsigned short>(one(v.x).__x | one(v.y).__x << 8)) {} \
    HEDDLE_BOTH one part(int i) const {                                         \
      one value;                                                                \
      value.__x = static_cast<unsigned char>(__x >> (8 * i));                   \
      return value;                                                             \
    }                                                                           \
    HEDDLE_BOTH explicit operator float2() const {                              \
      return float2(static_cast<float>(part(0)), static_cast<float>(part(1)));  \
    }                                                                           \
  };                                                                            \
  struct alignas(4) four {                                                      \
    unsigned __x;                                                               \
    four() = default;                                                           \
    HEDDLE_BOTH explicit four(float4 v)                                         \
        : __x(one(v.x).__x | static_cast<unsigned>(one(v.y).__x) << 8 |         \
              static_cast<unsigned>(one(v.z).__x) << 16 |                       \
              static_cast<unsigned>(one(v.w).__x) << 24) {}                     \
    HEDDLE_BOTH one part(int i) const {                                         \
      one value;                                                                \
      value.__x = static_cast<unsigned char>(__x >> (8 * i));                   \
      return value;                                                             \
    }                                                                           \
    HEDDLE_BOTH explicit operator float4() const {                              \
      return float4(static_cast<float>(part(0)), static_cast<float>(part(1)),   \
                    static_cast<float>(part(2)), static_cast<float>(part(3)));  \
    }                                                                           \
  };
#define HEDDLE_FP8_KIND(prefix, kind, mantissa, bias, is_fnuz) \
  HEDDLE_FP8(prefix##8_##kind, mantissa, bias, is_fnuz)        \
  HEDDLE_FP8_VECTORS(prefix##8x2_##kind, prefix##8x4_##kind, prefix##8_##kind)
HEDDLE_FP8_KIND(__nv_fp, e4m3, 3, 7, false)
HEDDLE_FP8_KIND(__nv_fp, e5m2, 2, 15, false)
HEDDLE_FP8_KIND(__hip_fp, e4m3, 3, 7, false)
HEDDLE_FP8_KIND(__hip_fp, e5m2, 2, 15, false)
HEDDLE_FP8_KIND(__hip_fp, e4m3_fnuz, 3, 8, true)
HEDDLE_FP8_KIND(__hip_fp, e5m2_fnuz, 2, 16, true)
#undef HEDDLE_FP8_KIND
#undef HEDDLE_FP8_VECTORS
#undef HEDDLE_FP8

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned int;
using __hip_fp8_storage_t = unsigned char;
using __hip_fp8x2_storage_t = unsigned short;
using __hip_fp8x4_storage_t = unsigned int;

#endif
