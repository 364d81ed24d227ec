// What differs around a kernel: the rest of its file, and the files that it reads.
//
// Rules
//   1. Everything but the kernel must be the same, in the same sequence: imports, host code, other
//      functions, and all files beside it that running it reads (kernel/triton/closure.h).
//   2. Index helpers may differ where nothing but the kernel and other index helpers uses them.
//   3. New index helpers and new numbers (GROUP = 8) may come in under names that are new: given
//      once, and that no word of the original, of Python or of a test runner is.
//   4. A file that looks at its own text, or that imports at run time, is doubted.
#pragma once

#include "kernel/triton/patch/change_list.h"

namespace heddle::kernel::triton {

/// Fills in `helpers` and `own_helpers` of both.
void compare_files(ComparedSide& before, ComparedSide& after, ChangeList& list);

}  // namespace heddle::kernel::triton
