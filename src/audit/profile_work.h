// How much work two recorded runs did: against what their jobs need, and against each other.
//
//   work       REFUTED  fast: 134 MB read from memory, but 8.59 GB are needed
//   same-work  REFUTED  the second run asks for 1/32 of the requests and reads 1/64 of the bytes
//
// Rules
//   1. A run is PROVED to have done its work only by exact counters; below a need by more than
//      counting explains it is REFUTED, between the two UNKNOWN.
//   2. Two runs are compared by requests, bytes, writes and arithmetic together: one of them alone
//      may fall by wider loads or reuse.
#pragma once

#include <optional>

#include "audit/audit_profile.h"

namespace heddle::audit {

/// Below this a counter shows that less was done; above it, but below what is needed, it may be how
/// it was counted. What is proved needs all: tiles that are missing lower requests and writes.
inline constexpr double kSame = 0.98;
/// Times and bytes come from different replays; compilers leave some arithmetic out.
inline constexpr double kReplayed = 0.9;

/// Both runs against their jobs, which both must have.
CheckResult judge_work(const RecordedRun& before, const RecordedRun& after);

/// The second run against the first one; `work` is what judge_work said, where there are jobs.
CheckResult judge_same_work(const RecordedRun& before, const RecordedRun& after,
                            const std::optional<CheckResult>& work);

}  // namespace heddle::audit
