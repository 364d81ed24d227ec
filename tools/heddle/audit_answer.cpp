#include "audit_answer.h"

#include <fmt/format.h>

#include "audit_changed.h"
#include "optlog/blocks.h"
#include "optlog/claim.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::tool {
namespace {

bool has_line_with(std::string_view text, std::string_view begin) {
  for (const std::string_view line : split_lines(text))
    if (line.starts_with(begin)) return true;
  return false;
}

bool is_diff_block(const optlog::CodeBlock& block) {
  return block.language == "diff" || block.language == "patch" ||
         (has_line_with(block.text, "+++ ") && has_line_with(block.text, "@@ "));
}

/// A whole kernel takes pointers, and reads and writes by them; an order does not.
bool is_kernel_block(const optlog::CodeBlock& block) {
  for (const std::string_view word : {"@triton.jit", "@jit", "__global__"})
    if (block.text.find(word) != std::string::npos) return true;
  return false;
}

}  // namespace

AnswerBlocks answer_blocks(std::string_view text) {
  AnswerBlocks found;
  int number = 0;
  const std::vector<optlog::CodeBlock> blocks = optlog::code_blocks(text);
  if (blocks.size() >= optlog::kMostBlocks)  // what follows would pass unread
    throw Error(fmt::format("the text has {} code blocks or more", optlog::kMostBlocks),
                "audit parts of it");
  for (const optlog::CodeBlock& block : blocks) {
    if (trim(block.text).empty()) continue;
    if (is_diff_block(block)) {
      found.changes.push_back({block.line, true, block.text});
      continue;
    }
    if (!optlog::may_be_formula(block)) continue;
    if (is_kernel_block(block)) {
      found.changes.push_back({block.line, false, block.text});
      continue;
    }
    Attempt attempt;
    attempt.iteration = ++number;
    attempt.formula = block.text;
    attempt.formula_line = block.line;
    if (!block.closed) attempt.remarks.emplace_back("the block has no end");
    found.formulas.push_back(std::move(attempt));
  }
  if (found.formulas.size() == 1 && found.changes.empty()) {
    const optlog::ClaimReading said = optlog::read_claim(optlog::prose_of(text));
    if (!optlog::is_empty(said.claim)) found.formulas[0].claim = said.claim;
  }
  return found;
}

std::vector<JudgedChange> judge_changes(const std::vector<ChangeBlock>& changes,
                                        const PatchRequest& request, const std::string& shown) {
  std::vector<JudgedChange> judged;
  for (const ChangeBlock& change : changes) {
    JudgedChange one;
    one.line = change.line;
    const std::string name = fmt::format("{}:{}", shown, change.line);
    try {
      if (request.job_path.empty())
        throw Error("a changed kernel needs --job JOB.toml to be judged", "add it");
      one.audit = change.is_diff ? audit_diff(request, change.text, name)
                                 : audit_text(request, change.text, name);
    } catch (const Error& error) {
      one.reason = error.message();
    }
    judged.push_back(std::move(one));
  }
  return judged;
}

}  // namespace heddle::tool
