// Two recorded runs: folders -> figures and findings; jobs -> what has to be done; verdicts.
#include "audit/profiles.h"

#include "audit/audit_profile.h"
#include "audit/necessary_work.h"
#include "kernel/source.h"
#include "profile/analysis.h"
#include "profile/plausibility/plausibility.h"
#include "profile/run_figures.h"
#include "trace/independence.h"

namespace heddle::audit {
namespace {

/// Findings need panels, panels a definition of the architecture: without one, findings of counters
/// are left.
std::vector<Finding> findings_of(const profile::Workload& workload,
                                 const profile::Selection& selection) {
  std::optional<profile::ArchitectureDefinition> definition;
  try {
    if (!workload.arch.empty()) definition = profile::read_architecture(workload.arch, "");
  } catch (const Error& error) {
    if (error.code() != ExitCode::missing) throw;
  }
  const std::vector<Panel> panels =
      profile::analyze(workload, selection, definition ? &*definition : nullptr, {});
  return profile::find_implausible(workload, selection, panels);
}

RecordedRun read_run(const std::string& path, const profile::Choice& choice) {
  const profile::Workload workload = profile::read_workload(path);
  const profile::Selection selection = profile::select(workload, choice);
  return {profile::read_figures(workload, selection), findings_of(workload, selection), {}};
}

}  // namespace

NecessaryWork necessary_work(const std::string& job_path,
                             const std::vector<std::string>& overrides) {
  const kernel::LoadedKernel loaded = kernel::load_kernel(job_path, overrides);
  NecessaryWork work = find_necessary_work(loaded.program, loaded.launch);
  work.job = job_path;
  work.traced_on = trace::launch_text(loaded.launch);
  return work;
}

ProfileAudit audit_profiles(const ProfileAuditRequest& request) {
  RecordedRun before = read_run(request.before, request.choice_before);
  RecordedRun after = read_run(request.after, request.choice_after);
  if (!request.job_path.empty()) {
    before.work = necessary_work(request.job_path, request.overrides);
    after.work = request.after_job_path.empty()
                     ? before.work
                     : necessary_work(request.after_job_path, request.overrides);
  }
  return audit_profiles(std::move(before), std::move(after));
}

}  // namespace heddle::audit
