// What two C++ kernels have around their bodies, as the compiler sees it: every token of every
// file, after macros and includes.
//
// Rules
//   1. All tokens must be the same, but for the kernel's name and body, and for declarations of
//      index code: functions of integers and integer constants that index.h can read.
//   2. A declaration of index code may be new, gone or another only if nothing outside the kernel
//      names it but such declarations. So may a namespace that holds nothing else.
//   3. Any other declaration that is new is a doubt; so is one that differs and may be index code.
//      What else differs is another program.
//   4. Tokens that both have are numbered, so that a declaration can be told by its place.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kernel/cxx/patch/index.h"
#include "kernel/cxx/patch/likely.h"
#include "kernel/cxx/patch/units.h"
#include "kernel/cxx/patch/work.h"

namespace heddle::kernel::cxx {

struct CxxOutside {
  std::vector<CxxUnit> before;  ///< that are new, gone or another
  std::vector<CxxUnit> after;
  std::set<std::string> names;  ///< of those
  bool is_same = true;
  std::size_t differs_before = 0;  ///< the first tokens that are not the same
  std::size_t differs_after = 0;
  std::string misused;              ///< a changed name that more than index code uses
  bool has_new_system = false;      ///< more of the system's headers
  std::vector<std::string> doubts;  ///< what is new, and changes that may be index code
  std::vector<int> line_numbers;    ///< where __LINE__ changes more than what is printed
};

/// Fills in `shared` of both sides.
CxxOutside compare_outside(CxxWorkSide& before, CxxWorkSide& after);

/// Names of functions through which the block is seen besides the index code: "weight". `others`
/// are lines of the main file that other kernels begin on; `rest` are tokens of the kernel's work.
std::vector<std::string> hidden_uses(const CxxWorkSide& side, const std::set<int>& others,
                                     const std::vector<std::size_t>& rest, bool same_launch);

}  // namespace heddle::kernel::cxx
