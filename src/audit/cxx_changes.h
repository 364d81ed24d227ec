// What differs between two C++ kernels and their files, statement by statement.
//
//   line 12, new     index   const unsigned int tile = g0 - 1 - p0;
//   line 14 -> 18    index   x[blockIdx.x] = 0; -> x[tile] = 0;
//   line 15 -> 19    other   a statement: y[i] = a; -> y[i] = b;
//
// Rules
//   1. The kernels are compared in Clang's trees, for the launch: index code (cxx_index.h) may
//      differ, the work (cxx_work.h) may not. Everything around them is compared as the compiler
//      sees it (cxx_outside.h) and as it is written (cxx_files.h).
//   2. What the work sees of the block must be what it sees of some block of the original: the
//      values of the cut, in all blocks together, are those of the original, permuted
//      (cxx_values.h). If something else sees the block, no block may do another one's tile.
//   3. `doubt` names the first construct that leaves it open whether that holds.
//   4. Comments and layout are not looked at.
#pragma once

#include <string>
#include <vector>

#include "audit/cxx_files.h"
#include "config/launch.h"
#include "kernel/cxx/tree.h"
#include "results/patch_audit.h"

namespace heddle::audit {

struct CxxCompared {
  const CxxCodeSide* code = nullptr;
  const kernel::cxx::CxxTree* tree =
      nullptr;  ///< null: there is none, and the body is not compared
  const config::Launch* launch = nullptr;
};

struct CxxChanges {
  std::vector<CodeChange> changes;  ///< in the order of the files
  std::string doubt;

  bool has_other() const;
};

CxxChanges find_cxx_changes(const CxxCompared& before, const CxxCompared& after);

}  // namespace heddle::audit
