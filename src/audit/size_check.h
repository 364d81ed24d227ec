// Other sizes of a launch that was judged: rules 3 and 4 of kernel_check.h.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "audit/launch_judge.h"
#include "config/job.h"
#include "kernel/source.h"
#include "results/check.h"

namespace heddle::audit {

struct SizeCheckRequest {
  std::string job_path;
  std::vector<std::string> overrides;
  std::string function;
  std::map<std::string, std::int64_t> constants;  ///< constexprs of the job's launch
  std::function<config::Job(const std::vector<std::string>&)> job_with;  ///< these overrides more
};

struct SizeCheck {
  std::optional<CheckResult> range;  ///< nothing: no other size could be tried
  /// The range is of some numbers of blocks, others are wrong.
  bool is_wrong_elsewhere = false;
};

SizeCheck check_sizes(const SizeCheckRequest& request, kernel::Source& source,
                      const config::Launch& launch, const LaunchJudge& judge);

}  // namespace heddle::audit
