#include "audit/audit_patch.h"

#include <fmt/format.h>

#include <algorithm>

#include "audit/change_report.h"
#include "audit/code_changes.h"
#include "audit/index_match.h"
#include "audit/patch_traces.h"
#include "support/text.h"
#include "trace/independence.h"

namespace heddle::audit {
namespace {

class Audit {
 public:
  Audit(const PatchSide& before, const PatchSide& after, const LaunchJudgement& launch)
      : before_(before), after_(after), launch_(launch) {}

  PatchAudit run() {
    result_.before = before_.name;
    result_.after = after_.name;
    result_.function_before = before_.function->text;
    result_.function_after = after_.function->text;
    result_.grid_before = before_.launch.grid.extents();
    result_.grid_after = after_.launch.grid.extents();
    result_.traced_on = trace::launch_text(before_.launch);
    result_.launch = launch_.check;
    const CodeChanges changes = changes_of(before_, after_, launch_);
    result_.changes = changes.changes;
    if (after_.program)
      judge_programs(changes);
    else
      refuse_program(changes);
    if (launch_.is_by_bytes) judge_by_bytes(result_.launch, result_.bytes);
    if (before_.function->text != after_.function->text)
      result_.code.notes.push_back(
          fmt::format("the kernel is called '{}' in the new file, not '{}'", after_.function->text,
                      before_.function->text));
    return std::move(result_);
  }

 private:
  void refuse_program(const CodeChanges& changes) {
    result_.order.finding = fmt::format("the new kernel cannot be read: {}", after_.reason);
    result_.bytes.finding = result_.order.finding;
    judge_code(changes, {});
  }

  void judge_programs(const CodeChanges& changes) {
    const IndexJudgement index = judge_index(before_, after_, changes);
    const LaunchedKernel before{&*before_.program, &before_.launch};
    const LaunchedKernel after{&*after_.program, &after_.launch};
    TraceJudgement traces = judge_traces(before, after, index.blocks ? &*index.blocks : nullptr);
    result_.order = std::move(traces.order);
    result_.bytes = std::move(traces.bytes);
    judge_code(changes, index);
    doubt_equal_accesses(index);
  }

  /// Blocks that make the accesses of all tiles may still do the work of a few: what they write can
  /// depend on the index.
  void doubt_equal_accesses(const IndexJudgement& index) {
    const bool is_one_for_one = before_.launch.grid.count() == after_.launch.grid.count();
    if (!is_one_for_one || !index.blocks || index.blocks->is_permutation()) return;
    for (CheckResult* check : {&result_.order, &result_.bytes}) {
      if (check->verdict != Verdict::proved) continue;
      check->verdict = Verdict::unknown;
      check->finding =
          "the blocks make the accesses of the tiles, but their index values are not those of the "
          "tiles, each once";
    }
  }

  // ---- code ---------------------------------------------------------------------------------

  void judge_code(const CodeChanges& changes, const IndexJudgement& index) {
    CheckResult& code = result_.code;
    if (changes.has_other()) {
      code.verdict = Verdict::refuted;
      report_others(changes.changes, code);
      return;
    }
    // What a kernel that did not change makes of another grid is for the programs to say.
    const bool is_same_launch =
        before_.launch.grid == after_.launch.grid || index.programs.is_match;
    if (!changes.doubts.empty()) {
      code.finding = "index code or names that are not on the list: what they do is not compared";
      code.evidence = changes.doubts;
      return;
    }
    if (changes.changes.empty() && changes.renamed.empty() && is_same_launch) {
      code.verdict = Verdict::proved;
      code.finding = before_.source->main().text == after_.source->main().text
                         ? "the files are the same"
                     : launch_.grids_after.empty()
                         ? "nothing but comments or layout changed"
                         : "nothing but comments, layout or the launch's grid changed";
      return;
    }
    if (!changes.renamed.empty())
      code.notes.push_back(fmt::format(
          "{} renamed", count_of(static_cast<std::int64_t>(changes.renamed.size()), "variable")));
    if (!after_.program) {
      code.finding = fmt::format("only index lines changed, but the new kernel cannot be read: {}",
                                 after_.reason);
      return;
    }
    judge_index_lines(changes, index);
  }

  void judge_index_lines(const CodeChanges& changes, const IndexJudgement& index) {
    CheckResult& code = result_.code;
    const bool has_tiles = index.blocks && index.blocks->is_permutation();
    // Accesses alone do not show that the work sees a tile's index: it may be data, too. Where the
    // order is wrong, `order` says so.
    const bool is_by_ids = index.programs.by_ids && result_.order.verdict != Verdict::proved;
    if (index.programs.is_match && (is_by_ids || has_tiles)) {
      code.verdict = Verdict::proved;
      code.finding = fmt::format("only index lines changed: {}", change_counts(changes.changes));
      return;
    }
    if (!index.programs.is_match) {
      code.finding = fmt::format(
          "the lines that changed are index arithmetic, but the rest does not see the same: {}",
          index.reason);
      if (index.programs.line_before > 0 || index.programs.line_after > 0)
        code.evidence.push_back(fmt::format("line {} of the original, line {} of the new file",
                                            index.programs.line_before, index.programs.line_after));
      return;
    }
    code.finding = index.blocks && index.blocks->stranger
                       ? fmt::format(
                             "block {} works with index values that no tile of the original "
                             "has: the lines that changed do more than choose a tile",
                             with_separators(*index.blocks->stranger))
                   : index.blocks
                       ? "the blocks do not have the index values of the tiles, each once"
                       : fmt::format(
                             "the lines that changed are index arithmetic; whether they only "
                             "choose a tile is not known: {}",
                             index.reason);
  }

  const PatchSide& before_;
  const PatchSide& after_;
  const LaunchJudgement& launch_;
  PatchAudit result_;
};

}  // namespace

CodeChanges changes_of(const PatchSide& before, const PatchSide& after,
                       const LaunchJudgement& launch) {
  return find_changes({before.source, before.function, &before.launch, launch.grids_before},
                      {after.source, after.function, &after.launch, launch.grids_after});
}

PatchAudit audit_triton(const PatchSide& before, const PatchSide& after,
                        const LaunchJudgement& launch) {
  return Audit(before, after, launch).run();
}

}  // namespace heddle::audit
