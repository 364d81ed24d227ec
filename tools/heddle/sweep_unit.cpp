#include "sweep_unit.h"

#include <fmt/format.h>

#include <filesystem>

#include "audit/kernel_check.h"
#include "calibrate/tables.h"
#include "config/job.h"
#include "kernel_job.h"
#include "output.h"
#include "pipeline.h"
#include "report/optimization_facts.h"
#include "support/error.h"
#include "support/version.h"
#include "sweep/closure.h"

namespace heddle::tool {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> overrides_of(const SweepRow& row) {
  return row.shape.empty() ? std::vector<std::string>{} : std::vector{row.shape};
}

void judge(SweepRow& row, Verdict verdict) {
  row.answer = verdict_text(verdict);
  row.exit_code = static_cast<int>(exit_code(verdict));
}

/// "code: a store is new; order: ...": the checks that are not PROVED.
void add_reason(SweepRow& row, std::string_view check, const CheckResult& result) {
  if (result.verdict == Verdict::proved) return;
  row.reason += fmt::format("{}{}: {}", row.reason.empty() ? "" : "; ", check, result.finding);
}

void run_check(SweepRow& row) {
  audit::KernelCheckRequest request;
  request.job_path = row.job;
  request.overrides = overrides_of(row);
  const KernelCheck check = audit::check_kernel(request);
  judge(row, check.verdict());
  const auto add = [&](const char* name, const std::optional<CheckResult>& result) {
    if (result) add_reason(row, name, *result);
  };
  add("launch", check.launch);
  add("range", check.range);
  add("all sizes", check.all_sizes);
}

void run_audit(SweepRow& row, const sweep::Plan& plan) {
  const config::Job job = config::read_job(row.job, overrides_of(row));
  const std::string kernel = fs::path(job.kernel_path).lexically_normal().string();
  PatchRequest request;
  request.before = plan.base_root + "/" + kernel;
  request.after = kernel;
  request.job_path = row.job;
  request.overrides = overrides_of(row);
  request.function = job.function;
  if (!fs::exists(request.before))
    throw Error(
        fmt::format("{} is not in {}: there is nothing to compare it with", kernel, plan.base));
  if (sweep::Closures(".").fingerprint(kernel) ==
      sweep::Closures(plan.base_root).fingerprint(kernel)) {
    row.answer = "unchanged";
    return;
  }
  const PatchAudit audit = audit_patch(request);
  if (audit.changes.empty() && audit.code.verdict == Verdict::proved &&
      audit.launch.verdict == Verdict::proved) {
    row.answer = "unchanged";  // comments and names at most
    return;
  }
  judge(row, audit.verdict());
  for (const auto& [name, check] : audit.checks()) {
    add_reason(row, name, *check);
    row.checks +=
        fmt::format("{}{} {}", row.checks.empty() ? "" : ", ", name, verdict_text(check->verdict));
  }
  // The base's folder is of this machine.
  const std::string prefix = plan.base_root + "/";
  for (std::size_t at = row.reason.find(prefix); at != std::string::npos;
       at = row.reason.find(prefix, at))
    row.reason.replace(at, prefix.size(), plan.base + ":");
}

void run_simulate(SweepRow& row) {
  SimulationRequest request;
  request.job_path = row.job;
  request.overrides = overrides_of(row);
  request.gpu = row.gpu;
  request.options.threads = 1;
  const SimResult result = simulate_job(request);
  row.answer = "simulated";
  row.time_us = result.time_us;
  row.l2_hit_pct = result.l2.cache.hit_rate_pct();
  row.hbm_bytes = result.hbm_read_bytes + result.hbm_write_bytes;
  row.limited_by = result.limited_by;
}

void run_optimize(SweepRow& row, const std::string& effort) {
  OptimizeRequest request;
  request.job_path = row.job;
  request.overrides = overrides_of(row);
  request.gpu = row.gpu;
  request.threads = 1;
  request.effort = effort == "high"     ? search::Effort::high
                   : effort == "normal" ? search::Effort::normal
                                        : search::Effort::low;
  const OptimizationReport report = optimize_job(request);
  row.answer = answer_text(report.answer);
  const bool is_good = report.answer != Answer::not_independent && report.answer != Answer::unknown;
  row.exit_code = static_cast<int>(is_good ? ExitCode::good : ExitCode::inconclusive);
  row.reason =
      report.answer == Answer::not_independent ? report.independence.reason : report.reason;
  row.patch = report.patch;
  if (!is_good) return;
  row.time_us = report.baseline.time_us;
  row.l2_hit_pct = report.baseline.l2.cache.hit_rate_pct();
  row.hbm_bytes = report.baseline.hbm_read_bytes + report.baseline.hbm_write_bytes;
  row.limited_by = report.baseline.limited_by;
  row.order = report.best.title;
  row.speedup = report.best.speedup;
  row.best_us = report.best.predicted.time_us;
  if (report.answer == Answer::measure && !report.to_measure.empty()) {
    const OrderAttempt& first =
        report.attempts.at(static_cast<std::size_t>(report.to_measure[0] - 1));
    row.order = first.title;
    row.speedup = first.speedup;
    if (first.predicted) row.best_us = first.predicted->time_us;
  }
  if (report.answer != Answer::improved) return;
  if (const auto interval = report::speedup_interval(report.best.speedup, report.best.predicted)) {
    row.speedup_low = interval->low;
    row.speedup_high = interval->high;
  }
}

void run_validate(SweepRow& row) {
  calibrate::ValidationRequest request;
  request.tables = {row.job};
  request.options.threads = 1;
  const ValidationReport report = validate_tables(request);
  row.answer = "validated";
  for (const GpuScore& score : report.scores) {
    row.reason +=
        fmt::format("{}{}: {} points", row.reason.empty() ? "" : "; ", score.gpu, score.points);
    if (score.l2.count > 0)
      row.reason += fmt::format(", L2 hit rate off by {:.1f} points on average", score.l2.mean);
    if (score.speedup.count > 0)
      row.reason += fmt::format(", speedups by {:.1f} %", score.speedup.mean);
  }
}

}  // namespace

std::string sweep_version() {
  return fmt::format("heddle {} model {}", version_text(), sim::kModelVersion);
}

void use_gpus(sweep::Spec& spec, const std::vector<std::string>& gpus) {
  if (gpus.empty()) return;
  spec.gpus = gpus;
  for (std::string& gpu : spec.gpus)
    if (gpu.ends_with(".toml") || gpu.find(".toml:") != std::string::npos)
      gpu = fs::absolute(gpu)
                .lexically_normal()
                .lexically_relative(fs::absolute(spec.root).lexically_normal())
                .string();
  for (sweep::KernelGroup& group : spec.groups) group.gpus.clear();
}

SweepRow run_unit(const sweep::Plan& plan, const sweep::Unit& unit) {
  fs::current_path(unit.at_base ? plan.base_root : plan.root);
  SweepRow row = plan.row(unit);
  if (plan.kernel(unit).kind == sweep::KernelFile::Kind::kernel)
    keep_inferred_job(row.job, row.function, overrides_of(row), row.gpu);
  switch (unit.verb) {
    case sweep::SweepVerb::check:
      run_check(row);
      break;
    case sweep::SweepVerb::audit:
      run_audit(row, plan);
      break;
    case sweep::SweepVerb::simulate:
      run_simulate(row);
      break;
    case sweep::SweepVerb::optimize:
      run_optimize(row, plan.effort);
      break;
    case sweep::SweepVerb::validate:
      run_validate(row);
      break;
  }
  return row;
}

}  // namespace heddle::tool
