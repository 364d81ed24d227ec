// The families of orders heddle knows by name, each with its argument and its explicit inverse.
//
// A family is written in the very language that orders are read in, so that there is one meaning:
// evaluation, proof and emission all work on the same text.
//
//   xcd(3) on 8 blocks     launch id  0 1 2 3 4 5 6 7
//                          die        0 1 2 0 1 2 0 1
//                          tile       0 3 6 1 4 7 2 5     die 0 has tiles 0-2, die 1 3-5
//
// Rules
//   1. `forward` is a permutation for every size: `argument` says why, `inverse` is its inverse.
//   2. No operation overflows int32 while there are fewer than 2^31 tiles.
//   3. No division sees a negative operand, so C's and Python's rounding agree.
//   4. A line family maps an id to an id; a walk maps an id to a (row, column) of the plane
//      whose columns are the fast axis; a solid maps an id to a (slice, row, column).
//   tests/order/family_test.cpp tries 1 to 3 on every small grid and on large ones.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::order {

enum class FamilyKind { line, walk, solid };

struct Family {
  std::string_view name;
  FamilyKind kind = FamilyKind::line;
  std::vector<std::string_view> parameters;  ///< positive constants
  std::string_view summary;                  ///< one line
  std::string_view forward;                  ///< def name(t, n, ...) or name(t, rows, cols, ...)
  std::string_view inverse;                  ///< def name_inverse(...)
  std::string_view argument;                 ///< why rule 1 and 2 hold
  std::string_view needs = {};               ///< another family whose text it calls
};

/// All of them, in the order the documentation lists them. Add a new one here.
std::span<const Family> families();
/// Of all that the compact form knows; digits too, which makes its family on demand.
std::vector<std::string> family_names();

/// Null if there is none of that name.
const Family* find_family(std::string_view name);

}  // namespace heddle::order
