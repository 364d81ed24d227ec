// Both kernels of a patch on one launch.
#pragma once

#include <optional>

#include "audit/audit_patch.h"
#include "pipeline.h"

namespace heddle {

struct PatchPair {
  audit::PatchSide before;
  audit::PatchSide after;
  audit::LaunchJudgement launch;
};

/// Nothing for C++ kernels. Throws Error as audit_launch does.
std::optional<PatchPair> patch_pair(const PatchRequest& request, PatchSources& sources);

}  // namespace heddle
