// Two recorded runs: folders -> figures and findings; jobs -> what has to be done; verdicts.
//
//   audit_profiles({"before", "after"})     is it the same work? (results/profile_audit.h)
#pragma once

#include <string>
#include <vector>

#include "profile/workload/selection.h"
#include "results/profile_audit.h"

namespace heddle::audit {

/// Two recorded runs of a kernel: folders of rocprofiler-compute.
struct ProfileAuditRequest {
  std::string before;
  std::string after;
  profile::Choice choice_before;
  profile::Choice choice_after;
  std::string job_path;        ///< what both have to do; empty: not known
  std::string after_job_path;  ///< what the second has to do, if it is another kernel
  std::vector<std::string> overrides;
};

ProfileAudit audit_profiles(const ProfileAuditRequest& request);

/// What a launch of the job cannot do without.
NecessaryWork necessary_work(const std::string& job_path,
                             const std::vector<std::string>& overrides);

}  // namespace heddle::audit
