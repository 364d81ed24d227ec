#include "audit/audit_cxx.h"

#include <fmt/format.h>

#include <memory>

#include "audit/block_match.h"
#include "audit/change_report.h"
#include "audit/patch_traces.h"
#include "trace/independence.h"

namespace heddle::audit {
namespace {

std::string full_name(const CxxPatchSide& side) {
  return side.code.function->scope + side.code.function->name;
}

bool is_compiled(const CxxPatchSide& side) {
  return side.program.has_value();
}

/// What differs, in trees where both kernels are compiled, else in the texts alone.
CxxChanges changes_of(const CxxPatchSide& before, const CxxPatchSide& after) {
  std::string reason;
  if (is_compiled(before) && is_compiled(after)) {
    try {
      std::shared_ptr<const kernel::cxx::CxxTree> old_tree;
      std::shared_ptr<const kernel::cxx::CxxTree> new_tree;
      run_both([&] { old_tree = kernel::cxx::tree_of(*before.program); },
               [&] { new_tree = kernel::cxx::tree_of(*after.program); });
      return find_cxx_changes({&before.code, &*old_tree, &before.launch},
                              {&after.code, &*new_tree, &after.launch});
    } catch (const Error& error) {
      reason = fmt::format("the kernels cannot be compared: {}", error.message());
    }
  }
  CxxChanges changes = find_cxx_changes({&before.code, nullptr, &before.launch},
                                        {&after.code, nullptr, &after.launch});
  if (!reason.empty()) changes.doubt = reason;
  return changes;
}

/// The checks `order` and `bytes`: both rest on the accesses that the compiled kernels report.
void judge_accesses(const CxxPatchSide& before, const CxxPatchSide& after, PatchAudit& result) {
  if (!after.program) {
    result.order.finding = fmt::format("the new kernel cannot be compiled: {}", after.reason);
    result.bytes.finding = result.order.finding;
    return;
  }
  TraceJudgement traces =
      judge_traces({&*before.program, &before.launch}, {&*after.program, &after.launch}, nullptr);
  result.order = std::move(traces.order);
  result.bytes = std::move(traces.bytes);
}

}  // namespace

CheckResult judge_cxx_code(const CxxPatchSide& before, const CxxPatchSide& after,
                           const CxxChanges& changes) {
  CheckResult code;
  const bool is_same_text = before.code.source->text() == after.code.source->text();
  if (changes.has_other()) {
    code.verdict = Verdict::refuted;
    report_others(changes.changes, code);
  } else if (!after.reason.empty()) {
    code.finding = fmt::format("the new kernel cannot be compiled: {}", after.reason);
  } else if (changes.changes.empty() && is_same_text) {
    code.verdict = Verdict::proved;
    code.finding = "the files are the same";
  } else if (!changes.doubt.empty()) {
    code.finding =
        changes.changes.empty()
            ? fmt::format("whether the kernels are the same is not known: {}", changes.doubt)
            : fmt::format(
                  "the lines that changed are index arithmetic, but the rest may not see the "
                  "same: {}",
                  changes.doubt);
  } else {
    code.verdict = Verdict::proved;
    code.finding = !changes.changes.empty()
                       ? fmt::format("only index lines changed: {}", change_counts(changes.changes))
                   : after.code.ignored.empty()
                       ? "nothing but comments or layout changed"
                       : "nothing but comments, layout or the launch's grid changed";
  }
  return code;
}

PatchAudit audit_cxx(const CxxPatchSide& before, const CxxPatchSide& after,
                     const LaunchJudgement& launch) {
  PatchAudit result;
  result.before = before.name;
  result.after = after.name;
  result.function_before = full_name(before);
  result.function_after = full_name(after);
  result.grid_before = before.launch.grid.extents();
  result.grid_after = after.launch.grid.extents();
  result.traced_on = trace::launch_text(before.launch);
  result.launch = launch.check;
  judge_accesses(before, after, result);
  const CxxChanges changes = changes_of(before, after);
  result.changes = changes.changes;
  result.code = judge_cxx_code(before, after, changes);
  if (launch.is_by_bytes) judge_by_bytes(result.launch, result.bytes);
  if (result.function_before != result.function_after)
    result.code.notes.push_back(fmt::format("the kernel is called '{}' in the new file, not '{}'",
                                            result.function_after, result.function_before));
  return result;
}

}  // namespace heddle::audit
