/* What the compiler calls to convert _Float16 where the machine has no instruction for it (x86-64).
 * A compiler's library has these functions; a kernel's library is linked without one.
 *
 * Rules
 *   1. Weak, so that a library's own come first; rounded to nearest even; no _Float16 arithmetic.
 */
#ifndef HEDDLE_HALF_CONVERSIONS_H
#define HEDDLE_HALF_CONVERSIONS_H

#include "heddle/attributes.h"

#define HEDDLE_WEAK __attribute__((weak, nodebug, no_sanitize("coverage")))

namespace heddle_device {

/* From the bits of a double: 52 of the fraction become 10. */
HEDDLE_CALL unsigned short half_bits(double x) {
  const auto bits = bits_as<unsigned long long>(x);
  const auto sign = static_cast<unsigned short>((bits >> 48) & 0x8000);
  const int power = static_cast<int>((bits >> 52) & 0x7ff) - 1023;
  const unsigned long long fraction = bits & 0xfffffffffffffull;
  if (power == 1024) {  // infinite, or not a number
    return static_cast<unsigned short>(sign | 0x7c00 | (fraction != 0 ? 0x200 : 0));
  }
  if (power > 15) return static_cast<unsigned short>(sign | 0x7c00);
  if (power < -25) return sign;
  const unsigned long long whole = fraction | 0x10000000000000ull;
  const int drop = power >= -14 ? 42 : 42 + (-14 - power);  // smaller ones lose more
  const unsigned long long kept = whole >> drop;
  const unsigned long long rest = whole & ((1ull << drop) - 1);
  const unsigned long long middle = 1ull << (drop - 1);
  const bool up = rest > middle || (rest == middle && (kept & 1) != 0);
  const unsigned long long first = power >= -14 ? static_cast<unsigned>(power + 14) * 1024ull : 0;
  return static_cast<unsigned short>(sign | (first + kept + (up ? 1 : 0)));
}

}  // namespace heddle_device

extern "C" {

HEDDLE_WEAK float __extendhfsf2(_Float16 x) {
  const unsigned bits = heddle_device::bits_as<unsigned short>(x);
  const unsigned sign = (bits & 0x8000) << 16;
  const unsigned power = (bits >> 10) & 31;
  const unsigned fraction = bits & 0x3ff;
  if (power == 31) return heddle_device::bits_as<float>(sign | 0x7f800000 | (fraction << 13));
  if (power != 0) {
    return heddle_device::bits_as<float>(sign | ((power + 112) << 23) | (fraction << 13));
  }
  const float small = static_cast<float>(fraction) * 0x1p-24f;
  return sign != 0 ? -small : small;
}
HEDDLE_WEAK _Float16 __truncdfhf2(double x) {
  return heddle_device::bits_as<_Float16>(heddle_device::half_bits(x));
}
HEDDLE_WEAK _Float16 __truncsfhf2(float x) {
  return heddle_device::bits_as<_Float16>(heddle_device::half_bits(static_cast<double>(x)));
}

}  // extern "C"

#undef HEDDLE_WEAK

#endif
