// Digit orders of one grid: made, recognised and varied.
//
// An arrangement is a digit order with every radix known. Digits that stay together in the launch
// id and on an axis are one digit:
//
//   8 x 8 tiles, launch id = (y x2 x4) -> (y, x2 x4)    is   (y x8) -> (y, x8)
//
// Rules
//   1. The product of the radices of an axis is the axis' extent, unless the arrangement leaves
//      tiles over: then it is the part that the digits cover.
//   2. `digit_order` names the digits and leaves the radix of one digit per axis open, so that the
//      order fits every size: never that of a die if there is another.
//   3. `recognize` finds the arrangement of any map that has one, whatever formula it came from.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "order/digits.h"
#include "order/order.h"
#include "support/grid.h"

namespace heddle::search {

struct Part {
  int axis = 0;  ///< of the grid: 0 is x
  std::int64_t radix = 1;
};

struct Arrangement {
  std::vector<Part> launch;  ///< slowest first
  std::vector<std::vector<std::size_t>>
      axes;  ///< per grid axis: indices into launch, slowest first
};

/// Without digits of radix 1 and with what stays together joined.
Arrangement simplified(const Arrangement& arrangement);

/// The digit order, named. `dies`: the fastest digits up to this product are the die's.
order::DigitOrder digit_order(const Arrangement& arrangement, int dies);

/// The reverse, on a grid with as many axes as the digit order has; radices may come out as 0.
Arrangement arrangement_of(const order::DigitOrder& digits, const Grid& grid);

/// The arrangement that gives this map; nothing if it is not a digit permutation of the whole grid.
std::optional<Arrangement> recognize(const order::Map& map, const Grid& grid);

/// Every arrangement of the grid, each once; nothing if there are more than `most` before
/// duplicates are dropped.
std::optional<std::vector<Arrangement>> all_arrangements(const Grid& grid, std::int64_t most);

/// What the axes are split by, apart from the dies: radices per axis, slowest first.
using Splits = std::vector<std::vector<std::int64_t>>;

/// All ways of `count` splits together, by usual radices and by `extents`; those of different axes
/// come first.
std::vector<Splits> splits_of(const Grid& grid, const std::vector<std::int64_t>& extents,
                              int count);

/// Arrangements with these splits, the digit of the die on every place of every axis and loops in
/// every order, each once.
std::vector<Arrangement> placed_dies(const Grid& grid, int dies, const Splits& splits);

/// Arrangements one step away: a digit moved, split, or of another radix.
std::vector<Arrangement> neighbours(const Arrangement& arrangement, const Grid& grid);

}  // namespace heddle::search
