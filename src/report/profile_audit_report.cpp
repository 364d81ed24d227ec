#include "report/profile_audit_report.h"

#include <fmt/format.h>

#include "report/clean_text.h"
#include "report/json_values.h"
#include "report/text_blocks.h"
#include "report/verdict_list.h"
#include "support/quantities.h"
#include "support/text.h"

namespace heddle::report {
namespace {

using nlohmann::json;

constexpr std::size_t kMostName = 120;
constexpr std::size_t kMostPath = 400;

std::string run_text(const RunFigures& run) {
  return fmt::format("{}, {} of {}", one_line(run.path, kMostPath),
                     run.dispatches == 1 ? std::string("1 dispatch")
                                         : with_separators(run.dispatches) + " dispatches",
                     one_line(run.kernel, kMostName));
}

std::string work_text(const NecessaryWork& work) {
  return fmt::format("{}: {} read, {} written, {:.4g} operations{}; {}",
                     one_line(work.job, kMostPath),
                     decimal_bytes(static_cast<double>(work.read_bytes)),
                     decimal_bytes(static_cast<double>(work.written_bytes)), work.operations,
                     work.whole ? "" : ", of the blocks that could be traced", work.traced_on);
}

json figure_json(const std::optional<RunFigure>& figure) {
  if (!figure) return nullptr;
  return {{"mean", figure->mean}, {"least", figure->least}};
}

json run_json(const RunFigures& run) {
  return {{"path", valid_utf8(run.path)},
          {"kernel", valid_utf8(run.kernel)},
          {"gpu", valid_utf8(run.gpu)},
          {"dispatches", run.dispatches},
          {"duration_ns", figure_json(run.duration_ns)},
          {"cycles", figure_json(run.cycles)},
          {"operations", figure_json(run.operations)},
          {"lane_requests", figure_json(run.lane_requests)},
          {"lookups", figure_json(run.lookups)},
          {"write_requests", figure_json(run.written)},
          {"read_bytes", figure_json(run.read_bytes)},
          {"stored_bytes", figure_json(run.stored_bytes)},
          {"moved_bytes", figure_json(run.moved_bytes)},
          {"l2_hit_pct", value_json(run.hit_rate_pct)},
          {"peak_gb_per_s", value_json(run.peak_gb_per_s)}};
}

json work_json(const std::optional<NecessaryWork>& work) {
  if (!work) return nullptr;
  return {{"job", valid_utf8(work->job)},   {"traced_on", valid_utf8(work->traced_on)},
          {"whole", work->whole},           {"read_bytes", work->read_bytes},
          {"operations", work->operations}, {"written_bytes", work->written_bytes}};
}

Values runs_values(const ProfileAudit& audit) {
  Values values = value("before", run_text(audit.before)) + value("after", run_text(audit.after));
  if (audit.work_before) values += value("needed", work_text(*audit.work_before));
  if (audit.work_after && audit.work_after->job != audit.work_before->job)
    values += value("needed after", work_text(*audit.work_after));
  if (!audit.not_checked.empty())
    values += value("not checked", fmt::format("{}", fmt::join(audit.not_checked, "; ")));
  return values;
}

}  // namespace

Document profile_audit_view(const ProfileAudit& audit) {
  const std::vector<ShownCheck> checks = shown(audit.checks);
  Document page;
  page.verb = "audit --profile";
  page.title = Text(one_line(audit.after.path, kMostPath)) + ours(": " + verdict_counts(checks));
  page.badge = verdict_text(audit.verdict());
  page.tone = tone_of(audit.verdict());
  page.add(runs_values(audit));
  page.heading(ours("Checks"));
  page.add(verdict_table(checks));
  return page;
}

std::string profile_audit_text(const ProfileAudit& audit, const Style& style) {
  const std::vector<ShownCheck> checks = shown(audit.checks);
  std::string text =
      headline(style.bold(one_line(audit.after.path, kMostPath)), verdict_counts(checks)) + "\n";
  text += verdict_list(checks, style) + "\n";
  return text + text_blocks({runs_values(audit)}, style);
}

json profile_audit_json(const ProfileAudit& audit) {
  return {{"version", 1},
          {"verdict", verdict_text(audit.verdict())},
          {"before", run_json(audit.before)},
          {"after", run_json(audit.after)},
          {"needed_before", work_json(audit.work_before)},
          {"needed_after", work_json(audit.work_after)},
          {"checks", verdicts_json(shown(audit.checks))},
          {"not_checked", audit.not_checked}};
}

}  // namespace heddle::report
