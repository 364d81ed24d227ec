// Two kernels on one launch, by the index values that their blocks compute.
//
//   const IndexJudgement index = judge_index(comparison);
//   index.blocks     which tile each block does, by index; nothing: not known, `reason` says why
//
// Rules
//   1. The work of both must be the same (kernel/patch.h). Then a block with the index values of a
//      tile does that tile, arithmetic included, whatever is in memory.
//   2. The values of all blocks of both are compared (block_match.h), as multisets.
//   3. Where blocks do several tiles, turns are compared instead, each with what it sees: a turn with
//      the values of another does its tile, in whichever block and after whichever others.
//   4. Index arithmetic that overflows, divides by zero or reads what was never set leaves the
//      blocks unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "audit/block_match.h"
#include "kernel/patch.h"

namespace heddle::audit {

struct IndexJudgement {
  std::optional<BlockMatch> blocks;
  std::string reason;         ///< why there is none
  bool is_undefined = false;  ///< the original's values are defined, the new ones are not
  bool is_original_undefined = false;
  bool is_cut_short = false;  ///< there are too many steps to run
};

/// `budget` are steps for all launches together: what this one takes is taken off, and a launch that
/// takes more is not judged.
IndexJudgement judge_index(const kernel::CodeComparison& code, std::int64_t& budget);

/// Of a launch whose blocks do several tiles each.
struct TurnJudgement {
  std::optional<bool> is_same;  ///< all turns together see what those of the original see
  std::string reason;           ///< why that is not known, or what is wrong
  bool is_original_undefined = false;
  bool is_cut_short = false;  ///< there are too many steps to run
};

/// Compares the turns of all blocks, as multisets; without turns, the blocks. `budget` as above.
TurnJudgement judge_turns(const kernel::CodeComparison& code, std::int64_t& budget);

/// The original's index code is defined on the launch, as far as some of its blocks show.
bool is_original_defined(const kernel::CodeComparison& code);

/// As judge_index, for a launch that is too large to look at all blocks: runs the index code of some of
/// them. Empty: it is defined there; nothing: the original's is not; else what is wrong.
std::optional<std::string> probe_index(const kernel::CodeComparison& code);

}  // namespace heddle::audit
