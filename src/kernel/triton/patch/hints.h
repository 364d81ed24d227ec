// tl.assume in two versions of a kernel: what is assumed must hold in the new one where it held in
// the old.
//
//   tl.assume(pid_m >= 0)        both have it, and work takes pid_m * BLOCK_M: settled
//   tl.assume(stride_am > 0)     both have it, of a parameter: settled
//   tl.assume(M % 16 == 0)       only the new kernel has it: not settled
//
// Rules
//   1. What the old kernel assumes and the new one does not does no harm.
//   2. Rules 3 and 4 aside, both have the same text, of parameters and of names that are given a value once on
//      each side: by the same statement of such names, or by index code, if work takes the name
//      itself or a multiple of it. Values that work takes are compared tile by tile elsewhere.
//   3. tl.static_assert of constexprs changes nothing, or the kernel does not compile.
//   4. A new one at the outermost level that compares a scalar with 0 or 1 from below, or with
//      another scalar from above, is judged as if blocks for which it does not hold returned: then
//      what they were to do is missing. Like other cases of index code it must come out both ways,
//      unless it says of a tile's coordinate, or of a parameter, that it is not negative: that
//      follows from what the original's tiles are.
#pragma once

#include "kernel/triton/patch/change_list.h"

namespace heddle::kernel::triton {

/// What a range says beside its bounds; what only tunes the compiler, num_stages=3, if asked for.
std::string range_text(const ComparedSide& side, const Node& range, bool with_tuning);

/// Whether the hint of the new kernel is settled by rule 2.
bool is_settled_hint(const ComparedSide& before, const ComparedSide& after, const Node& hint);

/// Rule 3.
bool is_constexpr_check(const ComparedSide& side, const Node& hint);

/// Rule 4.
bool is_plain_hint(const ComparedSide& side, const Node& hint);
/// One of rule 4 that need not come out both ways.
bool is_implied_hint(const ComparedSide& side, const Node& hint);
/// Writes a hint of rule 4 as a guard: `if not pid_m >= 0: return`.
void make_guard(std::vector<Node>& body, const CodeSpan& hint);

}  // namespace heddle::kernel::triton
