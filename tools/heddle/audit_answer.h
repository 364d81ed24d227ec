// A model's answer, or the text of a pull request: the code blocks in it, judged.
//
// Rules
//   1. A block is a diff, a whole kernel or a formula; blocks of other languages are passed over.
//      Formulas are judged like the iterations of a log, numbered by block; kernels and diffs like
//      patches of the job's kernel.
//   2. What is claimed in the prose belongs to the block, where there is one alone.
//   3. A block that cannot be judged is UNKNOWN, with the reason.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline.h"
#include "results/attempt.h"

namespace heddle::tool {

struct ChangeBlock {
  int line = 0;
  bool is_diff = false;
  std::string text;
};

/// The blocks of a text, by kind.
struct AnswerBlocks {
  std::vector<Attempt> formulas;
  std::vector<ChangeBlock> changes;

  bool empty() const { return formulas.empty() && changes.empty(); }
};

AnswerBlocks answer_blocks(std::string_view text);

/// What came of a change.
struct JudgedChange {
  int line = 0;
  std::optional<PatchAudit> audit;
  std::string reason;  ///< where it could not be judged
};

/// `request.before` and `.job_path` are those of the job; `shown` names the text.
std::vector<JudgedChange> judge_changes(const std::vector<ChangeBlock>& changes,
                                        const PatchRequest& request, const std::string& shown);

}  // namespace heddle::tool
