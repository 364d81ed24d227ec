// A patch, judged again with other sizes: what is right for one shape only is found by another.
//
// Rules
//   1. The sizes are those of other_sizes.h: grown ones, and ragged ones.
//   2. What fails where the grid has the same divisors has the shape written into it: REFUTED. What
//      fails on odd grids alone may be right for all sizes it will ever see: UNKNOWN.
//   3. Sizes for which the original cannot be read are left out.
#include <fmt/format.h>

#include <algorithm>

#include "other_sizes.h"
#include "pipeline.h"
#include "support/text.h"

namespace heddle {
namespace {

/// Grids of fewer tiles grow by three along each axis, others by two.
constexpr std::int64_t kManyTiles = 1024;

/// The patch with other values.
PatchRequest request_with(const PatchRequest& request, const std::vector<std::string>& more) {
  PatchRequest other = request;
  other.overrides = with_overrides(request.overrides, more);
  return other;
}

/// A patch and its files.
struct Patch {
  const PatchRequest& request;
  PatchSources& sources;
};

std::optional<Grid> grid_with(const Patch& patch, const std::vector<std::string>& more) {
  try {
    return original_grid(request_with(patch.request, more), patch.sources);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// One other launch, and what came of it; nothing if the original does not get there.
struct OtherLaunch {
  std::string where;
  CheckResult result;
};

std::optional<OtherLaunch> judge(const Patch& patch, const std::vector<std::string>& sizes) {
  PatchAudit audit;
  try {
    audit = audit_launch(request_with(patch.request, sizes), patch.sources);
  } catch (const Error&) {
    return std::nullopt;
  }
  OtherLaunch launch;
  launch.where =
      fmt::format("with {} on grid {}", fmt::join(sizes, ", "), fmt::join(audit.grid_before, "x"));
  for (const CheckResult* check : {&audit.order, &audit.bytes, &audit.launch}) {
    if (check->verdict != Verdict::refuted) continue;
    launch.result = *check;
    return launch;
  }
  launch.result = audit.order.verdict == Verdict::unknown ? audit.order : audit.bytes;
  return launch;
}

CheckResult judge_shapes(const std::optional<OtherLaunch>& alike,
                         const std::optional<OtherLaunch>& uneven) {
  CheckResult check;
  if (alike && alike->result.verdict == Verdict::refuted) {
    check = alike->result;
    check.finding = fmt::format("{}: {}", alike->where, check.finding);
    return check;
  }
  for (const std::optional<OtherLaunch>* launch : {&alike, &uneven}) {
    if (!*launch) continue;
    const OtherLaunch& one = **launch;
    if (one.result.verdict == Verdict::proved)
      check.evidence.push_back(one.where);
    else
      check.notes.push_back(fmt::format("not {}: {}", one.where, one.result.finding));
  }
  if (check.notes.empty()) {
    check.verdict = Verdict::proved;
    check.finding = "the same holds for other sizes";
  } else if (check.evidence.empty()) {
    check.finding = "other sizes could not be judged";
  } else {
    check.finding = "it holds for some sizes only, and whether there are others is not known";
  }
  return check;
}

}  // namespace

PatchAudit audit_patch(const PatchRequest& request) {
  const std::shared_ptr<PatchSources> sources = read_sources(request);
  const Patch patch{request, *sources};
  PatchAudit audit = audit_launch(request, *sources);
  const auto leave_out = [&](const char* why) {
    audit.not_checked.push_back(fmt::format("shapes ({})", why));
    return audit;
  };
  if (request.after_grid) return leave_out("--after-grid says the grid of this launch alone");
  if (!request.after_job_path.empty()) return leave_out("the new kernel has a job of its own");
  for (const CheckResult* check : {&audit.order, &audit.bytes, &audit.launch}) {
    if (check->verdict == Verdict::refuted) return leave_out("the job's own sizes refute it");
  }
  const std::vector<VaryingSize> varying =
      find_varying(request.job_path, request.overrides,
                   [&](const std::vector<std::string>& more) { return grid_with(patch, more); });
  if (varying.empty()) return leave_out("the grid depends on no number of the job");
  std::int64_t tiles = 1;
  for (const std::int64_t extent : audit.grid_before) tiles *= extent;
  const std::int64_t factor = tiles < kManyTiles ? 3 : 2;
  const std::optional<OtherLaunch> first = judge(patch, grown_sizes(varying, factor));
  const bool is_refuted = first && first->result.verdict == Verdict::refuted;
  const std::optional<OtherLaunch> second =
      is_refuted ? std::nullopt : judge(patch, ragged_sizes(varying));
  if (!first && !second) return leave_out("the original works with no other sizes that were tried");
  audit.shapes = judge_shapes(first, second);
  return audit;
}

}  // namespace heddle
