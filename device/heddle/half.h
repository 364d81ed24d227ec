/* half, __half, __half2: numbers of 16 bits and pairs of them, with the vendors' functions.
 *
 *   half h = p[i];  float f = __half2float(h) * 2;  p[i] = __float2half(f);
 *   __half2 pair = q[i];  q[i] = __hfma2(pair, pair, pair);
 *
 * Rules
 *   1. A half moves as one access of 2 bytes, a pair as one of 4.
 *   2. Arithmetic of halves is rounded to half after every operation; with a float it is float.
 */
#ifndef HEDDLE_HALF_H
#define HEDDLE_HALF_H

#include "heddle/attributes.h"
#include "heddle/half_functions.h"
#include "heddle/math.h"
#include "heddle/vector_types.h"

struct __half : heddle_device::AnyHalf {
  _Float16 data;
  __half() = default;
  template <class T>
  requires(heddle_device::is_number<T> || __is_same(T, _Float16)) HEDDLE_BOTH constexpr __half(T x)
      : data(static_cast<_Float16>(x)) {}
  HEDDLE_BOTH constexpr operator float() const { return static_cast<float>(data); }
  HEDDLE_BOTH constexpr _Float16 data_as_number() const { return data; }
  static HEDDLE_CALL __half product_and_sum(__half a, __half b, __half c) {
    return __half(static_cast<_Float16>(__builtin_fmaf16(a.data, b.data, c.data)));
  }
};
using half = __half;
using __half_raw = __half;

struct alignas(4) __half2 : heddle_device::AnyHalfPair {
  union {
    struct {
      __half x, y;
    };
    heddle_device::Packed<_Float16, 2> data;
  };
  __half2() = default;
  HEDDLE_BOTH constexpr __half2(__half low, __half high) : x(low), y(high) {}
  HEDDLE_BOTH explicit __half2(heddle_device::Packed<_Float16, 2> pair) : data(pair) {}
  HEDDLE_BOTH __half2(const __half2& other) : data(other.data) {}
  HEDDLE_BOTH __half2& operator=(const __half2& other) {
    data = other.data;
    return *this;
  }
  static HEDDLE_CALL __half2 product_and_sum(__half2 a, __half2 b, __half2 c) {
#if defined(HEDDLE_HOST)
    return __half2(__half::product_and_sum(a.x, b.x, c.x), __half::product_and_sum(a.y, b.y, c.y));
#else
    return __half2(__builtin_elementwise_fma(a.data, b.data, c.data));
#endif
  }
};
using half2 = __half2;

#define HEDDLE_HALF_OPERATOR(symbol)                          \
  HEDDLE_BOTH __half2 operator symbol(__half2 a, __half2 b) { \
    return __half2(a.data symbol b.data);                     \
  }
HEDDLE_HALF_OPERATOR(+)
HEDDLE_HALF_OPERATOR(-)
HEDDLE_HALF_OPERATOR(*)
HEDDLE_HALF_OPERATOR(/)
#undef HEDDLE_HALF_OPERATOR

#define HEDDLE_HALF_ROUNDED(suffix)                             \
  HEDDLE_BOTH __half __float2half##suffix(float x) {            \
    return __half(x);                                           \
  }                                                             \
  HEDDLE_BOTH __half __int2half##suffix(int x) {                \
    return __half(x);                                           \
  }                                                             \
  HEDDLE_BOTH __half __uint2half##suffix(unsigned x) {          \
    return __half(x);                                           \
  }                                                             \
  HEDDLE_BOTH __half __short2half##suffix(short x) {            \
    return __half(x);                                           \
  }                                                             \
  HEDDLE_BOTH __half __ushort2half##suffix(unsigned short x) {  \
    return __half(x);                                           \
  }                                                             \
  HEDDLE_BOTH __half __ll2half##suffix(long long x) {           \
    return __half(x);                                           \
  }                                                             \
  HEDDLE_BOTH __half __ull2half##suffix(unsigned long long x) { \
    return __half(x);                                           \
  }
