// What differs between the texts of two C++ kernel files, statement by statement.
//
//   line 12, new     index   const unsigned int tile = g0 - 1 - p0;
//   line 14 -> 18    index   x[blockIdx.x] = 0; -> x[tile] = 0;
//   line 15 -> 19    other   a statement: y[i] = a; -> y[i] = b;
//
// Rules
//   1. Comments, blank lines and layout are not looked at.
//   2. In the kernel, index code (cxx_statements.h) may differ, and index helpers with it. What is
//      not index code must be the same, but for index values that depend on the block: blockIdx and
//      names, which may stand in for one another, one for one.
//   3. Everything else that differs is other: heads, directives, functions, host code. Tokens in
//      `ignored` (the grids of launches) are taken to be equal.
//   4. `by_ids`: the new kernel is the old one with unsigned values in place of blockIdx, the same
//      everywhere. Whatever those values are, nothing else of the work is another.
//   5. `values` are the index values that the work sees, old and new, to be evaluated: the new ones
//      of every block must be those of a block of the original (cxx_values.h).
//   6. `doubt` says why a change of index code alone may still mean more; empty: nothing does.
//
// Does not see: that two index values are the same number.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kernel/cxx/source.h"
#include "results/patch_audit.h"

namespace heddle::audit {

struct CxxCodeSide {
  const kernel::cxx::CxxSource* source = nullptr;
  const kernel::cxx::CxxFunction* function = nullptr;
  std::set<std::size_t> ignored;       ///< tokens
  std::set<std::string> numbers = {};  ///< macros that the compiler is given
};

struct CxxChanges {
  std::vector<CodeChange> changes;  ///< in the order of the files
  bool by_ids = false;
  std::string doubt;
  std::vector<std::pair<std::string, std::string>> values = {};  ///< expressions: before, after
  std::string index_before = {};                                 ///< C-like text that defines them
  std::string index_after = {};

  bool has_other() const;
};

CxxChanges find_cxx_changes(const CxxCodeSide& before, const CxxCodeSide& after);

}  // namespace heddle::audit
