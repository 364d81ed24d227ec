/* bfloat16 under all its names: __hip_bfloat16, hip_bfloat16, __nv_bfloat16, and pairs of them.
 *
 *   __hip_bfloat16 b = __float2bfloat16(x);   float f = __bfloat162float(b);
 *
 * Rules
 *   1. The upper 16 bits of a float, rounded to nearest even; arithmetic goes through float.
 *   2. One moves as one access of 2 bytes, a pair as one of 4.
 */
#ifndef HEDDLE_BFLOAT16_H
#define HEDDLE_BFLOAT16_H

#include "heddle/attributes.h"
#include "heddle/half_functions.h"
#include "heddle/math.h"
#include "heddle/vector_types.h"

namespace heddle_device {

HEDDLE_BOTH constexpr unsigned short bfloat16_bits(float x) {
  const unsigned bits = bits_as<unsigned>(x);
  if (x != x) return static_cast<unsigned short>((bits >> 16) | 0x40);
  return static_cast<unsigned short>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

}  // namespace heddle_device

struct __hip_bfloat16 : heddle_device::AnyHalf {
  unsigned short data;
  __hip_bfloat16() = default;
  template <class T>
  requires heddle_device::is_number<T> HEDDLE_BOTH constexpr __hip_bfloat16(T x)
      : data(heddle_device::bfloat16_bits(static_cast<float>(x))) {}
  HEDDLE_BOTH constexpr operator float() const {
    return heddle_device::bits_as<float>(static_cast<unsigned>(data) << 16);
  }
  HEDDLE_BOTH constexpr float data_as_number() const { return *this; }
  static HEDDLE_CALL __hip_bfloat16 product_and_sum(__hip_bfloat16 a, __hip_bfloat16 b,
                                                    __hip_bfloat16 c) {
    return __hip_bfloat16(
        __builtin_fmaf(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)));
  }
  static HEDDLE_BOTH constexpr __hip_bfloat16 from_bits(unsigned short bits) {
    __hip_bfloat16 result(0.0f);
    result.data = bits;
    return result;
  }
  static HEDDLE_BOTH constexpr __hip_bfloat16 round_to_bfloat16(float x) {
    return __hip_bfloat16(x);
  }
};
using hip_bfloat16 = __hip_bfloat16;
using __nv_bfloat16 = __hip_bfloat16;
using nv_bfloat16 = __hip_bfloat16;
using __hip_bfloat16_raw = __hip_bfloat16;

struct alignas(4) __hip_bfloat162 : heddle_device::AnyHalfPair {
  union {
    struct {
      __hip_bfloat16 x, y;
    };
    unsigned data;
  };
  __hip_bfloat162() = default;
  HEDDLE_BOTH constexpr __hip_bfloat162(__hip_bfloat16 low, __hip_bfloat16 high)
      : x(low), y(high) {}
  HEDDLE_BOTH __hip_bfloat162(const __hip_bfloat162& other) : data(other.data) {}
  HEDDLE_BOTH __hip_bfloat162& operator=(const __hip_bfloat162& other) {
    data = other.data;
    return *this;
  }
  static HEDDLE_CALL __hip_bfloat162 product_and_sum(__hip_bfloat162 a, __hip_bfloat162 b,
                                                     __hip_bfloat162 c) {
    return __hip_bfloat162(__hip_bfloat16::product_and_sum(a.x, b.x, c.x),
                           __hip_bfloat16::product_and_sum(a.y, b.y, c.y));
  }
};
using __nv_bfloat162 = __hip_bfloat162;
using nv_bfloat162 = __hip_bfloat162;

#define HEDDLE_BFLOAT16_OPERATOR(symbol)                                              \
  HEDDLE_BOTH __hip_bfloat162 operator symbol(__hip_bfloat162 a, __hip_bfloat162 b) { \
    return __hip_bfloat162(a.x symbol b.x, a.y symbol b.y);                           \
  }
HEDDLE_BFLOAT16_OPERATOR(+)
HEDDLE_BFLOAT16_OPERATOR(-)
HEDDLE_BFLOAT16_OPERATOR(*)
HEDDLE_BFLOAT16_OPERATOR(/)
#undef HEDDLE_BFLOAT16_OPERATOR

HEDDLE_BOTH float __bfloat162float(__hip_bfloat16 x) {
  return static_cast<float>(x);
}
HEDDLE_BOTH __hip_bfloat16 __float2bfloat16(float x) {
  return __hip_bfloat16(x);
}
HEDDLE_BOTH __hip_bfloat16 __float2bfloat16_rn(float x) {
  return __hip_bfloat16(x);
}
HEDDLE_BOTH __hip_bfloat16 __float2bfloat16_rz(float x) {
  return __hip_bfloat16::from_bits(
      static_cast<unsigned short>(heddle_device::bits_as<unsigned>(x) >> 16));
}
HEDDLE_BOTH __hip_bfloat16 __double2bfloat16(double x) {
  return __hip_bfloat16(x);
}
HEDDLE_BOTH __hip_bfloat16 __int2bfloat16_rn(int x) {
  return __hip_bfloat16(x);
}
HEDDLE_BOTH unsigned short __bfloat16_as_ushort(__hip_bfloat16 x) {
  return x.data;
}
HEDDLE_BOTH __hip_bfloat16 __ushort_as_bfloat16(unsigned short x) {
  return __hip_bfloat16::from_bits(x);
}
HEDDLE_BOTH __hip_bfloat162 make_bfloat162(__hip_bfloat16 low, __hip_bfloat16 high) {
  return __hip_bfloat162(low, high);
}
HEDDLE_BOTH __hip_bfloat162 __halves2bfloat162(__hip_bfloat16 low, __hip_bfloat16 high) {
  return __hip_bfloat162(low, high);
}
HEDDLE_BOTH __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16 x) {
  return __hip_bfloat162(x, x);
}
HEDDLE_BOTH __hip_bfloat162 __float2bfloat162_rn(float x) {
  return __hip_bfloat162(__hip_bfloat16(x), __hip_bfloat16(x));
}
HEDDLE_BOTH __hip_bfloat162 __floats2bfloat162_rn(float low, float high) {
  return __hip_bfloat162(__hip_bfloat16(low), __hip_bfloat16(high));
}
HEDDLE_BOTH __hip_bfloat162 __float22bfloat162_rn(const float2& x) {
  return __hip_bfloat162(__hip_bfloat16(x.x), __hip_bfloat16(x.y));
}
HEDDLE_BOTH float2 __bfloat1622float2(__hip_bfloat162 x) {
  return float2(static_cast<float>(x.x), static_cast<float>(x.y));
}
HEDDLE_BOTH __hip_bfloat16 __low2bfloat16(__hip_bfloat162 x) {
  return x.x;
}
HEDDLE_BOTH __hip_bfloat16 __high2bfloat16(__hip_bfloat162 x) {
  return x.y;
}

#endif
