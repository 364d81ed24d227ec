// What differs between two C++ kernels and their files, statement by statement.
//
//   line 12, new     index   const unsigned int tile = g0 - 1 - p0;
//   line 14 -> 18    index   x[blockIdx.x] = 0; -> x[tile] = 0;
//   line 15 -> 19    other   a statement: y[i] = a; -> y[i] = b;
//
// Rules
//   1. The kernels are compared in Clang's trees, for the launch: index code (index.h) may
//      differ, the work (work.h) may not. Everything around them is compared as the compiler
//      sees it (outside.h) and as it is written (files.h).
//   2. What the work sees of the block is in `index` (values.h). If something else sees the block,
//      no block may do another one's tile.
//   3. `doubt` names the first construct that leaves it open whether that holds.
//   4. Comments and layout are not looked at.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/launch.h"
#include "kernel/cxx/patch/files.h"
#include "kernel/cxx/tree.h"
#include "kernel/patch.h"

namespace heddle::kernel::cxx {

struct CxxCompared {
  const CxxCodeSide* code = nullptr;
  std::shared_ptr<const CxxTree> tree = nullptr;  ///< null: none, and the body is not compared
  const config::Launch* launch = nullptr;
};

struct CxxChanges {
  std::vector<CodeChange> changes;  ///< in the order of the files
  std::string doubt;
  std::optional<IndexPrograms> index;  ///< of kernels whose work is the same

  bool has_other() const;
};

/// As kernel::Patch gives it, without constants.
CodeComparison comparison_of(const CxxCodeSide& before, const CxxCodeSide& after,
                             const CxxChanges& changes);

/// What of the launches a comparison depends on: blocks and threads are the same in both.
bool is_same_launch(const config::Launch& before, const config::Launch& after);

/// Of the launches, `index` alone holds more than that.
CxxChanges find_cxx_changes(const CxxCompared& before, const CxxCompared& after);

}  // namespace heddle::kernel::cxx
