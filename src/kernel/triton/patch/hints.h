// tl.assume in two versions of a kernel: what is assumed must hold in the new one where it held in
// the old.
//
//   tl.assume(pid_m >= 0)        both have it, and work takes pid_m * BLOCK_M: settled
//   tl.assume(stride_am > 0)     both have it, of a parameter: settled
//   tl.assume(M % 16 == 0)       only the new kernel has it: not settled
//
// Rules
//   1. What the old kernel assumes and the new one does not does no harm.
//   2. Otherwise both have the same text, of parameters and of names that are given a value once on
//      each side: by the same statement of such names, or by index code, if work takes the name
//      itself or a multiple of it. Values that work takes are compared tile by tile elsewhere.
#pragma once

#include "kernel/triton/patch/change_list.h"

namespace heddle::kernel::triton {

/// What a range says beside its bounds; what only tunes the compiler, num_stages=3, if asked for.
std::string range_text(const ComparedSide& side, const Node& range, bool with_tuning);

/// Whether the hint of the new kernel is settled by rule 2.
bool is_settled_hint(const ComparedSide& before, const ComparedSide& after, const Node& hint);

}  // namespace heddle::kernel::triton
