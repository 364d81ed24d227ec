/* Integers and bits: int32_t, __popc and its relatives, wide products, __float_as_int,
 * __int2float_rn.
 *
 *   __popc(5u) == 2    __clz(1) == 31    __ffs(8) == 4    __brev(1u) == 0x80000000
 *
 * Rules
 *   1. Results are those that HIP and CUDA define, also for zero.
 *   2. Conversions that name a rounding (_rn, _rz, _ru, _rd) round so where they make integers; to
 *      floating point all of them round to nearest.
 *   3. The vendors' headers bring the types of <stdint.h> along; these are the same types as its own.
 */
#ifndef HEDDLE_BITS_H
#define HEDDLE_BITS_H

#include "heddle/attributes.h"

typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;

HEDDLE_BOTH int __popc(unsigned x) {
  return __builtin_popcount(x);
}
HEDDLE_BOTH int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
HEDDLE_BOTH int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x));
}
HEDDLE_BOTH int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
HEDDLE_BOTH int __ffs(int x) {
  return x == 0 ? 0 : __builtin_ctz(static_cast<unsigned>(x)) + 1;
}
HEDDLE_BOTH int __ffs(unsigned x) {
  return __ffs(static_cast<int>(x));
}
HEDDLE_BOTH int __ffsll(long long x) {
  return x == 0 ? 0 : __builtin_ctzll(static_cast<unsigned long long>(x)) + 1;
}
HEDDLE_BOTH int __ffsll(unsigned long long x) {
  return __ffsll(static_cast<long long>(x));
}
HEDDLE_BOTH int __ffs(unsigned long long x) {
  return __ffsll(static_cast<long long>(x));
}
HEDDLE_BOTH int __ffs(long long x) {
  return __ffsll(x);
}
HEDDLE_BOTH int __ffs(unsigned long x) {
  return __ffsll(static_cast<long long>(x));
}
HEDDLE_BOTH unsigned __brev(unsigned x) {
  return __builtin_bitreverse32(x);
}
HEDDLE_BOTH unsigned long long __brevll(unsigned long long x) {
  return __builtin_bitreverse64(x);
}

/* Four bytes of the eight of y and x, each chosen by a digit of the selector; a digit with its high
 * bit set repeats the sign of the byte. */
HEDDLE_BOTH unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long both = (static_cast<unsigned long long>(y) << 32) | x;
  unsigned result = 0;
#pragma clang loop unroll(full)
  for (int byte = 0; byte < 4; ++byte) {
    const unsigned digit = selector >> (4 * byte);
    unsigned chosen = static_cast<unsigned>(both >> (8 * (digit & 7))) & 0xff;
    if (digit & 8) chosen = (chosen & 0x80) ? 0xff : 0;
    result |= chosen << (8 * byte);
  }
  return result;
}
HEDDLE_BOTH unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = (static_cast<unsigned long long>(high) << 32) | low;
  return static_cast<unsigned>((both << (shift & 31)) >> 32);
}
HEDDLE_BOTH unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = (static_cast<unsigned long long>(high) << 32) | low;
  return shift >= 32 ? low : static_cast<unsigned>((both << shift) >> 32);
}
HEDDLE_BOTH unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = (static_cast<unsigned long long>(high) << 32) | low;
  return static_cast<unsigned>(both >> (shift & 31));
}
HEDDLE_BOTH unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = (static_cast<unsigned long long>(high) << 32) | low;
  return static_cast<unsigned>(both >> (shift > 32 ? 32 : shift));
}
HEDDLE_BOTH unsigned __bitextract_u32(unsigned x, unsigned from, unsigned count) {
  return count == 0 ? 0 : (x << (32 - (from & 31) - (count & 31))) >> (32 - (count & 31));
}
HEDDLE_BOTH int __dp4a(int a, int b, int c) {
  for (int byte = 0; byte < 4; ++byte) {
    c += static_cast<signed char>(a >> (8 * byte)) * static_cast<signed char>(b >> (8 * byte));
  }
  return c;
}
HEDDLE_BOTH unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int byte = 0; byte < 4; ++byte) {
    c += ((a >> (8 * byte)) & 0xff) * ((b >> (8 * byte)) & 0xff);
  }
  return c;
}

HEDDLE_BOTH int __mulhi(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) * y) >> 32);
}
HEDDLE_BOTH unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) * y) >> 32);
}
HEDDLE_BOTH unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(x) * y) >> 64);
}
HEDDLE_BOTH long long __mul64hi(long long x, long long y) {
  return static_cast<long long>((static_cast<__int128>(x) * y) >> 64);
}
HEDDLE_BOTH int __mul24(int x, int y) {
  return static_cast<int>((static_cast<unsigned>(x << 8) >> 8) *
                          (static_cast<unsigned>(y << 8) >> 8));
}
HEDDLE_BOTH unsigned __umul24(unsigned x, unsigned y) {
  return (x & 0xffffff) * (y & 0xffffff);
}
HEDDLE_BOTH int mul24(int x, int y) {
  return __mul24(x, y);
}
HEDDLE_BOTH unsigned __sad(int x, int y, unsigned z) {
  return z + (x > y ? static_cast<unsigned>(x) - static_cast<unsigned>(y)
                    : static_cast<unsigned>(y) - static_cast<unsigned>(x));
}
HEDDLE_BOTH unsigned __usad(unsigned x, unsigned y, unsigned z) {
  return z + (x > y ? x - y : y - x);
}
HEDDLE_BOTH int __hadd(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) + y) >> 1);
}
HEDDLE_BOTH int __rhadd(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1);
}
HEDDLE_BOTH unsigned __uhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) + y) >> 1);
}
HEDDLE_BOTH unsigned __urhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) + y + 1) >> 1);
}

