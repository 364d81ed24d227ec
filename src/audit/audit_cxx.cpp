#include "audit/audit_cxx.h"

#include <fmt/format.h>

#include "audit/change_report.h"
#include "audit/cxx_values.h"
#include "audit/patch_traces.h"
#include "support/text.h"
#include "trace/independence.h"

namespace heddle::audit {
namespace {

std::string full_name(const CxxPatchSide& side) {
  return side.code.function->scope + side.code.function->name;
}

/// The launch with the numbers among the template arguments: `k<32, float>` of `template <int W,
/// class T>` gives W = 32.
config::Launch with_template_numbers(const CxxPatchSide& side) {
  config::Launch launch = side.launch;
  const std::string& name = launch.function;
  const std::size_t open = name.find('<');
  if (open == std::string::npos || name.back() != '>') return launch;
  const std::string inside = name.substr(open + 1, name.size() - open - 2);
  if (inside.find_first_of("<>()") != std::string::npos) return launch;
  const auto given = split(inside, ',');
  const auto& parameters = side.code.function->template_parameters;
  for (std::size_t i = 0; i < given.size() && i < parameters.size(); ++i) {
    const auto number = parse_integer(trim(given[i]));
    const std::string parameter(trim(parameters[i]));
    const std::size_t space = parameter.find_last_of(" ");
    if (!number || space == std::string::npos) continue;
    config::Argument argument;
    argument.name = parameter.substr(space + 1);
    argument.value.data = static_cast<std::int64_t>(*number);
    launch.arguments.push_back(std::move(argument));
  }
  return launch;
}

}  // namespace

CheckResult judge_cxx_code(const CxxPatchSide& before, const CxxPatchSide& after,
                           const CxxChanges& changes, Verdict order) {
  CheckResult code;
  if (changes.has_other()) {
    code.verdict = Verdict::refuted;
    report_others(changes.changes, code);
    return code;
  }
  if (changes.changes.empty()) {
    code.verdict = Verdict::proved;
    code.finding =
        before.code.source->text() == after.code.source->text() ? "the files are the same"
        : after.code.ignored.empty() ? "nothing but comments or layout changed"
                                     : "nothing but comments, layout or the launch's grid changed";
    return code;
  }
  if (!after.program && !after.reason.empty()) {
    code.finding = fmt::format(
        "only index lines changed, but the new kernel cannot be compiled: {}", after.reason);
    return code;
  }
  if (changes.by_ids || (changes.doubt.empty() && order == Verdict::proved)) {
    code.verdict = Verdict::proved;
    code.finding = fmt::format("only index lines changed: {}", change_counts(changes.changes));
    return code;
  }
  code.finding =
      !changes.doubt.empty()
          ? fmt::format(
                "the lines that changed are index arithmetic, but the rest may not see the "
                "same: {}",
                changes.doubt)
          : "the lines that changed are index arithmetic; whether they only choose a tile is not "
            "known, since the order is not proved";
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
  if (after.program) {
    TraceJudgement traces =
        judge_traces({&*before.program, &before.launch}, {&*after.program, &after.launch}, nullptr);
    result.order = std::move(traces.order);
    result.bytes = std::move(traces.bytes);
  } else {
    result.order.finding = fmt::format("the new kernel cannot be compiled: {}", after.reason);
    result.bytes.finding = result.order.finding;
  }
  CxxChanges changes = find_cxx_changes(before.code, after.code);
  // Accesses alone do not show that the work sees a tile's index: it may be data, too.
  if (!changes.has_other() && !changes.changes.empty() && changes.doubt.empty() &&
      result.order.verdict == Verdict::proved) {
    changes.doubt =
        doubt_of_values(changes, with_template_numbers(before), with_template_numbers(after));
    changes.by_ids = changes.by_ids && changes.doubt.empty();
  }
  result.changes = changes.changes;
  result.code = judge_cxx_code(before, after, changes, result.order.verdict);
  if (launch.is_by_bytes) judge_by_bytes(result.launch, result.bytes);
  if (result.function_before != result.function_after)
    result.code.notes.push_back(fmt::format("the kernel is called '{}' in the new file, not '{}'",
                                            result.function_after, result.function_before));
  return result;
}

}  // namespace heddle::audit
