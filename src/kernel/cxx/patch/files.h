// Compares two C++ files as they are written: what the compiler of a kernel does not see, such as
// host code, branches of #if that this launch does not take, and headers.
//
// Rules
//   1. Outside the kernel's body, tokens and directives must be the same, but for the grids of
//      launches, declarations of index code that outside.h names, and new macros that are
//      numbers with a name of their own.
//   2. Directives in the body must be the same, and so must everything between #if and #endif
//      there. Macros in its work must be used in the same order.
//   3. Files of the user that either file includes, directly or not, must be there under the same
//      name on both sides and have the same tokens.
//   4. A line splice outside directives, a trigraph, __COUNTER__, and __LINE__ that is not just
//      printed are doubts: a text cannot show what they do.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kernel/cxx/patch/outside.h"
#include "kernel/cxx/source.h"
#include "results/patch_audit.h"

namespace heddle::kernel::cxx {

struct CxxCodeSide {
  const CxxSource* source = nullptr;
  const CxxFunction* function = nullptr;
  std::set<std::size_t> ignored = {};  ///< tokens
  std::set<std::string> numbers = {};  ///< macros that the compiler is given
  std::string grid_doubt = {};         ///< why the grid of a launch may do more than count blocks
  bool is_only_instance = false;       ///< the file uses no other instance of the template

  friend bool operator==(const CxxCodeSide&, const CxxCodeSide&) = default;
};

struct CxxFileChanges {
  std::vector<CodeChange> changes;
  std::vector<std::string> doubts;
};

/// `outside` says which declarations are index code; null: none is known. Trees may be null.
CxxFileChanges compare_files(const CxxCodeSide& before, const CxxCodeSide& after,
                             const CxxOutside* outside, const CxxWorkSide* tree_before,
                             const CxxWorkSide* tree_after);

}  // namespace heddle::kernel::cxx
