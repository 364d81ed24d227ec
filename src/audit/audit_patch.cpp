#include "audit/audit_patch.h"

#include <fmt/format.h>

#include <algorithm>

#include "audit/change_report.h"
#include "audit/code_changes.h"
#include "audit/patch_traces.h"
#include "audit/program_match.h"
#include "kernel/triton/compile.h"
#include "support/text.h"
#include "trace/independence.h"

namespace heddle::audit {
namespace {

using kernel::KernelProgram;

/// The programs compared, and what their cuts say of the blocks.
struct IndexJudgement {
  ProgramMatch programs;
  std::optional<BlockMatch> blocks;
  std::string reason;  ///< why there is none
};

std::vector<kernel::ValueId> half_of(const ProgramMatch& match, bool first) {
  std::vector<kernel::ValueId> values;
  for (const auto& [before, after] : match.cut) values.push_back(first ? before : after);
  return values;
}

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
    const CodeChanges changes =
        find_changes({before_.source, before_.function, &before_.launch, launch_.grids_before},
                     {after_.source, after_.function, &after_.launch, launch_.grids_after});
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
    const IndexJudgement index = judge_index(changes);
    const LaunchedKernel before{&*before_.program, &before_.launch};
    const LaunchedKernel after{&*after_.program, &after_.launch};
    TraceJudgement traces = judge_traces(before, after, index.blocks ? &*index.blocks : nullptr);
    result_.order = std::move(traces.order);
    result_.bytes = std::move(traces.bytes);
    judge_code(changes, index);
  }

  // ---- the programs -------------------------------------------------------------------------

  IndexJudgement judge_index(const CodeChanges& changes) const {
    IndexJudgement index;
    try {
      std::optional<KernelProgram> renamed;
      if (!changes.renamed.empty()) renamed = renamed_program(changes);
      const KernelProgram& program = renamed ? *renamed : *after_.program;
      index.programs =
          match_programs(*before_.program, program, before_.launch.grid == after_.launch.grid);
      if (!index.programs.is_match) {
        index.reason = index.programs.reason;
        return index;
      }
      const IndexProgram old_index =
          index_program(*before_.program, before_.launch, half_of(index.programs, true));
      const IndexProgram new_index =
          index_program(program, after_.launch, half_of(index.programs, false));
      BlockMatch blocks =
          match_blocks(old_index.launched(), new_index.launched(), AccessForm::stream);
      if (!blocks.faults_before.empty() || !blocks.faults_after.empty())
        index.reason = "the arithmetic of the index overflows, or is not defined";
      else
        index.blocks = std::move(blocks);
    } catch (const Error& error) {
      index.reason = error.message();
    }
    return index;
  }

  KernelProgram renamed_program(const CodeChanges& changes) const {
    const auto& module = after_.source->main();
    kernel::triton::TritonSource source(module.path,
                                        renamed_root(module, *after_.function, changes));
    return kernel::triton::compile(source, after_.launch);
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
    const bool has_tiles = index.blocks && index.blocks->strangers == 0;
    // Accesses alone do not show that the work sees a tile's index: it may be data, too.
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
    code.finding = index.blocks
                       ? fmt::format(
                             "block {} works with index values that no tile of the original "
                             "has: the lines that changed do more than choose a tile",
                             with_separators(*index.blocks->stranger))
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

PatchAudit audit_patch(const PatchSide& before, const PatchSide& after,
                       const LaunchJudgement& launch) {
  return Audit(before, after, launch).run();
}

}  // namespace heddle::audit
