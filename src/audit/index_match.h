// Two Triton kernels on one launch, by the index values that their blocks compute.
//
//   const IndexJudgement index = judge_index(before, after, changes);
//   index.blocks     which tile each block does, by index; nothing: not known, `reason` says why
//
// Rules
//   1. The programs must be the same but for index code (program_match.h). Then a block with the
//      index values of a tile does that tile, arithmetic included, whatever is in memory.
//   2. The values of all blocks of both are compared (block_match.h), as multisets.
//   3. Index arithmetic that overflows or divides by zero leaves the blocks unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/audit_patch.h"
#include "audit/block_match.h"
#include "audit/code_changes.h"
#include "audit/program_match.h"

namespace heddle::audit {

struct IndexJudgement {
  ProgramMatch programs;
  std::optional<BlockMatch> blocks;
  std::string reason;  ///< why there is none
};

/// Both sides have programs.
IndexJudgement judge_index(const PatchSide& before, const PatchSide& after,
                           const CodeChanges& changes);

/// The same for a launch that is too large to look at all blocks: runs the index code of some of
/// them. Empty: it is defined there; else what is wrong.
std::string probe_index(const PatchSide& before, const PatchSide& after,
                        const CodeChanges& changes);

}  // namespace heddle::audit
