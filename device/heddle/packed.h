/* Arithmetic on the bytes and halves of a word: __vadd4, __vcmpeq2 and their relatives.
 *
 * Rules
 *   1. A part is unsigned where the name has a u or nothing, signed where it has an s; comparisons
 *      set all bits of a part that holds, `ss` and `us` saturate.
 */
#ifndef HEDDLE_PACKED_H
#define HEDDLE_PACKED_H

#include "heddle/attributes.h"

namespace heddle_device {

/* One part of a word after the other: Part is its type, operation(a, b) gives the new part. */
template <class Part, class Operation>
HEDDLE_BOTH unsigned by_part(unsigned a, unsigned b, Operation operation) {
  unsigned result = 0;
  constexpr unsigned kBits = 8 * sizeof(Part);
  for (unsigned shift = 0; shift < 32; shift += kBits) {
    const int part = operation(static_cast<int>(static_cast<Part>(a >> shift)),
                               static_cast<int>(static_cast<Part>(b >> shift)));
    result |= (static_cast<unsigned>(part) & ((1u << kBits) - 1)) << shift;
  }
  return result;
}

HEDDLE_BOTH constexpr int saturated(int value, int least, int most) {
  return value < least ? least : value > most ? most : value;
}

}  // namespace heddle_device

#define HEDDLE_PACKED(name, Part, ...)                                        \
  HEDDLE_BOTH unsigned name(unsigned x, unsigned y) {                         \
    return heddle_device::by_part<Part>(                                      \
        x, y, [] HEDDLE_LAMBDA(int a, int b) -> int { return __VA_ARGS__; }); \
  }
#if defined(HEDDLE_HOST)
#define HEDDLE_LAMBDA
#else
#define HEDDLE_LAMBDA __attribute__((host, device))
#endif

#define HEDDLE_PACKED_OF(count, Signed, Unsigned, least, most, whole)                  \
  HEDDLE_PACKED(__vadd##count, Unsigned, a + b)                                        \
  HEDDLE_PACKED(__vsub##count, Unsigned, a - b)                                        \
  HEDDLE_PACKED(__vaddss##count, Signed, heddle_device::saturated(a + b, least, most)) \
  HEDDLE_PACKED(__vsubss##count, Signed, heddle_device::saturated(a - b, least, most)) \
  HEDDLE_PACKED(__vaddus##count, Unsigned, heddle_device::saturated(a + b, 0, whole))  \
  HEDDLE_PACKED(__vsubus##count, Unsigned, heddle_device::saturated(a - b, 0, whole))  \
  HEDDLE_PACKED(__vmaxs##count, Signed, a > b ? a : b)                                 \
  HEDDLE_PACKED(__vmins##count, Signed, a < b ? a : b)                                 \
  HEDDLE_PACKED(__vmaxu##count, Unsigned, a > b ? a : b)                               \
  HEDDLE_PACKED(__vminu##count, Unsigned, a < b ? a : b)                               \
  HEDDLE_PACKED(__vabsdiffs##count, Signed, a > b ? a - b : b - a)                     \
  HEDDLE_PACKED(__vabsdiffu##count, Unsigned, a > b ? a - b : b - a)                   \
  HEDDLE_PACKED(__vavgu##count, Unsigned, (a + b + 1) >> 1)                            \
  HEDDLE_PACKED(__vhaddu##count, Unsigned, (a + b) >> 1)                               \
  HEDDLE_PACKED(__vcmpeq##count, Unsigned, a == b ? -1 : 0)                            \
  HEDDLE_PACKED(__vcmpne##count, Unsigned, a != b ? -1 : 0)                            \
  HEDDLE_PACKED(__vcmpgts##count, Signed, a > b ? -1 : 0)                              \
  HEDDLE_PACKED(__vcmpges##count, Signed, a >= b ? -1 : 0)                             \
  HEDDLE_PACKED(__vcmplts##count, Signed, a < b ? -1 : 0)                              \
  HEDDLE_PACKED(__vcmples##count, Signed, a <= b ? -1 : 0)                             \
  HEDDLE_PACKED(__vcmpgtu##count, Unsigned, a > b ? -1 : 0)                            \
  HEDDLE_PACKED(__vcmpgeu##count, Unsigned, a >= b ? -1 : 0)                           \
  HEDDLE_PACKED(__vcmpltu##count, Unsigned, a < b ? -1 : 0)                            \
  HEDDLE_PACKED(__vcmpleu##count, Unsigned, a <= b ? -1 : 0)

HEDDLE_PACKED_OF(4, signed char, unsigned char, -128, 127, 255)
HEDDLE_PACKED_OF(2, short, unsigned short, -32768, 32767, 65535)

#undef HEDDLE_PACKED_OF
#undef HEDDLE_PACKED
#undef HEDDLE_LAMBDA
namespace heddle_device {

/* To the nearest number that To has. */
template <class To, class X>
HEDDLE_CALL To clamped(const X& x) {
  static_assert(sizeof(To) <= 4);
  constexpr bool is_signed = static_cast<To>(-1) < static_cast<To>(0);
  constexpr double range = static_cast<double>(1ull << (8 * sizeof(To) - (is_signed ? 1 : 0)));
  const double value = static_cast<double>(x);
  constexpr double least = is_signed ? -range : 0;
  return value != value       ? To(0)
         : value <= least     ? static_cast<To>(least)
         : value >= range - 1 ? static_cast<To>(range - 1)
                              : static_cast<To>(value);
}

}  // namespace heddle_device

#endif