HEDDLE_HALF_ROUNDED()
HEDDLE_HALF_ROUNDED(_rn)
HEDDLE_HALF_ROUNDED(_rz)
HEDDLE_HALF_ROUNDED(_ru)
HEDDLE_HALF_ROUNDED(_rd)
#undef HEDDLE_HALF_ROUNDED
#define HEDDLE_FROM_HALF(suffix, rounded)                          \
  HEDDLE_CALL int __half2int##suffix(__half x) {                   \
    return static_cast<int>(rounded(static_cast<float>(x)));       \
  }                                                                \
  HEDDLE_CALL unsigned __half2uint##suffix(__half x) {             \
    return static_cast<unsigned>(rounded(static_cast<float>(x)));  \
  }                                                                \
  HEDDLE_CALL short __half2short##suffix(__half x) {               \
    return static_cast<short>(rounded(static_cast<float>(x)));     \
  }                                                                \
  HEDDLE_CALL long long __half2ll##suffix(__half x) {              \
    return static_cast<long long>(rounded(static_cast<float>(x))); \
  }
HEDDLE_FROM_HALF(_rn, __builtin_rintf)
HEDDLE_FROM_HALF(_rz, __builtin_truncf)
HEDDLE_FROM_HALF(_ru, __builtin_ceilf)
HEDDLE_FROM_HALF(_rd, __builtin_floorf)
#undef HEDDLE_FROM_HALF

HEDDLE_BOTH float __half2float(__half x) {
  return static_cast<float>(x);
}
HEDDLE_BOTH __half __double2half(double x) {
  return __half(x);
}
HEDDLE_BOTH short __half_as_short(__half x) {
  return heddle_device::bits_as<short>(x.data);
}
HEDDLE_BOTH unsigned short __half_as_ushort(__half x) {
  return heddle_device::bits_as<unsigned short>(x.data);
}
HEDDLE_BOTH __half __short_as_half(short x) {
  return __half(heddle_device::bits_as<_Float16>(x));
}
HEDDLE_BOTH __half __ushort_as_half(unsigned short x) {
  return __half(heddle_device::bits_as<_Float16>(x));
}
HEDDLE_BOTH __half2 make_half2(__half low, __half high) {
  return __half2(low, high);
}
HEDDLE_BOTH __half2 __halves2half2(__half low, __half high) {
  return __half2(low, high);
}
HEDDLE_BOTH __half2 __half2half2(__half x) {
  return __half2(x, x);
}
HEDDLE_BOTH __half2 __float2half2_rn(float x) {
  return __half2(__half(x), __half(x));
}
HEDDLE_BOTH __half2 __floats2half2_rn(float low, float high) {
  return __half2(__half(low), __half(high));
}
HEDDLE_BOTH __half2 __float22half2_rn(const float2& x) {
  return __half2(__half(x.x), __half(x.y));
}
HEDDLE_BOTH float2 __half22float2(__half2 x) {
  return float2(static_cast<float>(x.x), static_cast<float>(x.y));
}
HEDDLE_BOTH __half __low2half(__half2 x) {
  return x.x;
}
HEDDLE_BOTH __half __high2half(__half2 x) {
  return x.y;
}
HEDDLE_BOTH __half2 __low2half2(__half2 x) {
  return __half2(x.x, x.x);
}
HEDDLE_BOTH __half2 __high2half2(__half2 x) {
  return __half2(x.y, x.y);
}
HEDDLE_BOTH __half2 __lows2half2(__half2 a, __half2 b) {
  return __half2(a.x, b.x);
}
HEDDLE_BOTH __half2 __highs2half2(__half2 a, __half2 b) {
  return __half2(a.y, b.y);
}
HEDDLE_BOTH __half2 __lowhigh2highlow(__half2 x) {
  return __half2(x.y, x.x);
}

#endif