/* The bits of one type as another. */
HEDDLE_BOTH constexpr int __float_as_int(float x) {
  return heddle_device::bits_as<int>(x);
}
HEDDLE_BOTH constexpr unsigned __float_as_uint(float x) {
  return heddle_device::bits_as<unsigned>(x);
}
HEDDLE_BOTH constexpr float __int_as_float(int x) {
  return heddle_device::bits_as<float>(x);
}
HEDDLE_BOTH constexpr float __uint_as_float(unsigned x) {
  return heddle_device::bits_as<float>(x);
}
HEDDLE_BOTH constexpr long long __double_as_longlong(double x) {
  return heddle_device::bits_as<long long>(x);
}
HEDDLE_BOTH constexpr double __longlong_as_double(long long x) {
  return heddle_device::bits_as<double>(x);
}
HEDDLE_BOTH int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
HEDDLE_BOTH int __double2loint(double x) {
  return static_cast<int>(__double_as_longlong(x));
}
HEDDLE_BOTH double __hiloint2double(int high, int low) {
  return __longlong_as_double((static_cast<long long>(high) << 32) | static_cast<unsigned>(low));
}

/* Numbers of one type as another. */
#define HEDDLE_CONVERT_TO_INTEGER(From, from, To, to)                \
  HEDDLE_CALL To __##from##2##to##_rn(From x) {                      \
    return static_cast<To>(__builtin_rint(static_cast<double>(x)));  \
  }                                                                  \
  HEDDLE_CALL To __##from##2##to##_rz(From x) {                      \
    return static_cast<To>(x);                                       \
  }                                                                  \
  HEDDLE_CALL To __##from##2##to##_rd(From x) {                      \
    return static_cast<To>(__builtin_floor(static_cast<double>(x))); \
  }                                                                  \
  HEDDLE_CALL To __##from##2##to##_ru(From x) {                      \
    return static_cast<To>(__builtin_ceil(static_cast<double>(x)));  \
  }
#define HEDDLE_CONVERT_TO_REAL(From, from, To, to) \
  HEDDLE_CALL To __##from##2##to##_rn(From x) {    \
    return static_cast<To>(x);                     \
  }                                                \
  HEDDLE_CALL To __##from##2##to##_rz(From x) {    \
    return static_cast<To>(x);                     \
  }                                                \
  HEDDLE_CALL To __##from##2##to##_rd(From x) {    \
    return static_cast<To>(x);                     \
  }                                                \
  HEDDLE_CALL To __##from##2##to##_ru(From x) {    \
    return static_cast<To>(x);                     \
  }

HEDDLE_CONVERT_TO_INTEGER(float, float, int, int)
HEDDLE_CONVERT_TO_INTEGER(float, float, unsigned, uint)
HEDDLE_CONVERT_TO_INTEGER(float, float, long long, ll)
HEDDLE_CONVERT_TO_INTEGER(float, float, unsigned long long, ull)
HEDDLE_CONVERT_TO_INTEGER(double, double, int, int)
HEDDLE_CONVERT_TO_INTEGER(double, double, unsigned, uint)
HEDDLE_CONVERT_TO_INTEGER(double, double, long long, ll)
HEDDLE_CONVERT_TO_INTEGER(double, double, unsigned long long, ull)
HEDDLE_CONVERT_TO_REAL(int, int, float, float)
HEDDLE_CONVERT_TO_REAL(unsigned, uint, float, float)
HEDDLE_CONVERT_TO_REAL(long long, ll, float, float)
HEDDLE_CONVERT_TO_REAL(unsigned long long, ull, float, float)
HEDDLE_CONVERT_TO_REAL(long long, ll, double, double)
HEDDLE_CONVERT_TO_REAL(unsigned long long, ull, double, double)
HEDDLE_CONVERT_TO_REAL(int, int, double, double)
HEDDLE_CONVERT_TO_REAL(unsigned, uint, double, double)
HEDDLE_CONVERT_TO_REAL(double, double, float, float)
#undef HEDDLE_CONVERT_TO_INTEGER
#undef HEDDLE_CONVERT_TO_REAL

HEDDLE_CALL double __int2double(int x) {
  return x;
}
HEDDLE_CALL double __uint2double(unsigned x) {
  return x;
}

#endif
