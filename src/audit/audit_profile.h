// Judges two recorded runs of a kernel, before and after somebody's change: is it the same work,
// and do its times and bytes add up?
//
//   audit_profiles(runs of yax slow and fast, as published)
//     same-work  REFUTED  the second run did less: 1/32 of the requests, 1/64 of the bytes
//     speedup    REFUTED  29.0x, of less work
//
// Rules
//   1. Only counters speak; nothing is run or simulated. What a job needs is traced beforehand.
//   2. REFUTED needs figures that no order, cache or replay explains: caches may be warm by all of
//      the L2, replays differ by 2 %, times of other replays by 10 %.
//   3. Counters that are not there make a verdict UNKNOWN, or the check is not made; never PROVED.
//
// Does not model: that another algorithm may need less. A job of that algorithm says what it needs.
#pragma once

#include <optional>
#include <vector>

#include "results/finding.h"
#include "results/profile_audit.h"

namespace heddle::audit {

struct RecordedRun {
  RunFigures figures;
  std::vector<Finding> findings;      ///< of heddle analyze
  std::optional<NecessaryWork> work;  ///< of the job it is a run of
};

/// `work` of both or of none; the second may be a job of its own.
ProfileAudit audit_profiles(RecordedRun before, RecordedRun after);

}  // namespace heddle::audit
