// The check `code` of a changed kernel.
//
// Rules
//   1. A text that differs in anything but index code is REFUTED, whatever it means.
//   2. It is PROVED only if nothing is doubted (kernel/patch.h) and the blocks see the index values
//      of the tiles, each once, or values that stand in for the block's ids.
//   3. Of persistent kernels, the turns of all blocks must see that on the job's own launch, too.
//   4. All else is UNKNOWN, with the construct named.
#pragma once

#include "audit/index_match.h"
#include "kernel/patch.h"
#include "results/check.h"

namespace heddle::audit {

/// `order`: what was found of the blocks' accesses.
CheckResult judge_code(const kernel::PatchSide& before, const kernel::PatchSide& after,
                       const kernel::CodeComparison& code, const IndexJudgement& index,
                       Verdict order);

/// `code` is that of the job's own launch, where blocks do several tiles: what its turns see may leave
/// a verdict open.
void judge_turns_of_code(const kernel::CodeComparison& code, const TurnJudgement& turns,
                         CheckResult& result);

}  // namespace heddle::audit
