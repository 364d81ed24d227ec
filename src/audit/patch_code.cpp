#include "audit/patch_code.h"

#include <fmt/format.h>

#include "audit/change_report.h"
#include "support/text.h"

namespace heddle::audit {
namespace {

using kernel::CodeComparison;
using kernel::PatchSide;

/// Index lines changed, and nothing is doubted.
void judge_index_lines(const PatchSide& before, const PatchSide& after, const CodeComparison& code,
                       const IndexJudgement& index, Verdict order, CheckResult& result) {
  // Accesses alone do not show that the work sees a tile's index: it may be data, too. Where the
  // order is wrong, `order` says so.
  const bool is_by_ids = code.index && code.index->by_ids && order != Verdict::proved;
  const bool has_tiles = index.blocks && index.blocks->is_permutation();
  if (is_by_ids || has_tiles) {
    result.verdict = Verdict::proved;
    result.finding = fmt::format("only index lines changed: {}", change_counts(code.changes));
  } else if (!code.index) {
    result.finding = fmt::format(
        "the lines that changed are index arithmetic, but the rest does not see the same: {}",
        code.reason);
    if (code.line_before > 0 || code.line_after > 0)
      result.evidence.push_back(fmt::format("line {} of the original, line {} of the new file",
                                            code.line_before, code.line_after));
  } else if (!index.blocks) {
    result.finding = fmt::format(
        "the lines that changed are index arithmetic; whether they only choose a tile is not "
        "known: {}",
        index.reason);
  } else if (index.blocks->stranger) {
    result.finding = fmt::format(
        "block {} works with index values that no tile of the original has: the lines that changed "
        "do more than choose a tile",
        with_separators(*index.blocks->stranger));
  } else {
    result.finding =
        fmt::format("the blocks do not have the index values of the tiles, each once: {}",
                    misfit_text(*index.blocks, before.launch.grid, after.launch.grid));
  }
}

}  // namespace

CheckResult judge_code(const PatchSide& before, const PatchSide& after, const CodeComparison& code,
                       const IndexJudgement& index, Verdict order) {
  CheckResult result;
  // What a kernel that did not change makes of another grid is for the programs to say.
  const bool is_same_launch = before.launch.grid == after.launch.grid || code.index.has_value();
  if (code.renamed > 0)
    result.notes.push_back(fmt::format("{} renamed", count_of(code.renamed, "variable")));
  if (code.has_other()) {
    result.verdict = Verdict::refuted;
    report_others(code.changes, result);
    // Statements that moved, or names that are used twice: the text does not say what they mean.
    if (code.is_other_inside && code.index) {
      result.verdict = Verdict::unknown;
      result.finding += ", which make no difference on this launch";
    }
  } else if (!code.doubts.empty()) {
    result.finding = "index code or names that are not on the list: what they do is not compared";
    result.evidence = code.doubts;
  } else if (code.changes.empty() && code.renamed == 0 && is_same_launch) {
    result.verdict = Verdict::proved;
    result.finding = code.is_same_text ? "the files are the same"
                     : code.has_launches
                         ? "nothing but comments, layout or the launch's grid changed"
                         : "nothing but comments or layout changed";
  } else if (!after.program) {
    result.finding = fmt::format("only index lines changed, but the new kernel cannot be read: {}",
                                 after.reason);
  } else {
    judge_index_lines(before, after, code, index, order, result);
  }
  if (before.function != after.function)
    result.notes.push_back(fmt::format("the kernel is called '{}' in the new file, not '{}'",
                                       after.function, before.function));
  return result;
}

void judge_turns_of_code(const CodeComparison& code, const TurnJudgement& turns,
                         CheckResult& result) {
  if (result.verdict != Verdict::proved || (code.changes.empty() && code.renamed == 0)) return;
  if (turns.is_same.value_or(false)) return;
  result.verdict = Verdict::unknown;
  result.finding = fmt::format(
      "the lines that changed are index arithmetic; whether they only choose tiles where blocks do "
      "several is not known: {}",
      turns.reason);
}

}  // namespace heddle::audit
