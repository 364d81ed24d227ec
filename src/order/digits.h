// Digit permutations: the launch id is a number of several digits; the tile's axes are spelt with
// the same digits in another arrangement.
//
//   digits(x r=8 y die=8 -> y r, die x)           launch id = ((x * 8 + r) * Y + y) * 8 + die
//                                                  row = y * 8 + r      column = die * X + x
//   digits(a die=8 -> die a)                       tile = die * A + a   (xcd_tail(8) of a line)
//
// Rules
//   1. Left of the arrow: the digits of the launch id, slowest first. Right: those of each axis,
//      slowest first; axes are separated by commas and come slices, rows, columns. One axis makes
//      a line, two a walk, three the whole space.
//   2. Every digit stands once on each side. One of each axis has no radix: it takes what the
//      extent holds, extent // (product of the others).
//   3. What does not divide is left over at the end of each axis. Those tiles come last: on a line
//      they stay; in a plane first what is left of rows, then the rows left; in a space the
//      planes' left-overs, then the slices left.
//   4. A permutation for every size, without int32 overflow: `argument` of the family says why.
//   5. At most kMostDigits digits; radices are at least 1 and their product is below 2^31.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "order/family.h"
#include "order/order.h"

namespace heddle::order {

inline constexpr std::size_t kMostDigits = 16;

struct Digit {
  std::string name;
  std::optional<std::int64_t> radix;  ///< nothing: what the extent holds
};

/// The digits of a launch id and how the axes are spelt with them.
struct DigitOrder {
  std::vector<Digit> launch;                   ///< slowest first
  std::vector<std::vector<std::size_t>> axes;  ///< indices into `launch`, slowest first

  /// "x r=8 y die=8 -> y r, die x".
  std::string text() const;
};

/// What stands between the brackets of digits(...). Throws Error.
DigitOrder read_digits(std::string_view text);

/// Throws Error where rules 2 and 5 do not hold.
Stage digit_stage(const DigitOrder& digits);

}  // namespace heddle::order
