// The numbers in a sentence, with their units.
//
//   "Hit rate rose from 29.7% to 67.6 percent"  -> 29.7 per cent, 67.6 per cent
//   "reduced from 1,250us to 0.9 ms"            -> 1250 microseconds, 0.9 milliseconds
//   "a 1.15x speedup on MI300X"                 -> 1.15 factor
//
// Rules
//   1. The sentence is in lower case.
//   2. A number does not touch a letter, an underscore or a minus sign in front: "L2", "MI300x"
//      and "-3%" hold none. "32x32" holds no factor.
//   3. A comma followed by exactly three digits separates thousands; any other comma between
//      digits, and one after a lone zero, is a decimal comma.
//   4. "percentage points" is not a unit: such a number has Unit::none.
//   5. A number of more than kLongestNumber characters, or out of range, is left out.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace heddle::optlog {

inline constexpr std::size_t kLongestNumber = 64;

enum class Unit { none, per_cent, factor, seconds, milliseconds, microseconds, nanoseconds };

struct Figure {
  double value = 0;
  Unit unit = Unit::none;
  std::size_t begin = 0;  ///< of the number
  std::size_t end = 0;    ///< past the unit
};

std::vector<Figure> find_figures(std::string_view sentence);

bool is_time(Unit unit);

/// The value of a time in milliseconds.
double to_milliseconds(double value, Unit unit);

}  // namespace heddle::optlog
